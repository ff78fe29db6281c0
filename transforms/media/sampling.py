"""Choose the times at which a medium is sampled, and divide them among workers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from surgqa.ontology.errors import ValueInvalid
from surgqa.ontology.times import SECOND_US, round_half_up
from surgqa.transforms.media.batches import FrameTable, Samples

WASTE = Fraction(1, 4)
"""Largest share of a piece's length that may be decoded only to reach a cut."""
SHORTEST, LONGEST = Fraction(1, 2), Fraction(3, 2)
"""Limits of a piece's length, as shares of the target; it is longer if no cut is cheap."""


def sample(table: FrameTable, rate: Fraction | None) -> Samples:
    """Sample the frames on screen at the times k / rate; all frames if ``rate`` is None.

    The frame on screen at a time is the last one that starts at most half a microsecond after
    it.  A sample's time is the start of its frame.  If the previous sample has the same frame,
    it is k / rate.  Gaps in a video, or in a folder's numbers, give no samples.

    Args:
        rate: samples per second.

    Raises:
        UserError: the rate is not above 0.
    """
    if rate is None:
        return Samples(table.starts_us.copy(), np.arange(len(table.starts_us)))
    if rate <= 0:
        raise ValueInvalid("a sampling rate is wrong", expected="a number above 0", found=str(rate))
    grid = _grid(table, rate)
    frames = np.searchsorted(table.starts_us, grid, side="right") - 1
    on_screen = frames >= 0
    if table.period_us is not None:
        on_screen &= grid < table.starts_us[frames] + table.period_us
    grid, frames = grid[on_screen], frames[on_screen]
    fresh = np.diff(frames, prepend=-1) > 0
    return Samples(np.where(fresh, table.starts_us[frames], grid), frames)


def _grid(table: FrameTable, rate: Fraction) -> np.ndarray:
    """Return times k / rate in microseconds, halves up, from the first frame to the end; int64."""
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
    """Return ranges of batches, first <= n < last, one for each piece of work.

    A piece ends about ``piece_us`` after its start, at a batch whose first sample is soon after an
    entry point. Cuts depend only on the medium and the arguments, not on the workers.

    Args:
        size: number of samples in a batch.
        piece_us: target length of a piece. A medium that is shorter than one and a half times this
            length, or that cannot be sought, is one piece.
    """
    total = -(-len(samples.times_us) // size)
    if not total:
        return []
    firsts = samples.times_us[::size]
    waste = firsts - _entry_us(table, samples.frames[::size])
    cuts = [0]
    while (cut := _cut(firsts, waste, cuts[-1], piece_us)) is not None:
        cuts.append(cut)
    return list(zip(cuts, [*cuts[1:], total], strict=True))


def _entry_us(table: FrameTable, frames: np.ndarray) -> np.ndarray:
    """Return, for each frame, the start of the last entry point up to the frame."""
    if table.restarts is None:
        return table.starts_us[frames]
    entries = np.asarray(table.restarts, dtype=np.int64)
    return table.starts_us[entries[np.searchsorted(entries, frames, side="right") - 1]]


def _cut(firsts: np.ndarray, waste: np.ndarray, since: int, piece_us: int) -> int | None:
    """Return the best batch at which to end the piece that begins at batch ``since``, or None.

    The cost of a cut is its distance from the target plus twice the time decoded for nothing. If no
    cut of acceptable length is cheap, the first later cheap cut is used.
    """
    shortest, longest = int(SHORTEST * piece_us), int(LONGEST * piece_us)
    start, last = int(firsts[since]), int(firsts[-1])
    if last - start < longest:
        return None
    low, high = np.searchsorted(firsts, (start + shortest, start + longest), side="left")
    end = int(np.searchsorted(firsts, last - shortest, side="right"))
    cheap = np.flatnonzero(waste[:end] <= WASTE * piece_us)
    fair = cheap[(cheap >= low) & (cheap <= high)]
    if fair.size:
        cost = 2 * waste[fair] + np.abs(firsts[fair] - (start + piece_us))
        return int(fair[np.argmin(cost)])
    later = cheap[cheap > high]
    return int(later[0]) if later.size else None
