"""What a container's header promises: length and number of frames, where it states them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

import av

from ontology.times import SECOND_US, print_seconds
from transforms.media.batches import FrameTable
from transforms.media.container import Packets, opened
from transforms.places import Place

COUNTED = ("mov", "avi")
"""Formats with an index: the number of frames is part of the file."""
TIMED = ("matroska", "flv", "asf")
"""Formats whose header states when the recording ends; FFmpeg estimates all others'."""
LEAST_UNREAD = 4096
"""Bytes that padding may take at the end of a short file."""
BOX_HEAD = 8
MOST_UNREAD = Fraction(1, 10)
"""Share of a file without promise that may follow its last packet, as an index does."""


@dataclass(frozen=True, slots=True)
class Promise:
    """What a header states.

    Attributes:
        frames: number of frames.
        ends_us: on the container's own clock, when the picture track ends.
        lasts_us: length of the picture track.
        unsaid: the header states nothing; FFmpeg's figures are estimates.
    """

    frames: int | None = None
    ends_us: int | None = None
    lasts_us: int | None = None
    unsaid: bool = False

    @property
    def words(self) -> str:
        """For people; empty where nothing is promised."""
        parts = [f"{self.frames} frames"] if self.frames else []
        length = self.lasts_us or self.ends_us
        return ", ".join(parts + ([f"{print_seconds(length)} s"] if length else []))

    def length_us(
        self, zero_us: int, end_us: int, read: int, promised: int | None, trimmed: bool
    ) -> int | None:
        """Promised length from the first frame on.

        Args:
            zero_us: the first frame's time on the container's clock.
            end_us: measured length.
            read, promised: frames.
            trimmed: an edit list cuts frames off; the stated length holds for all.
        """
        missing = max(0, (promised or 0) - read)
        if promised is not None and (trimmed or self.lasts_us is None):
            return end_us + missing * end_us // max(read, 1)
        if self.lasts_us is not None:
            return self.lasts_us
        return None if self.ends_us is None else self.ends_us - max(zero_us, 0)


def promise(container: av.container.InputContainer, stream: av.VideoStream) -> Promise:
    """What the header of an opened file states of its picture track."""
    names = container.format.name.split(",")
    if any(name in COUNTED for name in names) and stream.frames:
        # FFmpeg shortens the length of an AVI to what is there, and leaves the number.
        lasts = None if "avi" in names else _scaled(stream.duration, stream.time_base)
        return Promise(frames=stream.frames, lasts_us=lasts)
    if any(name in TIMED for name in names):
        own = _clock_time(stream.metadata.get("DURATION", ""))
        if own is None and len(container.streams) == 1:
            own = container.duration
        if own is not None:
            return Promise(ends_us=own)
    return Promise(unsaid=True)


def _scaled(duration: int | None, tick: Fraction) -> int | None:
    return int(duration * tick * SECOND_US) if duration else None


def _clock_time(text: str) -> int | None:
    """``HH:MM:SS.fraction`` in microseconds; a muxer writes it for each track of Matroska."""
    found = re.fullmatch(r"(\d+):(\d\d):(\d\d(?:\.\d+)?)", text.strip("\0 "))
    if not found:
        return None
    hours, minutes, seconds = found.groups()
    whole = Fraction(int(hours) * 3600 + int(minutes) * 60) + Fraction(seconds)
    return int(whole * SECOND_US) or None


def unread(path: Place, name: str, table: FrameTable, end_byte: int, cut: bool) -> FrameTable:
    """The table of a file without promise, with a note where it shows that it was cut.

    A recording in fragments or a transport stream promises nothing.  It was cut where its
    last packet is not whole, or where nothing of any track can be read behind some place.

    Args:
        end_byte: where the last picture's packet ends.
        cut: that packet is not whole.
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
    """Whether the boxes of an MP4 file end where the file ends."""
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
