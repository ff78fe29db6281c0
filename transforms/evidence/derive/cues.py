"""Detect cues that announce an action: approach, positioning, spoken intent (SurgCoT)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from surgqa.transforms.evidence.base import rounded
from surgqa.transforms.evidence.derive.pairs import Pair
from surgqa.transforms.evidence.derive.rows import DECIMALS, Happening
from surgqa.transforms.evidence.derive.settings import ContactLimits, CueLimits, DeriveSettings


def approaches(pair: Pair, contact: ContactLimits, cues: CueLimits) -> Iterator[Happening]:
    """Yield ``approach``: the distance of tool and tissue falls steadily, and they do not touch.

    An approach begins at the last time at which the distance was greatest (within the jitter). It
    ends at the last time at which the distance reached a new minimum. The value is its decrease.
    """
    away = _mean_near(pair, cues.smooth_us)
    for first, lowest in _falls(pair, away, contact.touch, cues):
        part = away[first : lowest + 1]
        top = first + int(np.flatnonzero(part >= part.max() - cues.jitter)[-1])
        fall = round(float(away[top] - away[lowest]), DECIMALS)
        start, end = int(pair.time_us[top]), int(pair.time_us[lowest])
        if end - start >= cues.approach_us and fall >= cues.approach:
            yield pair.happening("approach", "derive.approach", top, end, fall, "units")


def _mean_near(pair: Pair, span_us: int) -> np.ndarray:
    """Return float64 (M,), the mean distance within ``span_us`` / 2 of each time in its run."""
    low = np.searchsorted(pair.time_us, pair.time_us - span_us // 2, "left")
    high = np.searchsorted(pair.time_us, pair.time_us + span_us // 2, "right")
    low = np.maximum(low, np.searchsorted(pair.run, pair.run, "left"))
    high = np.minimum(high, np.searchsorted(pair.run, pair.run, "right"))
    total = np.concatenate([[0.0], np.cumsum(pair.distance)])
    return rounded((total[high] - total[low]) / (high - low), DECIMALS)


def _falls(
    pair: Pair, distance: np.ndarray, touch: float, cues: CueLimits
) -> Iterator[tuple[int, int]]:
    """Yield (first, lowest) time indices of each stretch in which the distance does not rise."""
    time, run = pair.time_us.tolist(), pair.run.tolist()
    away, gap = distance.tolist(), pair.gap.tolist()
    stall = max(cues.stall_us, pair.period_us * 3 // 2)
    first = lowest = -1
    for at, now in enumerate(away):
        if first >= 0 and (
            gap[at] <= touch or run[at] != run[lowest] or now > away[lowest] + cues.jitter
            or (now >= away[lowest] and time[at] - time[lowest] > stall)
        ):  # fmt: skip
            yield first, lowest
            first = -1
        if first < 0 and gap[at] > touch:
            first = lowest = at
        elif first >= 0 and now < away[lowest]:
            lowest = at
    if first >= 0:
        yield first, lowest


def positioned(pair: Pair, settings: DeriveSettings) -> Iterator[Happening]:
    """Yield ``positioned``: within reach, not touching, slow; the value is the least distance."""
    contact, cues = settings.contact, settings.cues
    ready = (pair.gap > contact.touch) & (pair.gap <= contact.reach)
    ready &= pair.speed < settings.motion.slow
    change = np.diff(ready.astype(np.int8), prepend=0) != 0
    group = np.cumsum(change | (np.diff(pair.run, prepend=0) != 0))
    for number in np.unique(group[ready]).tolist():
        part = np.flatnonzero(group == number)
        first, end = int(part[0]), int(pair.time_us[part[-1]])
        if end - int(pair.time_us[first]) >= cues.positioned_us:
            least = float(pair.gap[part].min())
            yield pair.happening("positioned", "derive.positioned", first, end, least, "units")


def intents(anchors: pa.Table, cues: CueLimits) -> Iterator[Happening]:
    """Yield ``intent``: speech that announces an action; the label is the action."""
    said = anchors.filter(pc.fill_null(anchors["intent"], False))
    for row in said.select(["start_us", "end_us", "action"]).to_pylist():
        if row["action"] is not None:
            yield Happening(
                row["start_us"], row["end_us"], "intent", row["action"], "derive.intent",
                cues.speech_us,
            )  # fmt: skip
