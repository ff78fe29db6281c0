"""Scores of SurgCoT chains: each stage, the whole chain, conditional scores, and times."""

from surgqa.transforms.scoring.own import Settings
from surgqa.transforms.scoring.surgcot.report import SurgcotBooks


def books(settings: Settings) -> SurgcotBooks:
    """Return the object that scores the stages of the benchmark."""
    return SurgcotBooks()


__all__ = ["SurgcotBooks", "books"]
