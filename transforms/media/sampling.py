"""Which instants of a medium are looked at, and how they are dealt out to workers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ontology.errors import UserError
from ontology.times import SECOND_US, round_half_up
from transforms.media.batches import FrameTable, Samples

NEAR = Fraction(1, 4)
"""Share of a piece's length within which a better place to cut is looked for."""
LEAST = Fraction(3, 2)
"""Pieces' lengths from which on a medium is cut at all."""


def sample(table: FrameTable, rate: Fraction | None) -> Samples:
    """The instants k / rate at which a frame is on screen; every frame for None.

    On screen at a time is the last frame that starts at most half a microsecond after
    it.  A sample's time is its frame's start, or the instant k / rate where the frame is
    that of the sample before.  A gap in a recording, or in a folder's numbers, gives no
    samples.

    Args:
        rate: samples a second.

    Raises:
        UserError: the rate is not above 0.
    """
    if rate is None:
        return Samples(table.starts_us.copy(), np.arange(len(table.starts_us)))
    if rate <= 0:
        raise UserError("the sampling rate must be above 0", found=str(rate))
    grid = _grid(table, rate)
    frames = np.searchsorted(table.starts_us, grid, side="right") - 1
    on_screen = frames >= 0
    if table.period_us is not None:
        on_screen &= grid < table.starts_us[frames] + table.period_us
    grid, frames = grid[on_screen], frames[on_screen]
    fresh = np.diff(frames, prepend=-1) > 0
    return Samples(np.where(fresh, table.starts_us[frames], grid), frames)


def _grid(table: FrameTable, rate: Fraction) -> np.ndarray:
    """k / rate in microseconds, halves up, from the first frame to the end; int64."""
    first = -(-int(table.starts_us[0]) * rate // SECOND_US) if len(table.starts_us) else 0
    count = -(-table.end_us * rate // SECOND_US)
    up, down = (SECOND_US / rate).numerator, (SECOND_US / rate).denominator
    if count * 2 * up + down < 1 << 63:
        return (2 * np.arange(first, count, dtype=np.int64) * up + down) // (2 * down)
    exact = [round_half_up(k * SECOND_US / rate) for k in range(first, count)]
    return np.array(exact, dtype=np.int64)


def plan_pieces(
    table: FrameTable, samples: Samples, size: int, piece_us: int
) -> list[tuple[int, int]]:
    """Ranges of batches, first <= n < last, each for one worker.

    Cuts lie near multiples of ``piece_us``, where the first sample of a batch follows
    most closely on a frame at which decoding can begin.  They depend on the medium and
    the arguments, never on who does the work.

    Args:
        size: samples of a batch.
        piece_us: length aimed at; a medium shorter than one and a half, or one that
            cannot be sought, is one piece.
    """
    total = -(-len(samples.times_us) // size)
    if not total:
        return []
    firsts = samples.times_us[::size]
    waste = firsts - _entry_us(table, samples.frames[::size])
    cuts = [0]
    if firsts[-1] - firsts[0] >= LEAST * piece_us:
        for target in range(piece_us, int(table.end_us), piece_us):
            cut = _cut(firsts, waste, target, int(piece_us * NEAR))
            if cut is not None and cut > cuts[-1]:
                cuts.append(cut)
    return list(zip(cuts, [*cuts[1:], total], strict=True))


def _entry_us(table: FrameTable, frames: np.ndarray) -> np.ndarray:
    """Start of the last frame at or before each at which decoding can begin."""
    if table.restarts is None:
        return table.starts_us[frames]
    entries = np.asarray(table.restarts, dtype=np.int64)
    return table.starts_us[entries[np.searchsorted(entries, frames, side="right") - 1]]


def _cut(firsts: np.ndarray, waste: np.ndarray, target: int, near: int) -> int | None:
    """The batch near the target before which least is decoded in vain, or None."""
    low, high = np.searchsorted(firsts, (target - near, target + near))
    if low == high:
        return None
    order = np.lexsort((np.abs(firsts[low:high] - target), waste[low:high]))
    best = int(low + order[0])
    return best if best and waste[best] <= near else None
