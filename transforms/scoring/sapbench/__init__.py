"""Scores of SAP-Bench: rankings of the next surgical action, and plans of several next actions."""

from surgqa.transforms.scoring.own import Settings
from surgqa.transforms.scoring.sapbench.report import SapbenchBooks, SapbenchReport


def books(settings: Settings) -> SapbenchBooks:
    """Return the collector that scores rankings and plans."""
    return SapbenchBooks(settings.surgeons)


__all__ = ["SapbenchBooks", "SapbenchReport", "books"]
