"""Reads HeiChole: label files with a line a frame, and ratings."""

from __future__ import annotations

from transforms.readers.base.heichole.videos import HeiCholeReader


class Reader(HeiCholeReader):
    """The dataset, whole or in part."""

    name = "heichole"
