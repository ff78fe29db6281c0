"""MedStreamBench: all its items are scored by content, responsiveness and stability."""

from surgqa.transforms.scoring.outputs.books import OutputBooks
from surgqa.transforms.scoring.own import Settings


def books(settings: Settings) -> OutputBooks:
    """Return the object that scores all items of the benchmark."""
    return OutputBooks(settings.manner, every=True)


__all__ = ["books"]
