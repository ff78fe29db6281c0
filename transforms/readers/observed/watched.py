"""Find the times at which every contact of an instrument with a tissue is known and narrated.

At instants that a person reviewed, all contacts are listed. Elsewhere they are listed if the
detector was measured to miss few (:mod:`ontology.fitness`). A contact without a narrated action may
be any action, so the actions at its time are unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from surgqa.ontology.fitness import CONTACT, Fitness
from surgqa.ontology.moments import Moment
from surgqa.ontology.times import period_us
from surgqa.ontology.touching import touching
from surgqa.transforms.readers.observed.absence import away, stretched
from surgqa.transforms.readers.observed.moments import Observed, Row


def watched(seen: Observed, actions: Sequence[Moment], fitness: Fitness) -> Iterator[Moment]:
    """Yield moments ``watched`` for each interval in which all contacts are known and narrated."""
    period = period_us(seen.facts.rate or seen.facts.fps)
    times = np.array([row["time_us"] for row in seen.tables["frames"] if row["trusted"]], np.int64)
    pairs = touching(seen.tables["boxes"])
    count = np.array([len(pairs.get(time, ())) for time in times.tolist()], np.int64)
    narrated = np.array(
        [
            all(_is_narrated(*pair, actions, seen) for pair in pairs.get(time, ()))
            for time in times.tolist()
        ],
        bool,
    )
    reviewed = np.isin(times, np.array(sorted(seen.facts.reviewed_us), np.int64))
    known = narrated & (reviewed | _listed(times, count, fitness, period))
    for first, last in _runs(times, known, seen.limits.gap_periods * period):
        for channel in ("camera", "tracks"):
            yield from seen.moment("watched", channel, (first, last + 1), period, "frames.parquet",
                                   "frames", origin="tracks")  # fmt: skip


def _is_narrated(tool: Row, tissue: Row, actions: Sequence[Moment], seen: Observed) -> bool:
    """Return whether a contact is part of a narrated action."""
    time, target = tool["time_us"], seen.tissue(tissue["track"])
    return any(
        one.group == str(tool["track"]) and one.target == target
        and one.start_us - one.resolution_us <= time <= one.end_us + one.resolution_us
        for one in actions
    )  # fmt: skip


def _listed(times: np.ndarray, count: np.ndarray, fitness: Fitness, period: int) -> np.ndarray:
    """Return bool (T,), True where the detector is known to have seen all contacts of the instant.

    Args:
        times: int64 (T,).
        count: int64 (T,), number of contacts that the detector saw.
    """
    known = fitness.of(CONTACT)
    if known.guard_us is None:
        return np.zeros(len(times), bool)
    none = away(times, times[count > 0]) > known.guard_us
    return stretched(times, fitness.reach_us, period) & np.where(count > 0, known.alone, none)


def _runs(times: np.ndarray, known: np.ndarray, reach: float) -> list[tuple[int, int]]:
    """Return first and last instant of each run of known instants at most ``reach`` us apart."""
    at = np.flatnonzero(known)
    if not len(at):
        return []
    new = np.flatnonzero((np.diff(at) > 1) | (np.diff(times[at]) > reach)) + 1
    return [(int(times[run[0]]), int(times[run[-1]])) for run in np.split(at, new)]
