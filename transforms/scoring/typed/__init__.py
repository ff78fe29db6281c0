"""Scores by what a row says of its answer: its parts, their types and their values."""

from transforms.scoring.typed.answer import mark_answer

__all__ = ["mark_answer"]
