"""Runs of one action: merging, smoothing, and the threshold that gives a wanted number of clips."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

import numpy as np

from surgqa.ontology.errors import ValueInvalid

Run = tuple[int, int]
"""(code of the action, number of frames)."""

PUBLISHED_CLIPS = 729
"""Number of clips of SAP-Bench on the 50 videos of CholecT50."""
TOLERANCE = Fraction(1, 20)
LONGEST_THRESHOLD = 60


@dataclass(frozen=True, slots=True)
class Calibration:
    """The smallest threshold that gives about the wanted number of clips.

    Attributes:
        threshold: frames; a value for :attr:`ActionLimits.shortest`.
        tried: (threshold, number of clips) for each threshold up to the chosen one.
    """

    threshold: int
    clips: int
    target: int
    tried: tuple[Run, ...]


def runs_of(codes: np.ndarray) -> list[Run]:
    """Return the runs of equal codes, int (T,), in order."""
    if not len(codes):
        return []
    starts = np.flatnonzero(np.diff(codes, prepend=codes[0] - 1))
    lengths = np.diff([*starts, len(codes)])
    return list(zip(codes[starts].tolist(), lengths.tolist(), strict=True))


def smoothed(runs: Sequence[Run], shortest: int) -> list[Run]:
    """Return the runs, merged until each has at least ``shortest`` frames or one run is left.

    Repeatedly, the shortest run (the earliest if several are equal) takes the action of its longer
    neighbour (the earlier if equal). Neighbouring runs that now have the same action become one.
    """
    left = list(runs)
    while len(left) > 1:
        at = min(range(len(left)), key=lambda k: left[k][1])
        if left[at][1] >= shortest:
            break
        low = max(at - 1, 0)
        left[low : at + 2] = _absorbed(left[low : at + 2], at - low)
    return left


def _absorbed(runs: list[Run], at: int) -> list[Run]:
    """Join the run at an index to its longer neighbour; if equally long, to the earlier one."""
    before = runs[at - 1][1] if at else -1
    after = runs[at + 1][1] if at + 1 < len(runs) else -1
    action = runs[at - 1][0] if before >= after else runs[at + 1][0]
    return merged([*runs[:at], (action, runs[at][1]), *runs[at + 1 :]])


def merged(runs: Iterable[Run]) -> list[Run]:
    """Return the runs, with neighbours of the same action joined."""
    return [(action, sum(n for _, n in part)) for action, part in groupby(runs, lambda r: r[0])]


def calibrated(
    stretches: Iterable[Sequence[Run]],
    target: int = PUBLISHED_CLIPS,
) -> Calibration:
    """Return the smallest whole threshold that gives ``target`` clips, within ``TOLERANCE``.

    Args:
        stretches: runs of every stretch of every video, before smoothing.

    Raises:
        UserError: no threshold up to 60 s gives that number.
    """
    # The shortest run is always merged first, so a threshold can continue from the one below.
    left = [list(runs) for runs in stretches]
    tried: list[Run] = []
    for threshold in range(1, LONGEST_THRESHOLD + 1):
        left = [smoothed(runs, threshold) for runs in left]
        clips = sum(map(len, left))
        tried.append((threshold, clips))
        if abs(clips - target) <= TOLERANCE * target:
            return Calibration(threshold, clips, target, tuple(tried))
    nearest = min(tried, key=lambda one: (abs(one[1] - target), one[0]))
    raise ValueInvalid(
        f"no threshold gives a number of action clips close to {target}",
        expected=f"{target} clips, plus or minus {float(TOLERANCE):.0%}",
        found=f"{nearest[1]} with {nearest[0]} s, which is closest",
        fix="calibrate on the full labels of CholecT50, set another target, or set a threshold",
    )
