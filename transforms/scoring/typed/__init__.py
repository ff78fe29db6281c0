"""Scores of open answers by the types of their fields, such as ``duration`` or ``box``."""

from surgqa.transforms.scoring.typed.answer import mark_answer

__all__ = ["mark_answer"]
