"""Classify each sample of a video as dark, from outside the body, blurred, or good."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from surgqa.transforms.evidence.base import round_score
from surgqa.transforms.evidence.curate.settings import CurateSettings
from surgqa.transforms.evidence.derive.rows import StretchRow, stretches_table

UNKNOWN, GOOD, DARK, OUTSIDE, BLURRED = range(5)
NAMES = {DARK: "dark", OUTSIDE: "outside", BLURRED: "blurred"}
MEASURES = {DARK: "dark_share", OUTSIDE: "inside", BLURRED: "sharpness"}


def column(table: pa.Table, name: str) -> np.ndarray:
    """Return a numeric column as float64, NaN for null."""
    return table[name].to_numpy(zero_copy_only=False).astype(np.float64)


def states(frames: pa.Table, settings: CurateSettings) -> np.ndarray:
    """Return int8 (F,), the state of each frame; a dark frame is never outside or blurred too.

    Args:
        frames: rows of ``FRAMES``.
    """
    dark = column(frames, "dark_share") >= settings.dark
    outside = column(frames, "inside") < settings.outside
    blurred = column(frames, "sharpness") < settings.blurred
    known = frames["trusted"].to_numpy(zero_copy_only=False).astype(bool)
    known &= ~np.isnan(column(frames, "dark_share"))
    chosen = np.select([~known, dark, outside, blurred], [UNKNOWN, DARK, OUTSIDE, BLURRED], GOOD)
    return chosen.astype(np.int8)


def ends_us(times_us: np.ndarray) -> np.ndarray:
    """Return the end of each sample, where the next one begins; the last has the median length."""
    steps = np.diff(times_us)
    last = int(np.median(steps)) if len(steps) else 0
    return np.append(times_us[1:], times_us[-1:] + last)


SOURCE = "curate"


def stretches(frames: pa.Table, settings: CurateSettings) -> pa.Table:
    """Return the runs of dark, outside and blurred frames, rows of ``STRETCHES``.

    ``score`` is the mean of the measure that defines the state: the dark share, the likeness
    to the inside of a body, or the sharpness.

    Args:
        frames: rows of ``FRAMES`` of one whole video.
    """
    times = frames["time_us"].to_numpy()
    rows = []
    for state, first, last in runs(states(frames, settings)):
        start, end = int(times[first]), int(ends_us(times)[last])
        if state not in NAMES or end - start < settings.least_stretch_us:
            continue
        values = column(frames, MEASURES[state])[first : last + 1]
        score = float(round_score(values.mean()))
        rows.append(StretchRow(start, end, NAMES[state], None, 0, score, SOURCE))
    return stretches_table(rows)


def runs(values: np.ndarray) -> list[tuple[int, int, int]]:
    """Return (value, first index, last index) of each run of equal values, in order."""
    if not len(values):
        return []
    starts = np.flatnonzero(np.diff(values, prepend=values[0] - 1))
    ends = np.append(starts[1:], len(values)) - 1
    return [(int(values[a]), int(a), int(b)) for a, b in zip(starts, ends, strict=True)]
