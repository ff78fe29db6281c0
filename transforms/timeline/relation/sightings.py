"""Facts from a model's detections: when an object is in view.

An object that was not detected counts as absent only at instants at which its absence is known.
Each class has its own instants: those at which it is detected or known to be absent. The start and
end of a fact are therefore known up to the nearest instant with certain absence. Each single object
has its own instants too: while its class is detected and more of the class may be in view, nothing
is known about the other objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from surgqa.ontology.records import InstrumentTable
from surgqa.transforms.timeline.relation.draft import RelationDraft
from surgqa.transforms.timeline.relation.instants import KindInstants, Runs, runs_of


@dataclass(frozen=True, slots=True, eq=False)
class Instances:
    """K tracks (single objects), as columns of facts: arrays (K,).

    Attributes:
        track: int32, code of the track.
        t0, t1: int64, start and end of the time in which the object is certainly in view.
    """

    track: np.ndarray
    t0: np.ndarray
    t1: np.ndarray

    def of(self, index: np.ndarray) -> dict[str, np.ndarray]:
        """Return columns of facts: for each fact, the data of track number ``index``."""
        return {name: getattr(self, name)[index] for name in self.__slots__}


@dataclass(frozen=True, slots=True, eq=False)
class Sighted:
    """The detections of one kind of fact.

    Attributes:
        kind: kind of the facts.
        source: evidence table whose rows the detections are.
        table: the detections as an instrument table, with ``absence``.
        ids: ids of the rows in the evidence table.
        of_row: int (N,), track of each row.
        instances: the tracks; None if facts are about a class and tell no objects apart.
    """

    kind: str
    source: str
    table: InstrumentTable
    ids: Sequence[str]
    of_row: np.ndarray
    period_us: int
    instances: Instances | None = None


def add_sightings(draft: RelationDraft, seen: Sighted) -> None:
    """Add the facts to the draft, and for each class the gaps in which nothing is known of it."""
    table, absence = seen.table, seen.table.absence
    assert absence is not None
    for column, name in enumerate(absence.labels):
        label = draft.codes.code(name)
        named = {"label": label} if seen.instances is None else {"label": label, "subject": label}
        code = table.labels.index(name) if name in table.labels else len(table.labels)
        mine = np.flatnonzero(table.label == code)
        settled = absence.gone[:, column].copy()
        there = np.unique(table.sample[mine])
        settled[there] = absence.alone[there, column]
        stops = np.flatnonzero(settled)
        gaps = draft.new_gaps(len(stops) + 1)
        looked = KindInstants(table.instants_us[stops], seen.period_us)
        draft.add_holes(seen.kind, looked.looked(), **named)
        for rows, grid, at, runs in _tracked(seen, mine, settled):
            ids = [seen.ids[row] for row in rows.tolist()]
            proofs = draft.prove_runs(seen.source, grid, runs, np.zeros_like(at), at, ids)
            own = {} if seen.instances is None else seen.instances.of(seen.of_row[rows[0]])
            draft.add_runs(seen.kind, _between(runs, grid, table.instants_us[stops]), gaps,
                           proof=proofs, **named, **own)  # fmt: skip


def _tracked(
    seen: Sighted, mine: np.ndarray, settled: np.ndarray
) -> Iterator[tuple[np.ndarray, KindInstants, np.ndarray, Runs]]:
    """Yield, for each track of a class: its rows, its instants, each row's instant, its runs.

    A run is the time in which a track is seen at one instant after the other.

    Args:
        mine: int64 (M,), rows of the class.
        settled: bool (T,), True at instants at which all objects of the class in view are listed.
    """
    table, of_row = seen.table, seen.of_row
    for track in np.unique(of_row[mine]).tolist():
        rows = mine[of_row[mine] == track]
        known = settled.copy()
        known[table.sample[rows]] = True
        places = np.cumsum(known) - 1
        grid = KindInstants(table.instants_us[known], seen.period_us)
        at = places[table.sample[rows]]
        yield rows, grid, at, runs_of(grid, np.zeros_like(at), at)


def _between(runs: Runs, grid: KindInstants, stops_us: np.ndarray) -> Runs:
    """Return the runs, with new numbers for the times between the instants ``stops_us``.

    At these instants, the class is fully listed. Two runs without such an instant between them end
    and start in a time with the same number, and may be one fact.
    """
    return replace(
        runs,
        s_gap=np.searchsorted(stops_us, grid.t[runs.first], side="left"),
        e_gap=np.searchsorted(stops_us, grid.t[runs.last], side="right"),
    )
