"""Decode requested frames of a video file.

Frames are decoded in stretches (see ``restarts``).  Each stretch is opened, sought and decoded
separately, even if one worker decodes them all.  So a frame's pixels, and whether it is
trusted, depend only on the file and the frame.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import av
import numpy as np

from surgqa.ontology.errors import SourceChanged
from surgqa.transforms.media.batches import FrameTable, SampleFault
from surgqa.transforms.media.container import Packets, opened, picture_track, upright
from surgqa.transforms.media.restarts import entered
from surgqa.transforms.media.trust import Decoded, Decoder
from surgqa.transforms.places import Place

NOTICED = ("h264", "hevc", "mov")
"""Codecs whose decoders detect lost packets, and a format that loses none."""
STREAMED = {"mpegts", "flv"}
"""Formats in which a frame can lose its beginning, so that it never reaches the decoder."""
AHEAD = 8
"""Frames held back until later frames confirm their order."""
MORE = 300
"""Maximum number of packets read after a stretch to find frames that belong to it."""


class DecodedFrame(NamedTuple):
    """The result for one requested frame.

    Attributes:
        frame: index into the table.
        picture: uint8 (H, W, 3) RGB, upright; None if there is a fault.
    """

    frame: int
    picture: np.ndarray | None
    fault: SampleFault


def pictures(
    path: Place, name: str, table: FrameTable, frames: Sequence[int]
) -> Iterator[DecodedFrame]:
    """Decode the requested frames of a video file, in order.

    Args:
        path: the file.
        name: the file's path relative to the dataset's root, for messages.
        table: frame table of this file.
        frames: ascending indices into the table, without repeats.

    Yields:
        Yield one result for each requested frame, in order.

    Raises:
        SourceMissing, SourceBroken: the file was removed, or changed since the table was made.
    """
    starts = table.restarts or (0,)
    for number, wanted in groupby(frames, key=lambda f: bisect_right(starts, f) - 1):
        last = starts[number + 1] if number + 1 < len(starts) else len(table.ticks)
        yield from _Stretch(table, starts[number], last).decode(path, name, list(wanted))


class _Stretch:
    """Frames first <= f < last, decoded from ``first`` on by a new decoder."""

    def __init__(self, table: FrameTable, first: int, last: int) -> None:
        self.table, self.first, self.last = table, first, last
        self.unsure = frozenset(table.unsure)
        # Presentation times are searched among all frames of the table.
        self.of_tick = None if table.places is not None else table.ticks
        self.of_place = {p: n for n, p in enumerate(table.places)} if table.places else {}

    def decode(self, path: Place, name: str, wanted: list[int]) -> Iterator[DecodedFrame]:
        with opened(path, name, self.table.strict) as container:
            stream = picture_track(container)
            source = iter(Packets(container, stream, bad=self.table.bad))
            if self.first:
                source = entered(
                    container, stream, int(self.table.ticks[self.first]), self.table.bad
                )
            if source is None:
                raise SourceChanged(f"{name} changed while it was read", where=name,
                                    fix="run again when nothing writes to the file")  # fmt: skip
            yield from self._asked(stream, source, wanted)

    def _asked(
        self, stream: av.VideoStream, source: Iterator[av.Packet], wanted: list[int]
    ) -> Iterator[DecodedFrame]:
        todo = wanted[::-1]
        for decoded in self._decoded(stream, source):
            while todo and todo[-1] < decoded.when:
                yield DecodedFrame(todo.pop(), None, SampleFault.MISSING)
            if todo and todo[-1] == decoded.when:
                yield self._seen(todo.pop(), decoded)
            if not todo:
                return
        yield from (DecodedFrame(frame, None, SampleFault.MISSING) for frame in todo[::-1])

    def _decoded(self, stream: av.VideoStream, source: Iterator[av.Packet]) -> Iterator[Decoded]:
        """Yield frames of this stretch in presentation order.

        The decoder outputs frames in their true order. If the file's times contradict this order,
        the frames between the two positions are not trusted.
        """
        latest, held = self.first - 1, deque[Decoded]()
        for decoded in self._fed(stream, Decoder(stream), source):
            when = decoded.when
            if when is None or not self.first <= when < self.last:
                continue
            if when <= latest:
                held = deque(d._replace(trusted=d.trusted and d.when < when) for d in held)
                continue
            latest = when
            held.append(decoded)
            if len(held) > AHEAD:
                yield held.popleft()
        yield from held

    def _fed(
        self, stream: av.VideoStream, decoder: Decoder, source: Iterator[av.Packet]
    ) -> Iterator[Decoded]:
        missing, behind, clock = set(range(self.first, self.last)), 0, None
        gap, gaps = self._gap(stream), set(self.table.gaps)
        for place, packet in enumerate(source):
            when = self._index(packet, place)
            late = 0 if None in (clock, packet.dts) else packet.dts - clock
            if place in gaps or (gap and late > gap):
                decoder.lost()
            clock = packet.dts if packet.dts is not None else clock
            missing.discard(when)
            behind += when is not None and when >= self.last
            yield from decoder.feed(packet, when)
            if not missing or behind > MORE:
                break
        yield from decoder.drain()

    def _gap(self, stream: av.VideoStream) -> float:
        """Return the distance between packets, in ticks, from which on packets must be missing.

        It is 0 if the decoder itself detects lost packets.
        """
        names = (stream.codec_context.name, *stream.container.format.name.split(","))
        streamed = not STREAMED.isdisjoint(names)
        if self.table.places is not None or (names[0] in NOTICED and not streamed):
            return 0
        whole = (self.table.promised or 0) <= len(self.table.ticks) + self.table.doubled
        if whole and not streamed and any(name in NOTICED for name in names):
            return 0
        return 1.5 * self.table.step

    def _seen(self, frame: int, decoded: Decoded) -> DecodedFrame:
        if not decoded.trusted:
            return DecodedFrame(frame, None, SampleFault.DAMAGED)
        if frame in self.unsure:
            return DecodedFrame(frame, None, SampleFault.UNSURE)
        return DecodedFrame(frame, upright(decoded.frame), SampleFault.NONE)

    def _index(self, packet: av.Packet, place: int) -> int | None:
        """Return the index of a packet's frame; None if not in the table, -1 if before it."""
        if self.of_tick is None:
            return self.of_place.get(place)
        if packet.pts is None:
            return None
        if packet.pts < self.of_tick[0]:
            return -1
        index = int(np.searchsorted(self.of_tick, packet.pts))
        if index == len(self.of_tick) or self.of_tick[index] != packet.pts:
            return None
        return index if bool(self.table.key[index]) == packet.is_keyframe else None
