"""Read HeiChole: label files with a line per frame, and ratings."""

from __future__ import annotations

from transforms.readers.base.heichole.videos import HeiCholeReader


class Reader(HeiCholeReader):
    """Reader of the dataset, which may be incomplete."""

    name = "heichole"
