"""Write a small sample of HeiChole's label files; all their data are made up."""

from __future__ import annotations

from pathlib import Path

from surgqa.transforms.readers.base import Truth
from surgqa.transforms.readers.base.heichole.sample import NUMBERS, lay_out


def write(root: Path, *, procedures: int = 2, seconds: int = 21, variant: int = 0) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of videos, 1 to 3.
        seconds: length of each video, 1 to 58.
        variant: 0 to 20; see :func:`lay_out`.
    """
    root = Path(root)
    told = [lay_out(root, "heichole", number, variant, seconds) for number in NUMBERS[:procedures]]
    return Truth(tuple(sorted(told, key=lambda evidence: evidence.video.video_id)))
