"""Distractors (wrong options) made from the correct answer."""
