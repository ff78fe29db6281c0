"""Scores of MedStreamBench, by :mod:`transforms.scoring.outputs` for all its items."""

from surgqa.transforms.scoring.outputs.report import OutputBooks
from surgqa.transforms.scoring.own import Settings


def books(settings: Settings) -> OutputBooks:
    """Return the collector that scores all items of the benchmark."""
    return OutputBooks(settings.manner, every=True)


__all__ = ["books"]
