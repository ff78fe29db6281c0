"""Frame times of a video file, read from its packets.

A header only promises a length.  This module reads every packet.  Where the packets hold less
than the header promises, the table states the time at which reading stopped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, islice
from statistics import median_low

import numpy as np

from surgqa.ontology.errors import MediaBroken
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.media.batches import FrameTable
from surgqa.transforms.media.container import (
    Packets,
    opened,
    opened_any,
    picture_track,
    picture_tracks,
)
from surgqa.transforms.media.promise import HeaderPromise, promise, unread
from surgqa.transforms.media.reading import PacketList, presentation_order, read_packets, untimed
from surgqa.transforms.media.restarts import restarts
from surgqa.transforms.media.trust import Decoder
from surgqa.transforms.media.vouched import (
    bad_bytes,
    contradiction,
    counted_to,
    doubtful,
    unordered,
)
from surgqa.transforms.places import Place

STEADY = Fraction(9, 10)
"""Least share of equal steps for a steady rate; in a steady video a longer step is a gap."""
FEW = 10
"""Fewest steps from which a rate is derived."""
TRIED_PACKETS = 25
"""Packets from the beginning of the file that are decoded to test a strict decoder."""
OWN_CLOCK = {"mov", "avi", "matroska", "flv", "asf"}
"""Formats whose clock starts at the first frame of the video."""
RUNS = {"mov"}
"""Formats that store times as runs of equal steps."""
STATED = {*RUNS, "mpegts", "flv"}
"""Formats that store both decoding times and presentation times."""
NEAR = 64
"""Largest distance in bytes from the beginning of a cluster to its first frame."""
OFF = 0.2
"""Largest rounding error of a time, in frames."""
FIRST_PACKETS = 300
"""If a decoder gives no frame from this many first packets, the beginning is damaged."""


def frame_table(path: Place, name: str) -> FrameTable:
    """Return the frames of a video file in presentation order.

    Most packets are read without decoding. The first packets and the packets at entry points are
    decoded. If packets carry no presentation times, all are decoded.

    Args:
        path: the file.
        name: the file's path relative to the dataset's root, for messages.

    Raises:
        SourceMissing: no such file.
        SourceBroken: the file is not a video, or no packet can be read.
    """
    with opened(path, name) as container:
        stream = picture_track(container)
        header = promise(container, stream)
        tick = Fraction(stream.time_base)
        loose = untimed(container, stream)
        rate = Fraction(stream.average_rate or stream.guessed_rate or 25)
        read = read_packets(container, stream, header, loose, rate, bad=bad_bytes(path, container))
        forms = container.format.name.split(",")
        why = contradiction(path, container)
        whole = counted_to(path, container) if read.counted else None
    if not read.ticks:
        raise MediaBroken(
            f"{name} contains no readable picture",
            expected=header.words or "packets of a picture track",
            found=f"{path.stat().st_size} bytes, {read.damaged} damaged packets",
            where=name,
            fix="fetch the file again; it was cut short or damaged",
        )
    if loose:
        _order(path, name, read)
    zero = None if loose else _first_shown(path, name, read, header)
    frames = _sorted(read, tick, zero)
    by_place = loose or read.indexed
    table = _vouched(
        _table(frames, read, header, tick, rate, by_place), read, forms, tick * rate, why
    )
    table = _counted(table, read, loose, whole)
    if not table.stopped_why and header.unsaid:
        table = unread(path, name, table, read.end_byte, read.cut)
    table = replace(table, strict=_passes(path, name))
    return table if by_place else restarts(path, name, table)


def zero_time(path: Place, name: str) -> Fraction:
    """Return the second on the container's clock at which the first frame is shown.

    Only the first packets are read. The result is 0 if no frame has a time: an AVI counts from its
    first frame.
    """
    with opened_any(path, name) as container:
        if not picture_tracks(container):
            return Fraction(0)
    with opened(path, name) as container:
        stream = picture_track(container)
        header, loose = promise(container, stream), untimed(container, stream)
        tick = Fraction(stream.time_base)
        rate = Fraction(stream.average_rate or stream.guessed_rate or 25)
        read = read_packets(container, stream, header, loose, rate, FIRST_PACKETS)
    if loose or not read.ticks:
        return Fraction(0)
    zero = _first_shown(path, name, read, header)
    return (min(read.ticks) if zero is None else zero) * tick


def _passes(path: Place, name: str) -> bool:
    """Return whether a strict decoder trusts at least as many first frames as a lenient one.

    Some encoders write streams that every strict decoder rejects; that is not damage.
    """
    passed = _trusted(path, name, True)
    return passed == TRIED_PACKETS or passed >= _trusted(path, name, False)


def _trusted(path: Place, name: str, strict: bool) -> int:
    """Return the number of trusted frames that the first packets give."""
    with opened(path, name, strict) as container:
        stream = picture_track(container)
        decoder = Decoder(stream)
        source = islice(Packets(container, stream, bad=bad_bytes(path, container)), TRIED_PACKETS)
        fed = chain.from_iterable(decoder.feed(packet, packet.pts) for packet in source)
        return sum(d.trusted for d in chain(fed, decoder.drain()))


def _order(path: Place, name: str, read: PacketList) -> None:
    """Sort packets into presentation order and assign the sorted times to them in that order."""
    order, harmed = presentation_order(path, name, read.places)
    rank = {place: n for n, place in enumerate(order)}
    by = sorted(range(len(read.places)), key=lambda n: rank[read.places[n]])
    read.ticks = _dealt(sorted(t + read.shift for t in read.ticks))
    read.keys = [read.keys[n] for n in by]
    read.lengths = [read.lengths[n] for n in by]
    read.places = [read.places[n] for n in by]
    read.bytes = [read.bytes[n] for n in by]
    read.harmed = [n for n, place in enumerate(read.places) if place in harmed]


def _dealt(ticks: list[int]) -> list[int]:
    """Return unique times: spread evenly where FFmpeg gave several packets the same time."""
    if len(set(ticks)) == len(ticks):
        return ticks
    count, span = len(ticks) - 1, ticks[-1] - ticks[0]
    return [ticks[0] + n * span // count for n in range(count + 1)]


def _first_shown(path: Place, name: str, read: PacketList, header: HeaderPromise) -> int | None:
    """Return the time of the first frame that a decoder shows, if it precedes the first key frame.

    A file that was cut out of another file can begin with frames whose references are missing.
    Files with an index or with timestamps of their own, such as MP4, are never cut like that: if
    the first frame is no key frame, the file is damaged, its timestamps are kept, and the result is
    None.
    """
    with opened(path, name) as container:
        clocked = not OWN_CLOCK.isdisjoint(container.format.name.split(","))
    if clocked and not read.keys[0]:
        return None
    key = next((t for t, k in zip(read.ticks, read.keys, strict=True) if k), None)
    if key is None or min(read.ticks) == key:
        return None
    with opened(path, name) as container:
        stream = picture_track(container)
        decoder = Decoder(stream)
        for number, packet in enumerate(Packets(container, stream, bad=bad_bytes(path, container))):
            if number >= FIRST_PACKETS:
                break
            shown = next(iter(decoder.feed(packet, packet.pts)), None)
            if shown is not None and shown.frame.pts is not None:
                return min(shown.frame.pts, key)
    return key


@dataclass(slots=True)
class _Frames:
    ticks: np.ndarray
    starts_us: np.ndarray
    key: np.ndarray
    lengths: np.ndarray
    places: np.ndarray
    doubled: int
    unshown: int


def _sorted(read: PacketList, tick: Fraction, zero: int | None) -> _Frames:
    """Return frames in order of presentation time, one per time, from the first shown frame."""
    ticks = np.array(read.ticks, dtype=np.int64)
    by = np.argsort(ticks, kind="stable")
    shown = by if zero is None else by[ticks[by] >= zero]
    starts = starts_us(ticks[shown] - ticks[shown[0]], tick)
    fresh = np.concatenate([[True], np.diff(starts) > 0])
    kept = shown[fresh]
    return _Frames(
        ticks=ticks[kept],
        starts_us=starts[fresh],
        key=np.array(read.keys, dtype=bool)[kept],
        lengths=np.array(read.lengths, dtype=np.int64)[kept],
        places=np.array(read.places, dtype=np.int64)[kept],
        doubled=len(shown) - len(kept),
        unshown=len(by) - len(shown),
    )


def starts_us(ticks: np.ndarray, tick: Fraction) -> np.ndarray:
    """Convert ticks to microseconds, rounding halves up; exact for any time base.

    Args:
        ticks: int64 (F,), from the first frame.
        tick: seconds.
    """
    up, down = (tick * SECOND_US).numerator, (tick * SECOND_US).denominator
    if len(ticks) and int(ticks[-1]) * 2 * up + down >= 1 << 63:
        exact = [(2 * int(t) * up + down) // (2 * down) for t in ticks]
        return np.array(exact, dtype=np.int64)
    return (2 * ticks * up + down) // (2 * down)


def _table(
    frames: _Frames,
    read: PacketList,
    header: HeaderPromise,
    tick: Fraction,
    rate: Fraction,
    by_place: bool,
) -> FrameTable:
    steps = np.diff(frames.ticks)
    step, absent = steady(steps)
    usual = step or int(frames.lengths[-1])
    usual = usual or (median_low(steps.tolist()) if len(steps) else round(1 / rate / tick))
    last = frames.ticks[-1:] + usual - frames.ticks[0]
    end_us = int(starts_us(last, tick)[0])
    zero_us = int(Fraction(int(frames.ticks[0])) * tick * SECOND_US)
    read_frames = read.count - read.skipped
    promised = None if header.frames is None else header.frames - read.skipped
    promised_us = header.length_us(zero_us, end_us, read_frames, promised, bool(read.skipped))
    step_us = max(2 * end_us // len(frames.ticks), SECOND_US // 10)
    why = read.why
    if not why and promised_us is not None and end_us + step_us < promised_us:
        why = "the file ends"
    elif not why and promised is not None and read_frames < promised:
        why = f"{promised - read_frames} frames that the index names are not there"
    return FrameTable(
        starts_us=frames.starts_us,
        ticks=frames.ticks,
        key=frames.key,
        end_us=end_us,
        promised_us=promised_us,
        stopped_us=end_us if why else None,
        damaged=read.damaged,
        stopped_why=why,
        promised=promised,
        doubled=frames.doubled,
        unshown=frames.unshown,
        absent=absent,
        step=step,
        period_us=_longest(step, absent, tick),
        restarts=(0,),
        places=tuple(frames.places.tolist()) if by_place else None,
        gaps=tuple(read.gaps) if by_place else (),
    )


def _vouched(
    table: FrameTable, read: PacketList, forms: Sequence[str], pace: Fraction, why: str
) -> FrameTable:
    """Return the table with the frames marked whose times are unreliable.

    Args:
        forms: FFmpeg's names of the file's format.
        pace: frames per tick, as the header states it.
        why: the contradiction found in the index; empty if there is none.
    """
    counts = Counter(read.ticks)
    doubled = [tick for tick, count in counts.items() if count > 1]
    decoding = None
    if not STATED.isdisjoint(forms) and None not in read.decoding:
        decoding = np.array(read.decoding, dtype=np.int64)
    unsure = doubtful(table.ticks, doubled, decoding, table.step, not RUNS.isdisjoint(forms))
    if read.bad and not _begins(table, read, pace):
        why = "the beginning of the file is lost"
    if why:
        unsure[:] = True
    places = tuple(np.flatnonzero(unsure).tolist())
    return replace(table, unsure=places, unsure_why=why, bad=read.bad)


def _counted(table: FrameTable, read: PacketList, loose: bool, whole: int | None) -> FrameTable:
    """Mark frames as unsure if their times are counted, or their order decoded, across a loss.

    Args:
        loose: the order of frames is known only from decoding.
        whole: byte up to which frames are counted reliably; None for the whole file.
    """
    out = np.zeros(len(table.ticks), dtype=bool)
    if loose:
        stopped = table.stopped_us is not None
        out |= unordered(table.ticks, table.step, read.held, stopped, read.harmed)
    if whole is not None:
        pairs = zip(read.ticks, read.bytes, strict=True)
        past = [tick for tick, place in pairs if place >= whole]
        # A frame shown after a lost frame may have been decoded before it.
        first = int(np.searchsorted(table.ticks, min(past))) if past else len(out)
        out[max(first - read.held, 0) :] |= bool(past)
    places = sorted({*table.unsure, *np.flatnonzero(out).tolist()})
    return replace(table, unsure=tuple(places))


def _begins(table: FrameTable, read: PacketList, pace: Fraction) -> bool:
    """True if the time of the first frame, from which all other times count, is reliable.

    The time is reliable if no byte before the first packet is damaged. If the damage begins at most
    ``NEAR`` bytes before that packet, its time must agree with the frames after the damage.
    """
    first, last = read.bad[0]
    if table.unshown:
        return first > read.bytes[read.ticks.index(int(table.ticks[0]))]
    if first >= read.first_byte:
        return True
    if read.first_byte - first > NEAR or not table.step:
        return False
    by = sorted(zip(read.bytes, read.ticks, strict=True))
    sound = next((tick for place, tick in by if place >= last), None)
    if sound is None:
        return False
    frames = float((sound - int(table.ticks[0])) * pace)
    return abs(frames - round(frames)) < OFF


def steady(steps: np.ndarray) -> tuple[int, int]:
    """Return the usual step of a video at a steady rate, and the number of missing frames.

    Returns:
        Step in ticks (0 where the rate varies), and missing frames.
    """
    if len(steps) < FEW:
        return 0, 0
    usual = median_low(steps.tolist())
    near = np.abs(steps - usual) <= max(1, usual // 10)
    if Fraction(int(near.sum()), len(steps)) < STEADY:
        return 0, 0
    return usual, int((np.maximum(steps + usual // 2, usual) // usual - 1).sum())


def _longest(step: int, absent: int, tick: Fraction) -> int | None:
    """Return the longest time a frame of a steady video is shown; what follows is a gap."""
    if not absent:
        return None
    return max(int(step * tick * SECOND_US) * 5 // 2, SECOND_US)
