"""Reads EndoVis 2019's workflow and skill challenge, whose data are HeiChole."""

from __future__ import annotations

from transforms.readers.base.heichole.videos import HeiCholeReader


class Reader(HeiCholeReader):
    """The dataset, whole or in part."""

    name = "endovis2019"
