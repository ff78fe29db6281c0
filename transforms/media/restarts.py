"""Find the frames at which a new decoder can start, and verify each one by seeking and decoding.

A stretch begins at such a frame and is decoded by a decoder without knowledge of earlier packets.
So one worker and many workers decode the same stretches and get the same frames.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

import av
import numpy as np

from surgqa.ontology.times import SECOND_US
from surgqa.transforms.media.batches import FrameTable
from surgqa.transforms.media.container import Packets, opened, picture_track
from surgqa.transforms.media.trust import Decoded, Decoder
from surgqa.transforms.media.vouched import bad_bytes
from surgqa.transforms.places import Place

APART_US = 10 * SECOND_US
"""Minimum length of a stretch: opening a file costs as much as about ten frames."""
EARLIER_US = (0, 3 * SECOND_US)
"""Offsets of seeks: first the frame, then earlier; transport stream indices are imprecise."""
MOST_PASSED = 3000
"""Maximum number of packets that may come before the one that was sought."""
FOLLOWED = 12
"""Packets from an entry point on that a strict decoder must decode."""
TRIED = 2
"""Entry points that are decoded as a test; gradual-refresh streams fail at the first ones."""


def restarts(path: Place, name: str, table: FrameTable) -> FrameTable:
    """Return the table with its entry points: frame 0, then key frames that can be sought.

    A strict decoder may treat missing earlier frames as damage; then a lenient decoder is used
    for the whole file.
    """
    wanted = _wanted(table)
    good = [0]
    failed = 0
    with opened(path, name) as container:
        stream = picture_track(container)
        while (frame := next(wanted, None)) is not None and (failed <= TRIED or len(good) > 1):
            tick = int(table.ticks[frame])
            found = entered(container, stream, tick, table.bad) is not None
            if found and len(good) <= TRIED:
                found = any(one.when == tick for one in _shown(path, name, tick, 1, False))
                strict = found and table.strict and _strict_too(path, name, tick)
                table = replace(table, strict=bool(strict) if found else table.strict)
            if found:
                good.append(frame)
                wanted = _wanted(table, frame)
            else:
                failed += 1
    return replace(table, restarts=tuple(good))


def _wanted(table: FrameTable, after: int = 0) -> Iterator[int]:
    """Key frames at least one stretch length after a frame."""
    first = np.searchsorted(table.starts_us, table.starts_us[after] + APART_US)
    return (int(first) + int(k) for k in np.flatnonzero(table.key[first:]))


def entered(
    container: av.container.InputContainer,
    stream: av.VideoStream,
    tick: int,
    bad: Sequence[Sequence[int]] = (),
) -> Iterator[av.Packet] | None:
    """Return the packets from the key frame with that presentation time on; None if not found."""
    for earlier in EARLIER_US:
        aim = tick - int(earlier / SECOND_US / stream.time_base)
        try:
            container.seek(aim, stream=stream, backward=True)
        except av.error.FFmpegError:
            continue
        source = iter(Packets(container, stream, bad=bad))
        for packet in islice(source, MOST_PASSED):
            if packet.pts == tick and packet.is_keyframe and not packet.is_corrupt:
                return chain([packet], source)
    return None


def _strict_too(path: Place, name: str, tick: int) -> bool:
    strict, lenient = (_shown(path, name, tick, FOLLOWED, way) for way in (True, False))
    return len(strict) >= len(lenient)


def _shown(path: Place, name: str, tick: int, count: int, strict: bool) -> list[Decoded]:
    """Trusted frames from the first ``count`` packets at a key frame."""
    with opened(path, name, strict) as container:
        stream = picture_track(container)
        source = entered(container, stream, tick, bad_bytes(path, container))
        if source is None:
            return []
        decoder = Decoder(stream)
        fed = (decoder.feed(packet, packet.pts) for packet in islice(source, count))
        return [d for d in chain(chain.from_iterable(fed), decoder.drain()) if d.trusted]
