"""Writes a miniature of HeiChole's label files; everything in it is made up."""

from __future__ import annotations

from pathlib import Path

from transforms.readers.base import Truth
from transforms.readers.base.heichole.sample import NUMBERS, lay_out


def write(root: Path, *, procedures: int = 2, seconds: int = 21, variant: int = 0) -> Truth:
    """Lay out the sample and say what is in it.

    Args:
        root: an existing folder.
        procedures: how many videos, 1 to 3.
        seconds: how long each is, 1 to 58.
        variant: 0 to 20, see :func:`lay_out`.
    """
    root = Path(root)
    told = [lay_out(root, "heichole", number, variant, seconds) for number in NUMBERS[:procedures]]
    return Truth(tuple(sorted(told, key=lambda evidence: evidence.video.video_id)))
