"""Writes a miniature of the Bern half of MultiBypass140; everything in it is made up."""

from __future__ import annotations

from pathlib import Path

from transforms.readers.base import Truth
from transforms.readers.base.bypass.sample import lay_out, write_tables

VIDEO_IDS = ("BBP01", "BBP05", "BBP14", "BBP70")


def write(root: Path, *, procedures: int = 2, variant: int = 0) -> Truth:
    """Lay out the sample, with one video of Strasbourg beside it, and say what is in it.

    Args:
        root: an existing folder.
        procedures: how many videos, 1 to 4.
        variant: 0 to 20, see :func:`lay_out`.
    """
    root = Path(root)
    write_tables(root)
    lay_out(root, "multibypass140", "SBP01", variant)
    videos = VIDEO_IDS[:procedures]
    return Truth(tuple(lay_out(root, "bern_bypass70", video, variant) for video in videos))
