"""Presences that a model saw: what it did not see is absent only where that is known.

Each class has instants of its own, those at which it is seen or known to be absent, so the border
of a presence lies as far out as the nearest instant of certain absence.  Each instance has its own
as well: where its class is seen and more of it may be in view, nothing is known of the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ontology.absence import Absence
from transforms.timeline.relation.draft import Draft
from transforms.timeline.relation.instants import Grid, Runs, runs_of
from transforms.timeline.timeline import Timeline


@dataclass(frozen=True, slots=True, eq=False)
class Instances:
    """K tracks as facts have them: arrays (K,).

    Attributes:
        track: int32, code of the track.
        t0, t1: int64, from when to when it is certainly there.
    """

    track: np.ndarray
    t0: np.ndarray
    t1: np.ndarray

    def of(self, index: np.ndarray) -> dict[str, np.ndarray]:
        """Columns of facts: of which track each is, by its number."""
        return {name: getattr(self, name)[index] for name in self.__slots__}


def add_sightings(draft: Draft, timeline: Timeline, absence: Absence, instances: Instances) -> None:
    """Facts of kind ``instrument`` and the holes of each class."""
    table, period = timeline.table, timeline.video.period_us
    for column, name in enumerate(absence.labels):
        label = draft.codes.code(name)
        code = table.labels.index(name) if name in table.labels else len(table.labels)
        mine = np.flatnonzero(table.label == code)
        settled = absence.gone[:, column].copy()
        seen = np.unique(table.sample[mine])
        settled[seen] = absence.alone[seen, column]
        stops = np.flatnonzero(settled)
        gaps = draft.new_gaps(len(stops) + 1)
        draft.add_holes("instrument", Grid(table.instants_us[stops], period).looked(),
                        label=label, subject=label)  # fmt: skip
        for rows, grid, at, runs in _tracked(timeline, mine, settled):
            ids = [timeline.event_ids[row] for row in rows.tolist()]
            proofs = draft.prove_runs("events", grid, runs, np.zeros_like(at), at, ids)
            draft.add_runs("instrument", _between(runs, grid, table.instants_us[stops]), gaps,
                           label=label, subject=label, proof=proofs,
                           **instances.of(timeline.tracks.of_row[rows[0]]))  # fmt: skip


def _tracked(
    timeline: Timeline, mine: np.ndarray, settled: np.ndarray
) -> Iterator[tuple[np.ndarray, Grid, np.ndarray, Runs]]:
    """(rows, grid, places in the grid, runs) of each track of a class.

    Args:
        mine: int64 (M,), rows of the class.
        settled: bool (T,): all that is in view of the class is listed.
    """
    table, of_row = timeline.table, timeline.tracks.of_row
    for track in np.unique(of_row[mine]).tolist():
        rows = mine[of_row[mine] == track]
        known = settled.copy()
        known[table.sample[rows]] = True
        places = np.cumsum(known) - 1
        grid = Grid(table.instants_us[known], timeline.video.period_us)
        at = places[table.sample[rows]]
        yield rows, grid, at, runs_of(grid, np.zeros_like(at), at)


def _between(runs: Runs, grid: Grid, stops_us: np.ndarray) -> Runs:
    """The runs, their gaps numbered by the instants at which all of the class is listed.

    Two runs between which there is no such instant may be one.
    """
    return replace(
        runs,
        s_gap=np.searchsorted(stops_us, grid.t[runs.first], side="left"),
        e_gap=np.searchsorted(stops_us, grid.t[runs.last], side="right"),
    )
