"""Decoding that says which frames can be trusted.

A damaged file decodes without an error to wrong pictures.  The rule that let none of
them through: after a packet that cannot be decoded, or a frame marked corrupt, nothing
is trusted that comes later in decoding order, until the next clean key frame and what is
shown after it.  Decoding order matters: a key frame can leave the decoder after the bad
packet that followed it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

import av

WHOLE = (0, 1, 5)
"""Picture types that need no other: not said, I, SI.

A stream that refreshes bit by bit marks frames of type P as points of entry, though they
show rests of what was before.
"""
PROGRESSIVE = (0, 1)
"""Orders of fields: not said, none."""


class Decoded(NamedTuple):
    """A frame as the decoder hands it out.

    Attributes:
        when: presentation time or index of the packet it came from.
    """

    frame: av.VideoFrame
    when: int | None
    trusted: bool


class _Bad(NamedTuple):
    """Where data are bad: the packet's number in decoding order, half a step for a gap."""

    place: float
    when: int | None


class Decoder:
    """A stream's decoder, started where nothing is known of what came before."""

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
        """Frames that come out after this packet, in presentation order.

        Args:
            when: grows in presentation order; None where it is not known.
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
        """The frames that are still inside."""
        try:
            frames = self.codec.decode(None)
        except av.error.FFmpegError:
            frames = []
        for frame in frames:
            self._came_out(frame)
        while self.held:
            yield self._judged(self.held.popleft())

    def _count(self, place: int, when: int | None, key: bool, out: int) -> None:
        """Notice a packet that was swallowed: more is inside than the decoder ever keeps.

        Fields come two packets to a frame and are not counted; nor is what is shown
        before the first key frame, whose references a fresh decoder has not got.
        """
        if key and not self.entered:
            self.entered, self.entry = True, when
        leading = not self.entered or _before(when, self.entry)
        self.inside = max(0, self.inside + (not leading) - out)
        if self.inside > self.codec.reorder_depth and self.codec.field_order in PROGRESSIVE:
            self.inside = self.codec.reorder_depth
            self._distrust(place, when)

    def lost(self) -> None:
        """Packets are missing before the next one."""
        self._distrust(self.fed - 0.5, None)

    def sound_at(self, place: int) -> bool:
        """Whether nothing bad lies between the last clean key frame and a packet."""
        if self.anchor is None:
            return False
        return not any(self.anchor[0] <= bad.place <= place for bad in self.bad)

    def _came_out(self, frame: av.VideoFrame) -> None:
        """Take note of a frame's own mark.

        Frames wait for those that come out behind them and were decoded before them:
        they may rest on one whose mark is not known yet.
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
            # What is shown before a key frame is no reference of what is shown after it.
            self.bad = [b for b in self.bad if b.place >= place and not _before(b.when, when)]
        return Decoded(frame, when, clean and self.sound_at(place))

    def _bad_itself(self, place: int) -> bool:
        return any(bad.place == place for bad in self.bad)

    def _distrust(self, place: float, when: int | None) -> None:
        if self.anchor is None or not _before(when, self.anchor[1]):
            self.bad.append(_Bad(place, when))


def _before(one: int | None, other: int | None) -> bool:
    return one is not None and other is not None and one < other
