"""The frame that a video shows at one time, from a folder of frames, a video file or a still.

A folder contains one file per frame number, ``.png``, ``.jpg`` or ``.jpeg``, usually named with
six digits (CholecT50 and related datasets).  A video file is decoded with PyAV by presentation
time: the result is the frame on screen at the requested time.  Seeking by frame number or by
nominal rate is never used: in files of variable rate it is wrong by whole seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import cv2
import numpy as np

from surgqa.ontology.errors import (
    MediaBroken,
    MediaMissing,
    RateMissing,
    SourceBroken,
    SourceMissing,
    ValueInvalid,
)
from surgqa.ontology.files import listed
from surgqa.ontology.records import Media, MediaKind
from surgqa.ontology.times import SECOND_US, print_seconds
from surgqa.transforms.media.batches import FrameTable, SampleFault
from surgqa.transforms.media.decoding import DecodedFrame, pictures
from surgqa.transforms.media.table import frame_table
from surgqa.transforms.places import Place, inside, place

SUFFIXES = (".png", ".jpg", ".jpeg")
"""Extensions of frame files, in the order in which they are tried."""

DIGITS = 6
REMEMBERED = 16
"""Video files whose frame tables are kept in memory."""
FAULT_WORDS = {
    SampleFault.DAMAGED: "rests on damaged data",
    SampleFault.MISSING: "cannot be decoded",
    SampleFault.UNSURE: "may belong to another time",
}


def frame_at(
    root: Place, media: Media | Mapping[str, Any], time_us: int, fps: Fraction | None = None
) -> np.ndarray:
    """Return the frame on screen at ``time_us``.

    Args:
        root: the dataset's folder, or its URL; ``media.path`` is relative to it.
        media: a :class:`Media`, or the ``media`` field of a row of ``data/``.
        time_us: microseconds from the video's start.
        fps: frames per second of a folder's frame numbers; default: the rate of the row's
            ``media``.  Ignored for a video file, which has its own presentation times.

    Returns:
        uint8 (H, W, 3), RGB, upright.

    Raises:
        SourceMissing: no such folder or file, no frame of that number, a time outside
            the video, or a dataset without frames.
        SourceBroken: the file exists but cannot be decoded without damage.
    """
    kind, path = _kind_and_path(media)
    if kind is MediaKind.FRAMES:
        return _read_picture(frame_path(root, media, time_us, fps), place(root))
    if kind is MediaKind.IMAGE:
        return _read_picture(inside(root, path), place(root))
    found = list(frames_at(root, media, [time_us]))
    return found[0][1]


def frame_path(
    root: Place, media: Media | Mapping[str, Any], time_us: int, fps: Fraction | None = None
) -> Place:
    """Return the path of the file with the frame at ``time_us``, in a folder of frames.

    The frame shown at a time is the last one that has started.  Times are rounded to
    microseconds, so a time within half a microsecond of a frame's start belongs to that frame.

    Raises:
        SourceMissing: the folder does not exist, or has no frame of that number.
    """
    _, path = _kind_and_path(media)
    rate = fps or _rate(media)
    number = int((2 * time_us + 1) * rate / (2 * SECOND_US)) + _first(media)
    folder = inside(root, path)
    for suffix in SUFFIXES:
        candidate = inside(root, f"{path}/{number:0{DIGITS}d}{suffix}")
        if candidate.is_file():
            return candidate
    # The number may be written in another form: list the folder.
    from surgqa.transforms.media.folders import listing

    found = listing(folder, path) if folder.is_dir() else None
    if found and number in found.numbers:
        return inside(root, f"{path}/{found.files[found.numbers.index(number)]}")
    raise _no_frame(folder, path, number, time_us)


def _first(media: Media | Mapping[str, Any]) -> int:
    return media.first if isinstance(media, Media) else int(media.get("first") or 0)


def frames_at(
    root: Place, media: Media | Mapping[str, Any], times_us: Sequence[int]
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield frames of a video file at ascending times, in one pass.

    The result equals the frames of a complete decoding. The first call for a file reads all of its
    packets to find unreliable times. Later calls reuse the table in memory.

    Yields:
        (time_us, uint8 (H, W, 3) RGB) for every requested time.

    Raises:
        UserError: the times do not ascend.
        SourceMissing, SourceBroken: as :func:`frame_at`.
    """
    if any(b < a for a, b in zip(times_us, times_us[1:], strict=False)):
        raise ValueInvalid("frame times must ascend", found=", ".join(map(str, times_us[:8])))
    _, path = _kind_and_path(media)
    file = inside(root, path)
    table = _table_of(file, path)
    shown = np.searchsorted(table.starts_us, times_us, side="right") - 1
    inner = [f >= 0 and t < table.end_us for f, t in zip(shown.tolist(), times_us, strict=True)]
    seen = pictures(file, path, table, np.unique(shown[inner]).tolist())
    one = DecodedFrame(-1, None, SampleFault.MISSING)
    for time_us, frame, known in zip(times_us, shown.tolist(), inner, strict=True):
        if not known:
            raise _outside(path, table, time_us)
        while one.frame < frame:
            one = next(seen)
        if one.picture is None:
            raise _broken(path, one.fault, time_us)
        yield time_us, one.picture


