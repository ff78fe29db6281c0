"""Collecting facts and holes of several videos, and joining them to one relation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from transforms.timeline.relation.instants import Grid, Runs, holes_between
from transforms.timeline.relation.table import (
    BORDERS,
    INFINITE,
    NONE,
    Codes,
    FactTable,
    HoleTable,
    Proof,
    Recording,
    Relation,
    on_axis,
)

CLASS_KEY = ("kind", "label", "subject", "verb", "target", "rater")
"""Fields by which two facts may be one and the same: all but the instance."""


@dataclass
class Draft:
    """A relation in the making.

    Attributes:
        gaps: identities of stretches between instants given out so far.
        distinct: (video, kind) whose instances are told apart by the source itself.
    """

    codes: Codes = field(default_factory=Codes)
    recordings: list[Recording] = field(default_factory=list)
    parts: list[FactTable] = field(default_factory=list)
    holes: list[tuple[int, int, int, int, int, int, int]] = field(default_factory=list)
    looked_for: dict[tuple[int, str], dict[str, frozenset[str]]] = field(default_factory=dict)
    samples: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=list)
    proofs: list[Proof] = field(default_factory=list)
    instants: dict[int, np.ndarray] = field(default_factory=dict)
    looked: set[tuple[int, str]] = field(default_factory=set)
    gaps: int = 0

    @property
    def video(self) -> int:
        """Index of the recording that is being described."""
        return len(self.recordings) - 1

    def new_gaps(self, count: int = 1) -> int:
        """The identity of the first of some new gaps; the others count on from it."""
        self.gaps += count
        return self.gaps - count

    def add_runs(self, kind: str, runs: Runs, gaps: int, **columns: np.ndarray | int) -> None:
        """Facts of runs.

        Args:
            gaps: identity of the first gap of their grid, which has one more than instants.
            columns: codes, marks and proofs (R,).
        """
        times = {name: on_axis(self.video, getattr(runs, name)) for name in BORDERS}
        self.parts.append(FactTable.of({
            "video": self.video, "kind": self.codes.code(kind), **times,
            "x0": times["s0"], "x1": times["e1"], "s_gap": gaps + runs.s_gap,
            "e_gap": gaps + runs.e_gap, **columns,
        }, len(runs)))  # fmt: skip

    def add_rows(self, kind: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Facts one by one: ``s0 … e1`` in microseconds of the video, other columns as codes."""
        if not rows:
            return
        times = {name: on_axis(self.video, [row[name] for row in rows]) for name in BORDERS}
        self.parts.append(FactTable.of_rows(
            rows, video=self.video, kind=self.codes.code(kind), **times,
            x0=times["s0"], x1=times["e1"],
        ))  # fmt: skip

    def add_holes(
        self, kind: str, looked: np.ndarray, label: int = NONE, subject: int = NONE,
        floor: int = INFINITE,
    ) -> None:  # fmt: skip
        """Everything outside the stretches where somebody looked.

        Args:
            looked: int64 (L, 2).
            label, subject: whose holes they are; NONE: of all.
        """
        code, video = self.codes.code(kind), self.video
        self.looked.add((video, kind))
        for u0, u1 in holes_between(looked).tolist():
            first, last = on_axis(video, u0).item(), on_axis(video, u1).item()
            self.holes.append((video, code, label, subject, first, last, floor))

    def add_proofs(self, proofs: Iterable[Proof]) -> np.ndarray:
        """Numbers of new proofs."""
        first = len(self.proofs)
        self.proofs.extend(proofs)
        return np.arange(first, len(self.proofs))

    def prove_runs(
        self, source: str, grid: Grid, runs: Runs, key: np.ndarray, at: np.ndarray,
        ids: Sequence[str],
    ) -> np.ndarray:  # fmt: skip
        """Numbers of the proofs of runs: what is said at the first and last instant of each.

        Args:
            key, at: (N,), what :func:`runs_of` was given; ``ids``: who says it.
        """
        places = list(zip(key.tolist(), at.tolist(), strict=True))
        who = dict(zip(reversed(places), reversed(ids), strict=True))  # the first that says it
        times = grid.t.tolist()
        return self.add_proofs(
            (source, tuple((times[i], who[k, i]) for i in dict.fromkeys((first, last))))
            for k, first, last in zip(runs.key.tolist(), runs.first.tolist(), runs.last.tolist(),
                                      strict=True)
        )  # fmt: skip

    def finish(self) -> Relation:
        """The relation; facts that may be one are grouped."""
        parts = self.parts or [FactTable.of({}, 0)]
        facts = FactTable(**{
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in parts[0].__slots__
        })  # fmt: skip
        return Relation(
            self.codes, tuple(self.recordings), grouped(facts.by_start(self.codes)),
            HoleTable.of(self.holes), self.looked_for, self._joined_samples(), self.proofs,
            self.instants, frozenset(self.looked),
        )  # fmt: skip

    def _joined_samples(self) -> dict[str, np.ndarray]:
        none = np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros((0, 4))
        track, t, box = (np.concatenate(part) for part in zip(none, *self.samples, strict=True))
        order = np.lexsort((t, track))
        return {"track": track[order], "t": t[order], "box": box[order]}


def grouped(facts: FactTable) -> FactTable:
    """The same facts with ``grp``, ``x0`` and ``x1``.

    Two facts of one key, of which one ends in the stretch between two labels in which the other
    begins, may be one and the same, and so may chains of them.
    """
    parent = np.arange(len(facts))
    key = numbered(facts, ("video", *CLASS_KEY))
    begins: dict[tuple[int, int], list[int]] = defaultdict(list)
    for i in np.flatnonzero(facts.s_gap != NONE).tolist():
        begins[key[i], facts.s_gap[i]].append(i)
    for i in np.flatnonzero(facts.e_gap != NONE).tolist():
        for j in begins.get((key[i], facts.e_gap[i]), ()):
            union(parent, i, j)
    return reaching(facts, roots(parent))


def reaching(facts: FactTable, group: np.ndarray) -> FactTable:
    """The same facts in groups of what may be one, each with the reach of its group.

    Args:
        group: int64 (N,), a number from 0 to N - 1 that a group shares.
    """
    n = len(facts)
    x0, x1 = np.full(n, np.iinfo(np.int64).max), np.full(n, np.iinfo(np.int64).min)
    np.minimum.at(x0, group, facts.s0)
    np.maximum.at(x1, group, facts.e1)
    return replace(facts, grp=group.astype(np.int32), x0=x0[group], x1=x1[group])


def numbered(facts: FactTable, names: Sequence[str]) -> np.ndarray:
    """int64 (N,): equal where facts are equal in these columns."""
    columns = np.stack([getattr(facts, name) for name in names], axis=1)
    return np.unique(columns, axis=0, return_inverse=True)[1].reshape(-1)


def root(parent: np.ndarray | list[int], i: int) -> int:
    """The first of the chain that i belongs to."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = int(parent[i])
    return i


def roots(parent: np.ndarray | list[int]) -> np.ndarray:
    """int64 (N,): the first of the chain that each belongs to."""
    return np.array([root(parent, i) for i in range(len(parent))], np.int64)


def union(parent: np.ndarray | list[int], i: int, j: int) -> None:
    """Make two chains one."""
    a, b = root(parent, i), root(parent, j)
    parent[max(a, b)] = min(a, b)
