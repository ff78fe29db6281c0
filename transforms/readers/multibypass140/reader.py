"""Reads MultiBypass140: the label files of the code repository, and films where they are."""

from __future__ import annotations

from transforms.readers.base.bypass.labels import BypassReader


class Reader(BypassReader):
    """MultiBypass140, whole or in part."""

    name = "multibypass140"
    centres = {"BBP": "bern", "SBP": "strasbourg"}
