"""Scores of answers by the fields that the row states: their types and their values."""

from transforms.scoring.typed.answer import mark_answer

__all__ = ["mark_answer"]
