"""Write a small sample of MultiBypass140 in its real layout; all its data are made up."""

from __future__ import annotations

from pathlib import Path

from surgqa.transforms.readers.base import Truth
from surgqa.transforms.readers.base.bypass.sample import lay_out, write_tables

VIDEO_IDS = ("BBP01", "SBP01", "SBP02", "BBP14", "SBP70")


def write(root: Path, *, procedures: int = 2, variant: int = 0) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of videos, 1 to 5.
        variant: 0 to 20; see :func:`lay_out`.
    """
    root = Path(root)
    write_tables(root)
    videos = sorted(VIDEO_IDS[:procedures])
    return Truth(tuple(lay_out(root, "multibypass140", video, variant) for video in videos))
