"""Times of streaming items: when an answer counts as being on time.

MedStreamBench states that an answer within a tolerance of the event earns all, and that
distance costs; the two lengths over which the rest decays are ours (docs/medstream.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ontology.times import SECOND_US

DELTA_US = 2 * SECOND_US
"""Tolerance around the event: the distance of two pictures that a model is shown."""


def horizons(
    times_us: Sequence[int], event_us: int, tolerance_us: int = DELTA_US
) -> tuple[int, int]:
    """Lengths in microseconds over which an early and a late answer lose their worth.

    An answer in the first round earns nothing, one in the last round a little.

    Args:
        times_us: times of the rounds, ascending, two at least.
        event_us: when the event begins.
    """
    step = min(after - before for before, after in pairwise(times_us))
    early = event_us - tolerance_us - times_us[0]
    late = times_us[-1] - event_us - tolerance_us + step
    return early, late
