"""Interpolate missing boxes of a track at sampled instants between two of its boxes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surgqa.ontology.records import UNKNOWN


@dataclass(frozen=True, slots=True, eq=False)
class Bridges:
    """B interpolated boxes by (track, instant).

    Attributes:
        sample: int64 (B,), index into the sampled instants.
        track: int32 (B,).
        box_xyxy: float64 (B, 4).
        before: int64 (B,), row of the track's box before.
        after: int64 (B,), row of the track's next box.
    """

    sample: np.ndarray
    track: np.ndarray
    box_xyxy: np.ndarray
    before: np.ndarray
    after: np.ndarray


def bridge(
    times_us: np.ndarray,
    sample: np.ndarray,
    track: np.ndarray,
    box_xyxy: np.ndarray,
    within_us: int,
) -> Bridges:
    """Boxes interpolated linearly in time over gaps of at most ``within_us`` between two boxes.

    Args:
        times_us: int64 (T,), all sampled instants, ascending.
        sample: (N,), index into the instants; a track has one box at each.
        track: (N,), UNKNOWN for boxes that are ignored.
        box_xyxy: float64 (N, 4).
    """
    rows = np.flatnonzero(track != UNKNOWN)
    rows = rows[np.lexsort([sample[rows], track[rows]])]
    left, right = rows[:-1], rows[1:]
    missed = sample[right].astype(np.int64) - sample[left] - 1
    gap = times_us[sample[right]] - times_us[sample[left]]
    use = (track[left] == track[right]) & (missed > 0) & (gap <= within_us)
    left, right, missed = left[use], right[use], missed[use]
    before, after = np.repeat(left, missed), np.repeat(right, missed)
    step = np.arange(len(before)) - np.repeat(np.cumsum(missed) - missed, missed)
    at = sample[before].astype(np.int64) + 1 + step
    start, end = times_us[sample[before]], times_us[sample[after]]
    share = ((times_us[at] - start) / (end - start))[:, None]
    box = box_xyxy[before] + (box_xyxy[after] - box_xyxy[before]) * share
    return Bridges(at, track[before].astype(np.int32), box, before, after)
