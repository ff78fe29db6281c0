"""The picture a video shows at one instant, from a folder of frames, a video file or a still.

A folder holds one file per frame number, ``.png``, ``.jpg`` or ``.jpeg``, most often of six
digits (CholecT50 and its relatives).  A video file is decoded with PyAV by presentation time:
seek to the keyframe before, decode forward, take the frame that is on screen at the
time asked for.  Seeking by frame number or by nominal rate is off by whole seconds in
files of variable rate and is never done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import av
import cv2
import numpy as np

from ontology.errors import SourceBroken, SourceMissing, UserError
from ontology.files import listed
from ontology.records import Media, MediaKind
from ontology.times import SECOND_US, print_seconds
from transforms.media.container import Packets, opened, picture_track, upright
from transforms.media.table import zero_tick
from transforms.media.trust import Decoded, Decoder
from transforms.media.vouched import Ranges, bad_bytes
from transforms.places import Place, inside, place

SUFFIXES = (".png", ".jpg", ".jpeg")
"""Endings of frame files, in the order in which they are looked for."""

DIGITS = 6


def frame_at(
    root: Place, media: Media | Mapping[str, Any], time_us: int, fps: Fraction | None = None
) -> np.ndarray:
    """The picture on screen at ``time_us``.

    Args:
        root: the dataset's folder, or its URL; ``media.path`` is relative to it.
        media: a :class:`Media`, or the ``media`` field of a row of ``data/``.
        time_us: microseconds from the video's start.
        fps: rate of the frame numbers of a folder; taken from the row's ``media``
            where left out.  A video file's own presentation times are used instead.

    Returns:
        uint8 (H, W, 3), RGB, upright.

    Raises:
        SourceMissing: no such folder or file, no frame of that number, a time outside
            the recording, or a dataset without pictures.
        SourceBroken: the file is there and cannot be decoded without damage.
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
    """File that holds the frame at ``time_us`` of a folder of frames.

    The frame shown at a time is the last one that has started; times are rounded to
    microseconds, so a time within half a microsecond of a frame's start belongs to it.

    Raises:
        SourceMissing: no such folder, or no frame of that number in it.
    """
    _, path = _kind_and_path(media)
    rate = fps or _rate(media)
    number = int((2 * time_us + 1) * rate / (2 * SECOND_US)) + _first(media)
    folder = inside(root, path)
    for suffix in SUFFIXES:
        candidate = inside(root, f"{path}/{number:0{DIGITS}d}{suffix}")
        if candidate.is_file():
            return candidate
    # Other ways to write the number: the folder tells.
    from transforms.media.folders import listing

    found = listing(folder, path) if folder.is_dir() else None
    if found and number in found.numbers:
        return inside(root, f"{path}/{found.files[found.numbers.index(number)]}")
    raise _no_frame(folder, path, number, time_us)


def _first(media: Media | Mapping[str, Any]) -> int:
    return media.first if isinstance(media, Media) else int(media.get("first") or 0)


def frames_at(
    root: Place, media: Media | Mapping[str, Any], times_us: Sequence[int]
) -> Iterator[tuple[int, np.ndarray]]:
    """Pictures of a video file at ascending times, in one pass.

    Decoding on is several times faster than seeking where the times are dense, and a
    seek is faster where they are far apart; a gap above ``SEEK_BEYOND_US`` seeks.

    Yields:
        (time_us, uint8 (H, W, 3) RGB) for every time asked for.

    Raises:
        UserError: the times do not ascend.
        SourceMissing, SourceBroken: as :func:`frame_at`.
    """
    if any(b < a for a, b in zip(times_us, times_us[1:], strict=False)):
        raise UserError("frame times must ascend", found=", ".join(map(str, times_us[:8])))
    _, path = _kind_and_path(media)
    file = inside(root, path)
    with opened(file, path) as container:
        stream = picture_track(container)
        zero, _ = zero_tick(file, path)
        cursor = _Cursor(container, stream, path, zero, bad_bytes(file, container))
        for time_us in times_us:
            yield time_us, cursor.show(time_us)


SEEK_BEYOND_US = 20 * SECOND_US


