"""Scores of SAP-Bench's ranked next actions: strict and relaxed, by sample and by video."""

from surgqa.transforms.scoring.own import Settings
from surgqa.transforms.scoring.sapbench.report import SapbenchBooks, SapbenchReport


def books(settings: Settings) -> SapbenchBooks:
    """Return the object that scores rankings and plans."""
    return SapbenchBooks(settings.surgeons)


__all__ = ["SapbenchBooks", "SapbenchReport", "books"]
