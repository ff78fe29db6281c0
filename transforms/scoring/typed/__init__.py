"""Scores of answers by the fields that the row states: their types and their values."""

from surgqa.transforms.scoring.typed.answer import mark_answer

__all__ = ["mark_answer"]
