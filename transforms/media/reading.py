"""All packets of a picture track: when each is shown, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice

import av

from ontology.times import SECOND_US, print_seconds
from transforms.media.container import Packets
from transforms.media.order import index_times
from transforms.media.promise import Promise

LONGEST_STILL_US = 600 * SECOND_US
"""A clock that jumps by more, beyond what the header promises, is broken."""
VP8_SHOWN = 1 << 4
"""Bit of a frame's first byte."""
BACK_US = SECOND_US
"""So is one that goes back by more from key frame to key frame."""


@dataclass(slots=True)
class PacketList:
    """Packets in decoding order.

    Attributes:
        ticks, keys, lengths: presentation time, key flag and length of each, in ticks.
        places: number of each among all packets of the track.
        count: all packets, ``skipped`` of them cut off by an edit list.
        damaged: packets marked corrupt or without a time, and errors of reading.
        why: reading broke off, in words.
        cut: the last packet is not whole.
        end_byte: end of the last packet in the file.
        shift: ticks from decoding time to presentation time of the first packet.
        indexed: some times come from an index and not from the packets.
        gaps: packet numbers before which the index names others.
        decoding: decoding time of each, None where it is not stated.
        first_byte: where the first packet of all stands; ``bytes`` where each does.
        bad: ranges of damaged bytes.
        counted: times are counts of packets, and no index says which those are.
        held: frames that a decoder holds back for others.
        harmed: of a file whose order a decoder alone tells, frames that are damaged or lost.
    """

    ticks: list[int] = field(default_factory=list)
    keys: list[bool] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    count: int = 0
    skipped: int = 0
    damaged: int = 0
    why: str = ""
    cut: bool = False
    end_byte: int = 0
    shift: int = 0
    indexed: bool = False
    gaps: list[int] = field(default_factory=list)
    decoding: list[int | None] = field(default_factory=list)
    first_byte: int = 0
    bytes: list[int] = field(default_factory=list)
    bad: Sequence[Sequence[int]] = ()
    counted: bool = False
    held: int = 0
    harmed: list[int] = field(default_factory=list)

    def add(self, packet: av.Packet, tick: int, place: int) -> None:
        """One packet that is shown."""
        self.ticks.append(tick)
        self.keys.append(packet.is_keyframe)
        self.lengths.append(packet.duration or 0)
        self.places.append(place)
        self.decoding.append(packet.dts)
        self.bytes.append(packet.pos or 0)
        self.end_byte = max(self.end_byte, (packet.pos or 0) + packet.size)


class _Clock:
    """When packets are shown.

    An AVI counts frames: behind a damaged stretch all would come early.  Its index says
    which is which, and a packet that the index does not know is none of the film's.
    """

    def __init__(self, container, stream, loose: bool, rate: Fraction) -> None:
        self.index = index_times(container, stream)
        self.latest = -1
        self.loose = loose
        self.ticks_a_frame = 1 / rate / stream.time_base

    def __call__(self, packet: av.Packet, place: int, out: PacketList) -> int | None:
        tick = packet.dts if self.loose and packet.dts is not None else packet.pts
        if tick is None:
            return round(place * self.ticks_a_frame) if self.loose else None
        if place == 0 and packet.pos not in self.index:
            self.index = {}
            out.shift = packet.pts - tick if packet.pts is not None else 0
        if not self.index or packet.dts is None:
            return tick
        return self._indexed(packet, place, tick, out)

    def _indexed(self, packet: av.Packet, place: int, tick: int, out: PacketList) -> int | None:
        known = self.index.get(packet.pos)
        if known is None or known <= self.latest:
            out.indexed = True
            return None
        if known > self.latest + 1:
            out.gaps.append(place)
        self.latest = known
        out.indexed |= known != packet.dts
        return tick + known - packet.dts


class _Jumps:
    """Watches the clock."""

    def __init__(self, tick: Fraction, told: Promise) -> None:
        self.tick = tick
        self.far = int(LONGEST_STILL_US / SECOND_US / tick)
        self.back = int(BACK_US / SECOND_US / tick)
        self.end = int(Fraction(told.lasts_us or told.ends_us or 0, SECOND_US) / tick)
        self.latest: int | None = None
        self.key: int | None = None

    def broken(self, at: int, key: bool) -> str:
        """What is wrong with a packet's time, in words; empty if nothing is."""
        latest, before = self.latest, self.key
        self.latest = at if latest is None else max(latest, at)
        self.key = at if key else before
        if latest is not None and at - latest > self.far and at > self.end + self.far:
            return self._words(at - latest)
        if key and before is not None and at < before - self.back:
            return self._words(at - before)
        return ""

    def _words(self, jump: int) -> str:
        return f"the clock jumps by {print_seconds(int(jump * self.tick * SECOND_US))} s"


def read_packets(
    container: av.container.InputContainer,
    stream: av.VideoStream,
    told: Promise,
    loose: bool,
    rate: Fraction,
    most: int | None = None,
    bad: Sequence[Sequence[int]] = (),
) -> PacketList:
    """All packets until the file ends, breaks off, or its clock breaks.

    Args:
        told: what the header promises.
        loose: the packets' presentation times mean nothing (see ``order``).
        rate: frames a second, for packets without any time.
        most: packets to read; None for all.
        bad: ranges of damaged bytes.
    """
    out, source = PacketList(bad=bad), Packets(container, stream, bad=bad)
    clock, jumps = _Clock(container, stream, loose, rate), _Jumps(stream.time_base, told)
    for packet in islice(source, most):
        place, out.count = out.count, out.count + 1
        out.first_byte = (packet.pos or 0) if place == 0 else out.first_byte
        tick = clock(packet, place, out)
        out.cut = packet.is_corrupt
        out.damaged += tick is None or packet.is_corrupt
        if packet.is_discard or tick is None or not _shown(stream, packet):
            out.skipped += packet.is_discard
            continue
        out.why = jumps.broken(tick, packet.is_keyframe)
        if out.why:
            break
        out.add(packet, tick, place)
    out.counted = container.format.name == "avi" and not clock.index
    out.held = stream.codec_context.reorder_depth
    out.damaged += source.errors + bool(source.broke)
    out.why = out.why or source.broke
    return out


def _shown(stream: av.VideoStream, packet: av.Packet) -> bool:
    """Whether a packet is a frame; VP8 has some that others only refer to."""
    return stream.codec_context.name != "vp8" or bool(bytes(packet)[0] & VP8_SHOWN)
