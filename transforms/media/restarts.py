"""Frames at which a fresh decoder can begin: found, sought and tried, not believed.

Pictures are decoded in stretches that begin at such a frame, each by a decoder that
knows nothing of what came before.  So a video decoded by one worker and the same video
decoded by many give the same pictures: both decode the same stretches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

import av
import numpy as np

from ontology.times import SECOND_US
from transforms.media.batches import FrameTable
from transforms.media.container import Packets, opened, picture_track
from transforms.media.trust import Decoded, Decoder
from transforms.media.vouched import bad_bytes
from transforms.places import Place

APART_US = 10 * SECOND_US
"""Stretches are at least this long: opening a file costs as much as some ten frames."""
EARLIER_US = (0, 3 * SECOND_US)
"""Seeks aim at the frame, then before it: indices of transport streams are rough."""
MOST_PASSED = 3000
"""Packets that may come back before the one that was sought."""
FOLLOWED = 12
"""Packets from a point of entry on that a strict decoder must pass."""
TRIED = 2
"""Points of entry that are decoded; streams that refresh bit by bit show it at once."""


def restarts(path: Place, name: str, table: FrameTable) -> FrameTable:
    """The table with its points of entry: frame 0, then key frames that can be sought.

    A strict decoder may take it for damage that what came before an entry is not there;
    then it is not used.
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
                found = _decodes(path, name, tick)
                strict = found and table.strict and _strict_too(path, name, tick)
                table = replace(table, strict=bool(strict) if found else table.strict)
            if found:
                good.append(frame)
                wanted = _wanted(table, frame)
            else:
                failed += 1
    return replace(table, restarts=tuple(good))


def _wanted(table: FrameTable, after: int = 0) -> Iterator[int]:
    """Key frames at least a stretch after a frame."""
    first = np.searchsorted(table.starts_us, table.starts_us[after] + APART_US)
    return (int(first) + int(k) for k in np.flatnonzero(table.key[first:]))


def entered(
    container: av.container.InputContainer,
    stream: av.VideoStream,
    tick: int,
    bad: Sequence[Sequence[int]] = (),
) -> Iterator[av.Packet] | None:
    """Packets from the key frame of that presentation time on; None where it is not found."""
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


def _decodes(path: Place, name: str, tick: int) -> bool:
    """Whether a fresh decoder shows this frame whole."""
    return any(shown.when == tick for shown in _shown(path, name, tick, 1, False))


def _strict_too(path: Place, name: str, tick: int) -> bool:
    strict, lenient = (_shown(path, name, tick, FOLLOWED, way) for way in (True, False))
    return len(strict) >= len(lenient)


def _shown(path: Place, name: str, tick: int, count: int, strict: bool) -> list[Decoded]:
    """Trusted frames of the first packets from a key frame on."""
    with opened(path, name, strict) as container:
        stream = picture_track(container)
        source = entered(container, stream, tick, bad_bytes(path, container))
        if source is None:
            return []
        decoder = Decoder(stream)
        fed = (decoder.feed(packet, packet.pts) for packet in islice(source, count))
        return [d for d in chain(chain.from_iterable(fed), decoder.drain()) if d.trusted]
