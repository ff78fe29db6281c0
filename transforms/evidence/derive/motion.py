"""Find an instrument's tip, its speed, the peaks of its speed, and its stops.

The tip: a track whose boxes mostly touch the frame's edge shows whole instruments.  The shaft
enters at the touched side, or at the common corner of two touched sides.  The tip is the opposite
point of the box (a corner, or the middle of the far side).  With masks, it is the mask's point
farthest from the middle of the mask's part at the edge.  If a box does not touch the
edge, the shaft is taken to enter where it did in the last earlier box that does, or in the next
one if there is no earlier one.  A track whose boxes mostly do not touch the edge shows tips, and
the tip is the centre of the box.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from surgqa.ontology.boxes import centres, distance
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.evidence.base import rounded
from surgqa.transforms.evidence.derive import masks as outlines
from surgqa.transforms.evidence.derive.rows import DECIMALS, Happening, box_of
from surgqa.transforms.evidence.derive.settings import MotionLimits
from surgqa.transforms.evidence.derive.tracks import BoxTrack, earlier, runs

UNIT = "units/s"


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """Motion of one track; N samples as in the track.

    Attributes:
        tip_xy: float64 (N, 2).
        tip_box: float64 (N, 4), the part that can touch a tissue. If the box shows only the tip, it
            is the box; otherwise it is the tip as a box without extent.
        run: int64 (N,), number of the run of samples without a long gap.
        speed: float64 (N,), units per second over about ``base_us``, median of three
            neighbours; NaN if there is no sample at least half of ``base_us`` before.
    """

    tip_xy: np.ndarray
    tip_box: np.ndarray
    run: np.ndarray
    speed: np.ndarray


def motion_of(track: BoxTrack, masks: pa.Table, period_us: int, limits: MotionLimits) -> Motion:
    """Return tips and speeds of a track; the tip of a tissue is its centre."""
    tip_xy, tip_box = tips(track, masks, limits)
    run = runs(track.time_us, limits.gap(period_us))
    return Motion(tip_xy, tip_box, run, smooth_speed(track.time_us, tip_xy, run, limits))


def smooth_speed(
    time_us: np.ndarray, point_xy: np.ndarray, run: np.ndarray, limits: MotionLimits
) -> np.ndarray:
    """Return float64 (N,), the speed of (N, 2) points as :class:`Motion` defines it."""
    back = earlier(time_us, limits.base_us, run)
    span = time_us - time_us[back]
    known = (back >= 0) & (2 * span >= limits.base_us)
    speed = np.full(len(time_us), np.nan)
    now = np.flatnonzero(known)
    moved = distance(point_xy[now], point_xy[back[now]])
    speed[now] = moved / (span[now] / SECOND_US)
    return rounded(_median3(speed, run), DECIMALS)


def _median3(values: np.ndarray, run: np.ndarray) -> np.ndarray:
    """Return the medians of each value and its two neighbours.

    The value itself stands in for a neighbour that is NaN or in another run.
    """
    if not len(values):
        return values
    before, after = np.roll(values, 1), np.roll(values, -1)
    new = np.concatenate([[True], np.diff(run) != 0])
    last = np.concatenate([new[1:], [True]])
    before = np.where(new | np.isnan(before), values, before)
    after = np.where(last | np.isnan(after), values, after)
    return np.sort(np.stack([before, values, after]), axis=0)[1]


def tips(track: BoxTrack, masks: pa.Table, limits: MotionLimits) -> tuple[np.ndarray, np.ndarray]:
    """Return ``tip_xy`` and ``tip_box`` of :class:`Motion`."""
    if track.kind != "instrument":
        return centres(track.box), track.box
    rows = outlines.rows_of(masks, track)
    masked = rows >= 0
    if len(rows) and masked.mean() >= limits.masked_share:
        tip = _mask_tips(masks, rows, masked, limits)
        if tip is not None:
            # The tip of a sample without a mask is interpolated between its neighbours.
            known = np.flatnonzero(masked)
            for axis in range(2):
                tip[:, axis] = np.interp(track.time_us, track.time_us[known], tip[known, axis])
            return tip, np.concatenate([tip, tip], axis=1)
    return _box_tips(track.box, limits)


def _mask_tips(
    masks: pa.Table, rows: np.ndarray, masked: np.ndarray, limits: MotionLimits
) -> np.ndarray | None:
    """Return float64 (N, 2), tips from masks (else NaN); None if most masks are not at the edge."""
    entry = outlines.entries(masks, rows[masked], limits.border)
    coming = ~np.isnan(entry[:, 0])
    if coming.mean() < limits.entering_share:
        return None
    tip = np.full((len(rows), 2), np.nan)
    tip[masked] = outlines.far_ends(masks, rows[masked], entry[_held(coming)])
    return tip


def _box_tips(box: np.ndarray, limits: MotionLimits) -> tuple[np.ndarray, np.ndarray]:
    low, high = box <= limits.border, box >= 1 - limits.border
    side = high[:, 2:].astype(np.int64) - low[:, :2]
    touching = (side != 0).any(axis=1)
    middle = centres(box)
    if not len(box) or touching.mean() < limits.entering_share:
        return middle, box
    tip = middle - side[_held(touching)] * (box[:, 2:] - box[:, :2]) / 2
    return tip, np.concatenate([tip, tip], axis=1)


def _held(known: np.ndarray) -> np.ndarray:
    """Return int64 (N,): for each sample, the index of the last sample up to it with a known entry
    point of the instrument; before the first such sample, the index of the first.
    """
    index = np.where(known, np.arange(len(known)), -1)
    held = np.maximum.accumulate(index)
    return np.where(held < 0, int(np.argmax(known)), held)


def peaks(track: BoxTrack, motion: Motion, limits: MotionLimits) -> Iterator[Happening]:
    """Yield speed peaks: at least ``limits.fast``, and the highest speed within ``peak_us``."""
    speed = np.nan_to_num(motion.speed, nan=-1.0)
    time = track.time_us
    for at in np.flatnonzero(speed >= limits.fast).tolist():
        near = slice(
            int(np.searchsorted(time, time[at] - limits.peak_us, "left")),
            int(np.searchsorted(time, time[at] + limits.peak_us, "right")),
        )
        if near.start + int(np.argmax(speed[near])) == at:
            yield _moment(track, at, int(time[at]), "speed_peak", float(speed[at]))


def stops(
    track: BoxTrack, motion: Motion, period_us: int, limits: MotionLimits
) -> Iterator[Happening]:
    """Yield stops: from speed below ``still``, after motion, to speed ``slow`` or the run's end."""
    time, speed, run = track.time_us.tolist(), motion.speed.tolist(), motion.run.tolist()
    moved, since = False, -1
    for at, now in enumerate(speed):
        ended = at + 1 == len(run) or run[at + 1] != run[at]
        if since < 0 and moved and now < limits.still:
            since = at
        if since >= 0 and (now >= limits.slow or ended):
            until = time[at] if now >= limits.slow else time[at] + period_us
            if until - time[since] >= limits.stop_us:
                yield _moment(track, since, until, "stop", speed[since])
            since = -1
        moved = (moved or now >= limits.slow) and not ended


def _moment(track: BoxTrack, at: int, end_us: int, kind: str, value: float) -> Happening:
    time = int(track.time_us[at])
    resolution = time - int(track.time_us[at - 1]) if at else None
    return Happening(
        time, end_us, kind, track.label, f"derive.{kind}", resolution,
        track.number, None, box_of(track.box[at]), value, UNIT,
    )  # fmt: skip
