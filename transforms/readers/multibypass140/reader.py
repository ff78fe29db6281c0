"""Read MultiBypass140: label files from the code repository, and video files if they exist."""

from __future__ import annotations

from transforms.readers.base.bypass.labels import BypassReader


class Reader(BypassReader):
    """Reader of MultiBypass140; the dataset may be incomplete."""

    name = "multibypass140"
    centres = {"BBP": "bern", "SBP": "strasbourg"}
