"""The frame that a medium shows at one time, and its file in a folder of frames."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from surgqa.ontology.errors import MediaBroken, MediaMissing
from surgqa.ontology.records import Media
from surgqa.ontology.times import print_seconds
from surgqa.transforms.media.batches import SampleFault
from surgqa.transforms.media.film import Film, film_of, media_of
from surgqa.transforms.places import Place, inside

REMEMBERED = 16
"""Media whose frame tables are kept in memory."""
FAULT_WORDS = {
    SampleFault.DAMAGED: "rests on damaged data",
    SampleFault.MISSING: "cannot be decoded",
    SampleFault.OTHER_SIZE: "has another size than the first frame",
    SampleFault.UNSURE: "may belong to another time",
}


def frame_at(
    root: Place, media: Media | Mapping[str, Any], time_us: int, fps: Fraction | None = None
) -> np.ndarray:
    """Return the frame on screen at a time, uint8 (H, W, 3), RGB, upright.

    The first call for a medium reads its frame table, which later calls reuse.

    Args:
        root: the dataset's folder, or its URL; ``media.path`` is relative to it.
        media: a :class:`Media`, or the ``media`` field of a row of ``data/``.
        time_us: microseconds from the video's start.
        fps: frames per second of a folder's frame numbers; default: the rate of the row's
            ``media``.  Ignored for a video file, which has its own presentation times.

    Raises:
        SourceMissing: no such folder or file, no frame at the time, or a dataset without frames.
        SourceBroken: the frame is damaged or cannot be decoded.
    """
    film, index = _shown(root, media, time_us, fps)
    (shown,) = film.decoded([index])
    if shown.picture is None:
        raise MediaBroken(
            f"{film.name} is damaged at {print_seconds(time_us)} s",
            found=f"a picture that {FAULT_WORDS[shown.fault]}",
            where=f"{film.name}/{film.files[index]}" if film.files else film.name,
            fix="fetch the file again",
        )
    return shown.picture


def frame_path(
    root: Place, media: Media | Mapping[str, Any], time_us: int, fps: Fraction | None = None
) -> Place:
    """Return the file with the frame at a time, in a folder of frames.

    Raises:
        SourceMissing: the folder does not exist, or has no frame at the time.
    """
    film, index = _shown(root, media, time_us, fps)
    return film.path / film.files[index]


def _shown(
    root: Place, media: Media | Mapping[str, Any], time_us: int, fps: Fraction | None
) -> tuple[Film, int]:
    """Return the opened medium and the index of the frame on screen."""
    if not isinstance(media, Media):
        media, rate = media_of(media)
        fps = fps or rate
    path = inside(root, media.path or ".")
    stat = path.stat() if path.is_file() else None
    changed = (stat.st_size, getattr(stat, "st_mtime_ns", 0)) if stat else None
    film = _opened(root, media, fps, changed)
    index = film.on_screen(time_us)
    if index is None:
        files = film.files
        raise MediaMissing(
            f"{film.name} has no frame at {print_seconds(time_us)} s",
            expected="a frame that is on screen at this time",
            found=f"{len(files)} frames, {files[0]} to {files[-1]}" if files
            else f"ends at {print_seconds(film.table.end_us)} s",
            where=film.name,
            fix="compare it with the dataset's published length; it may be cut short",
        )  # fmt: skip
    return film, index


@lru_cache(maxsize=REMEMBERED)
def _opened(root: Place, media: Media, fps: Fraction | None, _changed: object) -> Film:
    return film_of(root, media, fps)
