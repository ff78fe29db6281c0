"""Pictures of a sheet as files, with faces and texts blurred before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import cv2
import numpy as np

from transforms.labelling.sheet import Frame
from transforms.labelling.view import StoreView
from transforms.places import below

COMPRESSION = 3
"""zlib level of PNG; the pixels are the same at any."""

Cleaner = Callable[[np.ndarray], tuple[np.ndarray, int]]
"""RGB picture -> the picture to write, and how many regions of it were blurred."""

Writer = Callable[[StoreView, Iterable[Frame], Path, Cleaner], int]
"""Writes frames into a folder as :func:`write_pictures` does."""


def cleaner(blur: bool) -> Cleaner:
    """What pictures go through before they are written.

    Raises:
        SourceMissing: what finds faces and texts is not installed.
    """
    if not blur:
        return lambda picture: (picture, 0)
    from transforms.evidence.privacy.clean import clean, require
    from transforms.evidence.privacy.settings import PrivacySettings

    settings = PrivacySettings()
    require(settings)

    def cleaned(picture: np.ndarray) -> tuple[np.ndarray, int]:
        written, regions = clean(picture, settings)
        return written, len(regions)

    return cleaned


def write_pictures(view: StoreView, frames: Iterable[Frame], folder: Path, clean: Cleaner) -> int:
    """Every frame as a PNG under its file name.

    Returns:
        How many regions were blurred.
    """
    folder.mkdir(parents=True, exist_ok=True)
    regions = 0
    for frame in sorted(frames, key=lambda one: (one.video_id, one.time_us)):
        picture, blurred = clean(view.picture(frame.video_id, frame.time_us))
        regions += blurred
        bgr = cv2.cvtColor(np.ascontiguousarray(picture), cv2.COLOR_RGB2BGR)
        _, data = cv2.imencode(".png", bgr, [cv2.IMWRITE_PNG_COMPRESSION, COMPRESSION])
        below(folder, frame.file).write_bytes(data.tobytes())
    return regions
