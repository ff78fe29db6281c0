"""Cut clips of 20-30 s (as in SurgSTU), so that all annotated time is in a clip or reported.

A *stretch* of annotated time ends where two annotated instants are more than 1.5 label periods
apart; it lasts from its first instant to its last plus one period.  A stretch of D seconds shorter
than 20 s gives no clip.  Otherwise ``n = clamp(round(D / 25), ceil(D / 30), floor(D / 20))`` equal
parts are cut at whole seconds.  If no n is possible (30 s < D < 40 s), the first 30 s become one
clip and the rest is left over.  SurgSTU does not state its rule.  This rule covers as much as
possible, keeps the lengths in range and gives whole-second names as in the published examples.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from surgqa.ontology.keys import digest
from surgqa.ontology.records import Books, Clock, Code, Rejected, Video, Window
from surgqa.ontology.times import SECOND_US, print_seconds


@dataclass(frozen=True, slots=True)
class ClipLimits:
    """Clip lengths in us; instants more than ``gap_periods`` periods apart are separated."""

    shortest_us: int = 20 * SECOND_US
    longest_us: int = 30 * SECOND_US
    aim_us: int = 25 * SECOND_US
    gap_periods: float = 1.5


@dataclass(frozen=True, slots=True)
class Cut:
    """Clips of one video, annotated time without a clip, and the sums of both in microseconds."""

    windows: tuple[Window, ...]
    rejected: tuple[Rejected, ...]
    books: Books


def stretches(instants_us: np.ndarray, period_us: int, gap_periods: float) -> list[tuple[int, int]]:
    """Return (start_us, end_us), half open, of each longest stretch of annotated time."""
    if not len(instants_us):
        return []
    breaks = np.flatnonzero(np.diff(instants_us) > gap_periods * period_us)
    starts = instants_us[np.concatenate([[0], breaks + 1])].tolist()
    ends = instants_us[np.concatenate([breaks, [len(instants_us) - 1]])].tolist()
    return [(s, e + period_us) for s, e in zip(starts, ends, strict=True)]


def clip_bounds(duration_us: int, limits: ClipLimits) -> list[tuple[int, int]]:
    """Return (start_us, end_us) of clips, from a stretch's start; they may not cover all of it."""
    if duration_us < limits.shortest_us:
        return []
    fewest = -(-duration_us // limits.longest_us)
    most = duration_us // limits.shortest_us
    if fewest > most:
        return [(0, limits.longest_us)]
    nearest = (2 * duration_us + limits.aim_us) // (2 * limits.aim_us)
    n = min(max(nearest, fewest), most)
    exact = [i * duration_us // n for i in range(n)]
    for marks in ([m // SECOND_US * SECOND_US for m in exact], exact):
        bounds = list(pairwise([*marks, duration_us]))
        if all(limits.shortest_us <= b - a <= limits.longest_us for a, b in bounds):
            break
    return bounds


def _no_clock(video: Video, start: int, end: int) -> Rejected:
    where = f"pictures {start // video.period_us} to {end // video.period_us - 1}"
    reason = "the dataset does not tell when its pictures were taken, so no clip can be cut"
    return Rejected("cut", video.key, Code.NO_CLOCK, reason, where, end - start)


def cut_clips(video: Video, instants_us: np.ndarray, limits: ClipLimits | None = None) -> Cut:
    """Cut all clips of one video.

    Args:
        instants_us: int64 (T,), annotated instants, ascending.
    """
    limits = limits or ClipLimits()
    windows, rejected, total = [], [], 0
    for start, end in stretches(instants_us, video.period_us, limits.gap_periods):
        total += end - start
        if video.clock != Clock.TIME:
            rejected.append(_no_clock(video, start, end))
            continue
        bounds = clip_bounds(end - start, limits)
        spans = [(start + a, start + b) for a, b in bounds]
        windows += [Window("clip", digest("clip", video.key, *span), *span) for span in spans]
        left = end - start - sum(b - a for a, b in bounds)
        if left:
            rejected.append(_left_over(video, start, end, left, bool(bounds), limits))
    kept = sum(w.duration_us for w in windows)
    lost = sum(r.count for r in rejected)
    return Cut(tuple(windows), tuple(rejected), Books("cut", "microseconds", total, kept, lost))


def _left_over(video, start, end, left, has_clip, limits) -> Rejected:
    where = f"{print_seconds(start)}-{print_seconds(end)} s"
    if has_clip:
        length = f"{limits.shortest_us // SECOND_US}-{limits.longest_us // SECOND_US} s"
        reason = f"rest of a stretch that no number of clips of {length} divides"
        return Rejected("cut", video.key, Code.LEFT_OVER, reason, where, left)
    reason = f"stretch of annotated time shorter than {limits.shortest_us // SECOND_US} s"
    return Rejected("cut", video.key, Code.TOO_SHORT, reason, where, left)
