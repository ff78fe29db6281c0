"""Classify each sample of a video as dark, from outside the body, blurred, or good."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from surgqa.transforms.evidence.curate.settings import CurateSettings

UNKNOWN, GOOD, DARK, OUTSIDE, BLURRED = range(5)
NAMES = {DARK: "dark", OUTSIDE: "outside", BLURRED: "blurred"}
MEASURES = {DARK: "dark_share", OUTSIDE: "inside", BLURRED: "sharpness"}


def column(table: pa.Table, name: str) -> np.ndarray:
    """Return a numeric column as float64, NaN for null."""
    return table[name].to_numpy(zero_copy_only=False).astype(np.float64)


def states(frames: pa.Table, settings: CurateSettings) -> np.ndarray:
    """Return int8 (F,), one of the states above; a dark frame never counts as outside or blurred.

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
