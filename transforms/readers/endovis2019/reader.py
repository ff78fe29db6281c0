"""Read the workflow and skill challenge of EndoVis 2019, whose data are HeiChole."""

from __future__ import annotations

from transforms.readers.base.heichole.videos import HeiCholeReader


class Reader(HeiCholeReader):
    """Reader of the dataset, which may be incomplete."""

    name = "endovis2019"
