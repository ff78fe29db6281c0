"""Write the frames of a sheet as files; faces and texts are blurred before writing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import cv2
import numpy as np

from surgqa.transforms.labelling.sheet import SheetFrame
from surgqa.transforms.labelling.view import StoreView
from surgqa.transforms.places import below

COMPRESSION = 3
"""zlib level of PNG; the pixels are the same at any level."""

Cleaner = Callable[[np.ndarray], tuple[np.ndarray, int]]
"""RGB image -> the image to write, and the number of blurred regions."""

Writer = Callable[[StoreView, Iterable[SheetFrame], Path, Cleaner], int]
"""Writes frames into a folder like :func:`write_pictures`."""


def cleaner(blur: bool) -> Cleaner:
    """Return the function that is applied to frames before they are written.

    Raises:
        PackageMissing: the package that finds faces and texts is not installed.
    """
    if not blur:
        return lambda picture: (picture, 0)
    from surgqa.transforms.evidence.privacy.clean import clean, require
    from surgqa.transforms.evidence.privacy.settings import PrivacySettings

    settings = PrivacySettings()
    require(settings)

    def cleaned(picture: np.ndarray) -> tuple[np.ndarray, int]:
        written, regions = clean(picture, settings)
        return written, len(regions)

    return cleaned


def write_pictures(
    view: StoreView, frames: Iterable[SheetFrame], folder: Path, clean: Cleaner
) -> int:
    """Write every frame as a PNG under its file name.

    Returns:
        The number of blurred regions.
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
