"""Length and number of frames that a container's header states."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

import av

from surgqa.ontology.times import SECOND_US, print_seconds
from surgqa.transforms.media.batches import FrameTable
from surgqa.transforms.media.container import Packets, opened
from surgqa.transforms.places import Place

COUNTED = ("mov", "avi")
"""Formats with an index: the number of frames is stored in the file."""
TIMED = ("matroska", "flv", "asf")
"""Formats whose header states the end of the video; for others FFmpeg estimates it."""
LEAST_UNREAD = 4096
"""Bytes of padding allowed at the end of a short file."""
BOX_HEAD = 8
MOST_UNREAD = Fraction(1, 10)
"""Largest share of a file that may follow its last packet, such as an index."""


@dataclass(frozen=True, slots=True)
class HeaderPromise:
    """Values that a header states; None where the header states no value.

    Attributes:
        frames: number of frames.
        ends_us: end of the video stream on the container's own clock.
        lasts_us: length of the video stream.
        unsaid: the header states nothing; FFmpeg's values are estimates.
    """

    frames: int | None = None
    ends_us: int | None = None
    lasts_us: int | None = None
    unsaid: bool = False

    @property
    def words(self) -> str:
        """The values as text for messages; empty if the header states none."""
        parts = [f"{self.frames} frames"] if self.frames else []
        length = self.lasts_us or self.ends_us
        return ", ".join(parts + ([f"{print_seconds(length)} s"] if length else []))

    def length_us(
        self, zero_us: int, end_us: int, read: int, promised: int | None, trimmed: bool
    ) -> int | None:
        """Return the stated length, counted from the first frame.

        Args:
            zero_us: the first frame's time on the container's clock.
            end_us: measured length.
            read, promised: numbers of frames: read from the file, and stated by the header.
            trimmed: True if an edit list cuts off frames, which the header's length includes.
        """
        missing = max(0, (promised or 0) - read)
        if promised is not None and (trimmed or self.lasts_us is None):
            return end_us + missing * end_us // max(read, 1)
        if self.lasts_us is not None:
            return self.lasts_us
        return None if self.ends_us is None else self.ends_us - max(zero_us, 0)


def promise(container: av.container.InputContainer, stream: av.VideoStream) -> HeaderPromise:
    """Return what the header of an opened file states about its video stream."""
    names = container.format.name.split(",")
    if any(name in COUNTED for name in names) and stream.frames:
        # FFmpeg reduces the length of an AVI to what is there, but keeps the frame count.
        lasts = None if "avi" in names else _scaled(stream.duration, stream.time_base)
        return HeaderPromise(frames=stream.frames, lasts_us=lasts)
    if any(name in TIMED for name in names):
        own = _clock_time(stream.metadata.get("DURATION", ""))
        if own is None and len(container.streams) == 1:
            own = container.duration
        if own is not None:
            return HeaderPromise(ends_us=own)
    return HeaderPromise(unsaid=True)


def _scaled(duration: int | None, tick: Fraction) -> int | None:
    return int(duration * tick * SECOND_US) if duration else None


def _clock_time(text: str) -> int | None:
    """Parse ``HH:MM:SS.fraction`` to microseconds; Matroska files have it for each stream."""
    found = re.fullmatch(r"(\d+):(\d\d):(\d\d(?:\.\d+)?)", text.strip("\0 "))
    if not found:
        return None
    hours, minutes, seconds = found.groups()
    whole = Fraction(int(hours) * 3600 + int(minutes) * 60) + Fraction(seconds)
    return int(whole * SECOND_US) or None


def unread(path: Place, name: str, table: FrameTable, end_byte: int, cut: bool) -> FrameTable:
    """Return the table of a file whose header states no length; note if the file was cut off.

    Fragmented videos and transport streams state no length.  Such a file was cut off if its
    last packet is incomplete, or if no packet of any stream can be read after some byte.

    Args:
        end_byte: end of the last video packet.
        cut: that packet is incomplete.
    """
    size = path.stat().st_size
    most, why = max(size * MOST_UNREAD, LEAST_UNREAD), ""
    with opened(path, name) as container:
        ends = [first for first, last in table.bad if last >= size]
        if ends:
            why = f"nothing whole stands at byte {ends[0]} of {size}"
        elif cut:
            why = "the last packet is cut short"
        elif "mov" in container.format.name and not _boxes_whole(path, size):
            why = "the file ends within a box"
        elif end_byte < size - most:
            for packet in Packets(container, *container.streams):
                end_byte = max(end_byte, (packet.pos or 0) + packet.size)
            if end_byte < size - most:
                why = f"nothing can be read after byte {end_byte} of {size}"
    return replace(table, stopped_us=table.end_us, stopped_why=why) if why else table


def _boxes_whole(path: Place, size: int) -> bool:
    """Return whether the last box of an MP4 file ends where the file ends."""
    at = 0
    with path.open("rb") as data:
        while at < size:
            data.seek(at)
            head = data.read(16)
            long = int.from_bytes(head[:4], "big")
            if long == 1:
                long = int.from_bytes(head[8:16], "big")
            if long == 0 and head[4:8].isalnum():
                return True  # up to the end of the file
            if long < BOX_HEAD:
                return False
            at += long
    return at == size