class _Cursor:
    """Decodes forward and remembers the frame on screen.

    Time 0 is the first frame's presentation time, whatever it is in the file.
    """

    def __init__(self, container, stream, name: str, zero: int | None, bad: Ranges) -> None:
        self.container, self.stream, self.name = container, stream, name
        self.jumped, self.bad = False, bad
        self.frames = self._decoded()
        self.shown = None
        self.ahead = next(self.frames, None)
        if self.ahead is None:
            raise SourceBroken(f"{name} holds no decodable frame", where=name)
        self.zero = self.ahead.frame.pts if zero is None else zero

    def _decoded(self) -> Iterator[Decoded]:
        decoder = Decoder(self.stream)
        for packet in Packets(self.container, self.stream, bad=self.bad):
            yield from (d for d in decoder.feed(packet, packet.pts) if d.frame.pts is not None)
        yield from (d for d in decoder.drain() if d.frame.pts is not None)

    def _time_us(self, decoded: Decoded) -> Fraction:
        return (decoded.frame.pts - self.zero) * self.stream.time_base * SECOND_US

    def _jump(self, time_us: int) -> None:
        ticks = int(Fraction(time_us, SECOND_US) / self.stream.time_base) + self.zero
        try:
            self.container.seek(ticks, stream=self.stream, backward=True)
        except av.error.FFmpegError:
            return  # no index to seek by: go on decoding from here
        self.jumped = time_us > 0
        self.frames = self._decoded()
        self.shown, self.ahead = None, next(self.frames, None)

    def _forward(self, limit: Fraction) -> None:
        while self.ahead is not None and self._time_us(self.ahead) <= limit:
            self.shown, self.ahead = self.ahead, next(self.frames, None)

    def show(self, time_us: int) -> np.ndarray:
        """RGB of the last frame that starts at most half a microsecond after the time.

        Raises:
            SourceMissing: the recording ends before the time.
            SourceBroken: the picture rests on damaged data.
        """
        limit = time_us + Fraction(1, 2)
        at = self._time_us(self.shown) if self.shown else 0
        if time_us - at > SEEK_BEYOND_US:
            self._jump(time_us)
            if self.ahead is None or self._time_us(self.ahead) > limit:
                self._jump(0)  # an index that lies: read from the start
        self._forward(limit)
        if self.jumped and not (self.shown and self.shown.trusted):
            self._jump(0)  # a point of entry that was none
            self._forward(limit)
        if self.shown is None or (self.ahead is None and time_us >= self._end_us()):
            raise self._outside(time_us)
        if not self.shown.trusted:
            raise SourceBroken(
                f"{self.name} is damaged at {print_seconds(time_us)} s",
                found="data before this frame that cannot be decoded",
                where=self.name,
                fix="fetch the file again",
            )
        return upright(self.shown.frame)

    def _end_us(self) -> Fraction:
        """End of the last frame; a frame without a length gets the mean one."""
        length = (self.shown.frame.duration or 0) * self.stream.time_base
        return self._time_us(self.shown) + (length or 1 / self.stream.average_rate) * SECOND_US

    def _outside(self, time_us: int) -> SourceMissing:
        end = f"ends at {print_seconds(int(self._end_us()))} s" if self.shown else "no frame"
        return SourceMissing(
            f"{self.name} shows nothing at {print_seconds(time_us)} s",
            expected=f"a recording longer than {print_seconds(time_us)} s",
            found=end,
            where=self.name,
            fix="compare the file with the dataset's published length; it may be cut short",
        )


def _read_picture(path: Place, root: Place) -> np.ndarray:
    name = path.relative_to(root).as_posix()
    if not path.is_file():
        raise SourceMissing(f"{name} is missing", expected=name, where=str(root))
    # Bytes first: OpenCV opens no path with letters outside the system's code page.
    data = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    picture = cv2.imdecode(data, cv2.IMREAD_COLOR_RGB) if len(data) else None
    if picture is None:
        raise SourceBroken(
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
    return SourceMissing(
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
        raise SourceMissing(
            "this video has annotations and no pictures",
            expected="frames or a video file",
            found="media kind 'absent'",
            fix="get the dataset's pictures and build again with them under the root",
        )
    return kind, path


def _rate(media: Media | Mapping[str, Any]) -> Fraction:
    if isinstance(media, Media):
        raise UserError(
            "the rate of the frame numbers is needed", expected="fps beside a Media record"
        )
    return Fraction(media["fps_num"], media["fps_den"])
