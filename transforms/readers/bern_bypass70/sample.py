"""Write a small sample of the Bern half of MultiBypass140; all its data are made up."""

from __future__ import annotations

from pathlib import Path

from surgqa.transforms.readers.base import Truth
from surgqa.transforms.readers.base.bypass.sample import lay_out, write_tables

VIDEO_IDS = ("BBP01", "BBP05", "BBP14", "BBP70")


def write(root: Path, *, procedures: int = 2, variant: int = 0) -> Truth:
    """Write the files, with one video of Strasbourg; return the evidence of the Bern videos.

    Args:
        root: an existing folder.
        procedures: number of videos, 1 to 4.
        variant: 0 to 20; see :func:`lay_out`.
    """
    root = Path(root)
    write_tables(root)
    lay_out(root, "multibypass140", "SBP01", variant)
    videos = VIDEO_IDS[:procedures]
    return Truth(tuple(lay_out(root, "bern_bypass70", video, variant) for video in videos))
