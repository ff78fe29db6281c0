"""Decode a video stream and decide which frames can be trusted.

A damaged file can decode to wrong frames without an error. After a packet that cannot be decoded,
or a frame marked corrupt, nothing later in decoding order is therefore trusted. The next clean key
frame, and the frames shown after it, are trusted again. Decoding order matters, because a key frame
can leave the decoder after a bad packet that followed it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

import av

WHOLE = (0, 1, 5)
"""Picture types that need no other frame: not stated, I, SI.

Streams with gradual refresh also mark frames of type P as entry points, although these still
show parts of earlier frames.
"""
PROGRESSIVE = (0, 1)
"""Field orders: not stated, progressive."""


class Decoded(NamedTuple):
    """A frame from the decoder.

    Attributes:
        when: presentation time or index of the frame's packet.
    """

    frame: av.VideoFrame
    when: int | None
    trusted: bool


class _Bad(NamedTuple):
    """A damaged packet, by number in decoding order; number - 0.5 if the packet before is lost."""

    place: float
    when: int | None


class Decoder:
    """Decoder of a stream, started without knowledge of earlier packets."""

    def __init__(self, stream: av.VideoStream) -> None:
        self.codec = stream.codec_context
        self.codec.copy_opaque = True
        self.fed = self.inside = 0
        self.entered = False
        self.entry: int | None = None
        self.anchor: tuple[int, int | None] | None = None
        self.bad: list[_Bad] = []
        self.held: deque[tuple[av.VideoFrame, int, int | None]] = deque()

    def feed(self, packet: av.Packet, when: int | None) -> Iterator[Decoded]:
        """Yield the frames that are complete after this packet, in presentation order.

        Args:
            when: number that increases in presentation order; None if it is not known.
        """
        place, self.fed = self.fed, self.fed + 1
        packet.opaque = (place, when)
        if packet.is_corrupt:
            self._distrust(place, when)
        try:
            frames = self.codec.decode(packet)
        except av.error.FFmpegError:
            self._distrust(place, when)
            return
        self._count(place, when, packet.is_keyframe, len(frames))
        for frame in frames:
            self._came_out(frame)
        while len(self.held) > self.codec.reorder_depth:
            yield self._judged(self.held.popleft())

    def drain(self) -> Iterator[Decoded]:
        """Yield the frames that are still in the decoder."""
        try:
            frames = self.codec.decode(None)
        except av.error.FFmpegError:
            frames = []
        for frame in frames:
            self._came_out(frame)
        while self.held:
            yield self._judged(self.held.popleft())

    def _count(self, place: int, when: int | None, key: bool, out: int) -> None:
        """Detect a packet that gave no frame: the decoder then holds more packets than it can.

        Interlaced streams have two packets per frame and are not counted.  Frames shown before
        the first key frame are not counted either: a new decoder lacks their references.
        """
        if key and not self.entered:
            self.entered, self.entry = True, when
        leading = not self.entered or _before(when, self.entry)
        self.inside = max(0, self.inside + (not leading) - out)
        if self.inside > self.codec.reorder_depth and self.codec.field_order in PROGRESSIVE:
            self.inside = self.codec.reorder_depth
            self._distrust(place, when)

    def lost(self) -> None:
        """Record that packets are missing before the next one."""
        self._distrust(self.fed - 0.5, None)

    def sound_at(self, place: int) -> bool:
        """Return whether there is no damage from the last clean key frame up to a packet."""
        if self.anchor is None:
            return False
        return not any(self.anchor[0] <= bad.place <= place for bad in self.bad)

    def _came_out(self, frame: av.VideoFrame) -> None:
        """Record the decoder's own corrupt mark of a frame.

        Frames are held back, because a frame can depend on a frame that was decoded earlier but is
        output later, and it is not yet known whether that frame is trusted.
        """
        tag: tuple[int, int | None] = frame.opaque or (self.fed - 1, None)  # type: ignore[assignment]
        if frame.is_corrupt:
            self._distrust(*tag)
        self.held.append((frame, *tag))

    def _judged(self, held: tuple[av.VideoFrame, int, int | None]) -> Decoded:
        frame, place, when = held
        clean = not frame.is_corrupt and not self._bad_itself(place)
        if clean and frame.key_frame and frame.pict_type in WHOLE:
            self.anchor = (place, when)
            # Frames shown before a key frame are not references of frames shown after it.
            self.bad = [b for b in self.bad if b.place >= place and not _before(b.when, when)]
        return Decoded(frame, when, clean and self.sound_at(place))

    def _bad_itself(self, place: int) -> bool:
        return any(bad.place == place for bad in self.bad)

    def _distrust(self, place: float, when: int | None) -> None:
        if self.anchor is None or not _before(when, self.anchor[1]):
            self.bad.append(_Bad(place, when))


def _before(one: int | None, other: int | None) -> bool:
    return one is not None and other is not None and one < other
