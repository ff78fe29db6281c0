"""Detect camera moves in or out: boxes of several objects that grow or shrink together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from surgqa.ontology.boxes import area
from surgqa.transforms.evidence.base import rounded
from surgqa.transforms.evidence.derive.rows import DECIMALS, Happening
from surgqa.transforms.evidence.derive.settings import CueLimits, MotionLimits
from surgqa.transforms.evidence.derive.tracks import TISSUE, BoxTrack, earlier, runs


def camera_moves(
    tracks: Sequence[BoxTrack], period_us: int, motion: MotionLimits, cues: CueLimits
) -> Iterator[Happening]:
    """Yield ``camera_in`` and ``camera_out``; the value is the common growth factor per second.

    Boxes at the frame's edge are left out: they are cut off, so their size is not known.
    """
    time, rate, is_tissue = _changes(tracks, period_us, motion, cues)
    instants, count, middle, agreed = _common(time, rate, is_tissue, cues)
    limit = float(np.log(cues.camera_growth)) / cues.camera_us * 1e6
    for sign, kind in ((1.0, "camera_in"), (-1.0, "camera_out")):
        moving = agreed & (sign * middle >= limit) & (count >= cues.camera_boxes)
        yield from _spells(instants, moving, middle, kind, period_us, motion, cues)


def _changes(
    tracks: Sequence[BoxTrack], period_us: int, motion: MotionLimits, cues: CueLimits
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return arrays over samples: time, growth rate (log of size per second), is it a tissue?"""
    parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for track in tracks:
        low, high = track.box[:, :2] > motion.border, track.box[:, 2:] < 1 - motion.border
        whole = (low & high).all(axis=1) & (area(track.box) > 0)
        time, box = track.time_us[whole], track.box[whole]
        back = earlier(time, cues.camera_us, runs(time, motion.gap(period_us)))
        span = time - time[back]
        now = np.flatnonzero((back >= 0) & (2 * span >= cues.camera_us))
        growth = np.log(area(box[now]) / area(box[back[now]])) / 2
        rate = rounded(growth / (span[now] / 1e6), DECIMALS)
        parts.append((time[now], rate, np.full(len(now), track.kind == TISSUE)))
    if not parts:
        return np.zeros(0, np.int64), np.zeros(0), np.zeros(0, bool)
    times, rates, kinds = (np.concatenate(column) for column in zip(*parts, strict=True))
    return times, rates, kinds


def _common(
    time: np.ndarray, rate: np.ndarray, is_tissue: np.ndarray, cues: CueLimits
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return times and, for each, number of boxes, median rate, and whether all change alike."""
    order = np.lexsort((rate, time))
    time, rate, is_tissue = time[order], rate[order], is_tissue[order]
    instants, first, count = np.unique(time, return_index=True, return_counts=True)
    if not len(instants):
        return instants, count, np.zeros(0), np.zeros(0, bool)
    middle = rate[first + (count - 1) // 2]
    least = np.where(middle >= 0, rate[first], -rate[first + count - 1])
    agreed = (least >= cues.camera_agree * np.abs(middle)) & np.logical_or.reduceat(
        is_tissue, first
    )
    return instants, count, middle, agreed


def _spells(
    instants: np.ndarray, moving: np.ndarray, middle: np.ndarray, kind: str, period_us: int,
    motion: MotionLimits, cues: CueLimits,
) -> Iterator[Happening]:  # fmt: skip
    """Yield the runs of times with camera motion.

    A move can be measured only about ``cues.camera_us`` after it began.
    """
    at = np.flatnonzero(moving)
    group = runs(instants[at], motion.gap(period_us))
    for number in np.unique(group).tolist():
        part = at[group == number]
        start = int(instants[part[0]]) - cues.camera_us
        rate = middle[part]
        greatest = float(rate[np.argmax(np.abs(rate))])
        yield Happening(
            start, int(instants[part[-1]]), kind, None, f"derive.{kind}", cues.camera_us,
            value=float(np.exp(greatest)), unit="1/s",
        )  # fmt: skip
