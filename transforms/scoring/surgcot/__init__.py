"""Scores of SurgCoT: of each stage of its chains, of whole chains, and of stated times."""

from surgqa.transforms.scoring.own import Settings
from surgqa.transforms.scoring.surgcot.report import SurgcotBooks


def books(settings: Settings) -> SurgcotBooks:
    """Return the collector that scores the stages of the benchmark's chains."""
    return SurgcotBooks()


__all__ = ["SurgcotBooks", "books"]
