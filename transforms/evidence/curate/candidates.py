"""Find pairs of videos whose frame hashes share parts at one time shift."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from surgqa.ontology.times import SECOND_US
from surgqa.transforms.evidence.curate.settings import DuplicateSettings

PIECES = ((0, 21), (21, 21), (42, 22))
"""(lowest bit, bits): two hashes that differ in up to 2 bits share at least one of the parts."""

VIDEO_BITS, SHIFT_BITS = 21, 20
"""Two million videos, and shifts of up to six days, fit into one 64-bit number."""
VIDEO_MASK = (1 << VIDEO_BITS) - 1
SHIFT_MASK, SHIFT_ZERO = (1 << SHIFT_BITS) - 1, 1 << (SHIFT_BITS - 1)


@dataclass(frozen=True, slots=True, eq=False)
class FrameHashes:
    """Frame hashes of one video: int64 (F,) ascending times and uint64 (F,) hashes."""

    times_us: np.ndarray
    codes: np.ndarray


def candidates(
    videos: Sequence[FrameHashes], settings: DuplicateSettings
) -> dict[tuple[int, int], tuple[int, ...]]:
    """Return shifts in microseconds (time in the first minus time in the second) for pairs i < j.

    The work grows with the number of frames and of shared parts, not with pairs of videos.
    """
    votes = [vote for low, bits in PIECES for vote in _votes(videos, low, bits, settings)]
    if not votes:
        return {}
    cells, counts = np.unique(np.concatenate(votes), return_counts=True)
    # The samples of two copies can lie on both sides of a whole second of shift.
    agreed = counts + _count_at(cells, counts, cells - 1) + _count_at(cells, counts, cells + 1)
    enough = agreed >= settings.votes
    pairs, shifts = cells[enough] >> SHIFT_BITS, (cells[enough] & SHIFT_MASK) - SHIFT_ZERO
    found: dict[tuple[int, int], list[int]] = {}
    for index in np.lexsort((shifts, np.abs(shifts), -agreed[enough], pairs)).tolist():
        pair = (int(pairs[index]) >> VIDEO_BITS, int(pairs[index]) & VIDEO_MASK)
        tried = found.setdefault(pair, [])
        if len(tried) < settings.shifts:
            tried.append(int(shifts[index]) * SECOND_US)
    return {pair: tuple(tried) for pair, tried in found.items()}


def _count_at(cells: np.ndarray, counts: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    place = np.minimum(np.searchsorted(cells, wanted), len(cells) - 1)
    return np.where(cells[place] == wanted, counts[place], 0)


def _votes(
    videos: Sequence[FrameHashes], low: int, bits: int, settings: DuplicateSettings
) -> list[np.ndarray]:
    """Return int64 arrays, whose numbers encode i, j and the shift in whole seconds."""
    pieces, owners, times = _first_uses(videos, low, bits)
    order = np.lexsort((times, owners, pieces))
    pieces, owners, times = pieces[order], owners[order], times[order]
    starts = np.flatnonzero(np.append(True, pieces[1:] != pieces[:-1])) if len(pieces) else []
    sizes = np.diff(np.append(starts, len(pieces)))
    votes = []
    for size in range(2, settings.crowd + 1):
        groups = np.asarray(starts)[sizes == size]
        if not len(groups):
            continue
        a, b = np.triu_indices(size, 1)
        first, second = (groups[:, None] + a).reshape(-1), (groups[:, None] + b).reshape(-1)
        shift = (times[first] - times[second] + SECOND_US // 2) // SECOND_US
        pair = (owners[first] << VIDEO_BITS) | owners[second]
        votes.append((pair << SHIFT_BITS) | (shift + SHIFT_ZERO))
    return votes


def _first_uses(
    videos: Sequence[FrameHashes], low: int, bits: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return each video's distinct parts, with the video and the time of first use."""
    pieces, owners, times = [], [], []
    for number, video in enumerate(videos):
        values = (video.codes >> np.uint64(low)) & np.uint64((1 << bits) - 1)
        unique, first = np.unique(values, return_index=True)
        pieces.append(unique.astype(np.int64))
        times.append(video.times_us[first])
        owners.append(np.full(len(unique), number, dtype=np.int64))
    if not pieces:
        empty = np.zeros(0, dtype=np.int64)
        return empty, empty, empty
    return np.concatenate(pieces), np.concatenate(owners), np.concatenate(times)
