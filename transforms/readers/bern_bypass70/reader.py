"""Reads BernBypass70 from MultiBypass140's files: the operations of Bern alone."""

from __future__ import annotations

from transforms.readers.base.bypass.labels import BypassReader


class Reader(BypassReader):
    """BernBypass70, whole or in part."""

    name = "bern_bypass70"
    centres = {"BBP": "bern"}
