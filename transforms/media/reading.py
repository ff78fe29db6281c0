"""Read all packets of a video stream: when each is shown, and what is damaged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice

import av

from surgqa.ontology.times import SECOND_US, print_seconds
from surgqa.transforms.media.container import Packets, opened, picture_track
from surgqa.transforms.media.promise import HeaderPromise
from surgqa.transforms.media.trust import Decoded, Decoder
from surgqa.transforms.media.vouched import bad_bytes
from surgqa.transforms.places import Place

LONGEST_STILL_US = 600 * SECOND_US
"""If a clock jumps by more than this past the end the header states, it is broken."""
VP8_SHOWN = 1 << 4
"""Bit of a VP8 frame's first byte: the frame is shown."""
BACK_US = SECOND_US
"""A clock that goes back by more than this between key frames is broken too."""


@dataclass(slots=True)
class PacketList:
    """Packets in decoding order.

    Attributes:
        ticks, keys, lengths: presentation time (ticks), key flag and length (ticks) of each.
        places: index of each among all packets of the stream.
        count: number of all packets, including ``skipped`` packets that an edit list cuts off.
        damaged: number of packets marked corrupt or without a time, plus read errors.
        why: why reading stopped early; empty if the file was read to its end.
        cut: the last packet is incomplete.
        end_byte: end of the last packet in the file.
        shift: ticks from decoding time to presentation time of the first packet.
        indexed: some times come from an index instead of the packets.
        gaps: packet numbers before which the index lists packets that are missing.
        decoding: decoding time of each packet, None where it is not stated.
        first_byte: file position of the first packet; ``bytes`` has the position of each.
        bad: ranges of damaged bytes.
        counted: times are counts of packets, and no index identifies the packets.
        held: frames that a decoder holds back for reordering.
        harmed: damaged or lost frames, in files whose order is known only from decoding.
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
        """Add one packet that is shown."""
        self.ticks.append(tick)
        self.keys.append(packet.is_keyframe)
        self.lengths.append(packet.duration or 0)
        self.places.append(place)
        self.decoding.append(packet.dts)
        self.bytes.append(packet.pos or 0)
        self.end_byte = max(self.end_byte, (packet.pos or 0) + packet.size)


class _Clock:
    """Computes when packets are shown.

    An AVI file has no times and only counts frames, so after a loss all frames would come too
    early. The file's index identifies the frames; a packet that it does not list is no frame.
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
    """Detects jumps of the clock."""

    def __init__(self, tick: Fraction, header: HeaderPromise) -> None:
        self.tick = tick
        self.far = int(LONGEST_STILL_US / SECOND_US / tick)
        self.back = int(BACK_US / SECOND_US / tick)
        self.end = int(Fraction(header.lasts_us or header.ends_us or 0, SECOND_US) / tick)
        self.latest: int | None = None
        self.key: int | None = None

    def broken(self, at: int, key: bool) -> str:
        """Return what is wrong with a packet's time, as text; empty if the time is plausible."""
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
    header: HeaderPromise,
    loose: bool,
    rate: Fraction,
    most: int | None = None,
    bad: Sequence[Sequence[int]] = (),
) -> PacketList:
    """Read all packets until the file ends, an error ends reading, or the clock jumps.

    Args:
        header: length and frame count that the header states.
        loose: the packets' presentation times are absent or made up (see :func:`untimed`).
        rate: frames per second, for packets without any time.
        most: maximum number of packets to read; None for all.
        bad: ranges of damaged bytes.
    """
    out, source = PacketList(bad=bad), Packets(container, stream, bad=bad)
    clock, jumps = _Clock(container, stream, loose, rate), _Jumps(stream.time_base, header)
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
    """Return whether a packet is shown; some VP8 frames serve only as references."""
    return stream.codec_context.name != "vp8" or bool(bytes(packet)[0] & VP8_SHOWN)


TIMELESS = ("avi", "mpeg")
CHUNK = 8
"""Bytes before the data of an AVI's frame."""
REORDERING = ("h264", "hevc", "mpeg1video", "mpeg2video")


def untimed(container: av.container.InputContainer, stream: av.VideoStream) -> bool:
    """Return whether the packets' presentation times are missing or made up by FFmpeg."""
    names = container.format.name.split(",")
    codec = stream.codec_context.name
    if codec in names or "mpegvideo" in names:
        return True
    return codec in REORDERING and any(name in TIMELESS for name in names)


def index_times(container: av.container.InputContainer, stream: av.VideoStream) -> dict[int, int]:
    """Decoding times by position in the file, from an AVI's index.

    The result is empty for other files. It is also empty if the index and the header state
    different numbers of frames, because the index is then damaged or cut off.
    """
    if container.format.name != "avi":
        return {}
    times = {entry.pos + CHUNK: entry.timestamp for entry in stream.index_entries}
    return times if len(times) == stream.frames else {}


def presentation_order(path: Place, name: str, places: Sequence[int]) -> tuple[list[int], set[int]]:
    """Packet numbers in the order in which their frames are shown.

    Args:
        places: numbers of the packets that contain frames, in decoding order.

    Returns:
        The same numbers in presentation order, and those of damaged or lost frames.  A frame
        that cannot be decoded is placed before the first frame that was decoded after it.
    """
    decoded: list[Decoded] = []
    with opened(path, name) as container:
        stream = picture_track(container)
        decoder = Decoder(stream)
        wanted = set(places)
        for number, packet in enumerate(Packets(container, stream, bad=bad_bytes(path, container))):
            decoded += [d._replace(frame=None) for d in decoder.feed(packet, number)]
        decoded += [d._replace(frame=None) for d in decoder.drain()]
    shown = [d.when for d in decoded if d.when in wanted]
    lost = sorted(wanted - set(shown), reverse=True)
    harmed = {d.when for d in decoded if not d.trusted}.union(lost) & wanted
    out: list[int] = []
    for number in dict.fromkeys(shown):
        while lost and lost[-1] < number:
            out.append(lost.pop())
        out.append(number)
    return out + lost[::-1], harmed
