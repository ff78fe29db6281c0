"""Find stretches of a video that are dark, blurred or from outside the body."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from surgqa.ontology.observed import STRETCHES
from surgqa.transforms.evidence.base import round_score
from surgqa.transforms.evidence.curate.settings import CurateSettings
from surgqa.transforms.evidence.curate.states import MEASURES, NAMES, column, ends_us, states

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
        rows.append(
            {
                "start_us": start,
                "end_us": end,
                "kind": NAMES[state],
                "label": None,
                "level": 0,
                "score": float(round_score(values.mean())),
                "source": SOURCE,
            }
        )
    return pa.Table.from_pylist(rows, schema=STRETCHES)


def runs(values: np.ndarray) -> list[tuple[int, int, int]]:
    """Return (value, first index, last index) of each run of equal values, in order."""
    if not len(values):
        return []
    starts = np.flatnonzero(np.diff(values, prepend=values[0] - 1))
    ends = np.append(starts[1:], len(values)) - 1
    return [(int(values[a]), int(a), int(b)) for a, b in zip(starts, ends, strict=True)]
