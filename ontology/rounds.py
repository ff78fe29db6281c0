"""Times of streaming items: when an answer is on time.

In MedStreamBench, an answer within a tolerance of the event earns all points; a larger distance
costs points.  The two lengths over which points decrease are our choice (docs/medstream.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from surgqa.ontology.times import SECOND_US

DELTA_US = 2 * SECOND_US
"""Tolerance around the event: the time between two frames that a model is shown."""


def horizons(
    times_us: Sequence[int], event_us: int, tolerance_us: int = DELTA_US
) -> tuple[int, int]:
    """Return the lengths in microseconds over which the score of early and late answers falls to 0.

    An answer in the first round scores zero; an answer in the last round scores a little.

    Args:
        times_us: times of the rounds, ascending; at least two.
        event_us: start of the event.
    """
    step = min(after - before for before, after in pairwise(times_us))
    early = event_us - tolerance_us - times_us[0]
    late = times_us[-1] - event_us - tolerance_us + step
    return early, late
