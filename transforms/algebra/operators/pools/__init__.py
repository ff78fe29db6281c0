"""Distractors made from the correct answer."""
