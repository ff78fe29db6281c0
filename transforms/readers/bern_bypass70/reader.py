"""Read BernBypass70: the operations of Bern, from the files of MultiBypass140."""

from __future__ import annotations

from transforms.readers.base.bypass.labels import BypassReader


class Reader(BypassReader):
    """Reader of BernBypass70; the dataset may be incomplete."""

    name = "bern_bypass70"
    centres = {"BBP": "bern"}
