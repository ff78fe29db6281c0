"""Distractors taken from the correct answers of other questions about the same video."""