def _table_of(file: Place, name: str) -> FrameTable:
    if not file.is_file():
        raise MediaMissing(
            f"{name} is missing", expected=name, where=name, fix="check the folder given as root"
        )
    stat = file.stat()
    return _remembered(file, name, stat.st_size, getattr(stat, "st_mtime_ns", 0))


@lru_cache(maxsize=REMEMBERED)
def _remembered(file: Place, name: str, size: int, changed: int) -> FrameTable:
    return frame_table(file, name)


def _broken(name: str, fault: SampleFault, time_us: int) -> SourceBroken:
    return MediaBroken(
        f"{name} is damaged at {print_seconds(time_us)} s",
        found=f"a picture that {FAULT_WORDS[fault]}",
        where=name,
        fix="fetch the file again",
    )


def _outside(name: str, table: FrameTable, time_us: int) -> SourceMissing:
    return MediaMissing(
        f"{name} shows nothing at {print_seconds(time_us)} s",
        expected=f"a recording longer than {print_seconds(time_us)} s",
        found=f"ends at {print_seconds(table.end_us)} s",
        where=name,
        fix="compare the file with the dataset's published length; it may be cut short",
    )


def _read_picture(path: Place, root: Place) -> np.ndarray:
    name = path.relative_to(root).as_posix()
    if not path.is_file():
        raise MediaMissing(f"{name} is missing", expected=name, where=str(root))
    # Read bytes first: OpenCV cannot open paths with letters outside the system's code page.
    data = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    picture = cv2.imdecode(data, cv2.IMREAD_COLOR_RGB) if len(data) else None
    if picture is None:
        raise MediaBroken(
            f"{name} is not a picture that can be decoded",
            found=f"{len(data)} bytes",
            where=name,
            fix="fetch the file again",
        )
    return picture


def _no_frame(folder: Place, path: str, number: int, time_us: int) -> SourceMissing:
    wanted = f"{path}/{number:0{DIGITS}d}" + "|".join(SUFFIXES)
    found = "no such folder"
    if folder.is_dir():
        names = [p.name for p in listed(folder) if p.suffix in SUFFIXES]
        found = f"{len(names)} frames, {names[0]} to {names[-1]}" if names else "an empty folder"
    return MediaMissing(
        f"no frame at {print_seconds(time_us)} s",
        expected=wanted,
        found=found,
        where=path,
        fix="unpack the dataset's frames again, or check the folder given as root",
    )


def _kind_and_path(media: Media | Mapping[str, Any]) -> tuple[MediaKind, str]:
    if isinstance(media, Media):
        kind, path = media.kind, media.path
    else:
        kind, path = MediaKind(media["kind"]), media.get("path")
    if kind is MediaKind.ABSENT or path is None:
        raise MediaMissing(
            "this video has annotations and no pictures",
            expected="frames or a video file",
            found="media kind 'absent'",
            fix="get the dataset's pictures and build again with them under the root",
        )
    return kind, path


def _rate(media: Media | Mapping[str, Any]) -> Fraction:
    if isinstance(media, Media):
        raise RateMissing(
            "the rate of the frame numbers is needed", expected="fps, since Media has no rate"
        )
    return Fraction(media["fps_num"], media["fps_den"])
