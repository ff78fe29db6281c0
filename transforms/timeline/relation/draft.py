"""Collect the facts and gaps of some videos, and make a :class:`Relation` of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from surgqa.transforms.timeline.relation.instants import KindInstants, Runs, holes_between
from surgqa.transforms.timeline.relation.table import (
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
"""Columns that are equal in two facts that may be one; they may name different instances."""


@dataclass
class RelationDraft:
    """A relation (table of facts) to which facts and gaps are added until it is complete.

    Attributes:
        gaps: how many stretches between two annotated instants have got a number so far.
        distinct: (video, kind) for which the source itself tells instances apart.
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
        """Give numbers to new stretches between annotated instants; return the first number."""
        self.gaps += count
        return self.gaps - count

    def add_runs(self, kind: str, runs: Runs, gaps: int, **columns: np.ndarray | int) -> None:
        """Add one fact for each run, that is, for a label at neighbouring annotated instants.

        Args:
            gaps: number of the first stretch between instants, as :meth:`new_gaps` returned it;
                there is one stretch more than instants.
            columns: other columns of :class:`FactTable`, such as ``label`` and ``proof``, (R,).
        """
        times = {name: on_axis(self.video, getattr(runs, name)) for name in BORDERS}
        self.parts.append(FactTable.of({
            "video": self.video, "kind": self.codes.code(kind), **times,
            "x0": times["s0"], "x1": times["e1"], "s_gap": gaps + runs.s_gap,
            "e_gap": gaps + runs.e_gap, **columns,
        }, len(runs)))  # fmt: skip

    def add_rows(self, kind: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add single facts: ``s0 … e1`` in microseconds of the video, other columns as codes."""
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
        """Add as gaps everything outside the annotated stretches.

        Args:
            looked: int64 (L, 2), annotated stretches.
            label, subject: limit the gaps to facts with this label and subject; NONE: any.
            floor: facts of this length or longer cannot be hidden in the gaps.
        """
        code, video = self.codes.code(kind), self.video
        self.looked.add((video, kind))
        for u0, u1 in holes_between(looked).tolist():
            first, last = on_axis(video, u0).item(), on_axis(video, u1).item()
            self.holes.append((video, code, label, subject, first, last, floor))

    def add_proofs(self, proofs: Iterable[Proof]) -> np.ndarray:
        """Add references to evidence rows and return their numbers."""
        first = len(self.proofs)
        self.proofs.extend(proofs)
        return np.arange(first, len(self.proofs))

    def prove_runs(
        self, source: str, grid: KindInstants, runs: Runs, key: np.ndarray, at: np.ndarray,
        ids: Sequence[str],
    ) -> np.ndarray:  # fmt: skip
        """Add references to the evidence rows at the first and last instant of runs; return their
        numbers.

        Args:
            key, at: (N,), as given to :func:`runs_of`.
            ids: (N,), ids of the evidence rows.
        """
        places = list(zip(key.tolist(), at.tolist(), strict=True))
        # reversed: of several rows with one label at one instant, the first row is used
        who = dict(zip(reversed(places), reversed(ids), strict=True))
        times = grid.t.tolist()
        return self.add_proofs(
            (source, tuple((times[i], who[k, i]) for i in dict.fromkeys((first, last))))
            for k, first, last in zip(runs.key.tolist(), runs.first.tolist(), runs.last.tolist(),
                                      strict=True)
        )  # fmt: skip

    def finish(self) -> Relation:
        """Return the finished relation; facts that may be one fact are grouped in it."""
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
    """Return the facts with the columns ``grp``, ``x0`` and ``x1``: groups that may be one fact.

    Two facts that agree in :data:`CLASS_KEY` may be one if one ends and the other begins between
    the same two annotated instants. Chains of such facts may be one fact as well.
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
    """Return the facts, each with the earliest start and latest end in its group.

    Args:
        group: int64 (N,), a number from 0 to N - 1; facts with the same number may be one fact.
    """
    n = len(facts)
    x0, x1 = np.full(n, np.iinfo(np.int64).max), np.full(n, np.iinfo(np.int64).min)
    np.minimum.at(x0, group, facts.s0)
    np.maximum.at(x1, group, facts.e1)
    return replace(facts, grp=group.astype(np.int32), x0=x0[group], x1=x1[group])


def numbered(facts: FactTable, names: Sequence[str]) -> np.ndarray:
    """Return int64 (N,), equal numbers for facts that are equal in these columns."""
    columns = np.stack([getattr(facts, name) for name in names], axis=1)
    return np.unique(columns, axis=0, return_inverse=True)[1].reshape(-1)


def root(parent: np.ndarray | list[int], i: int) -> int:
    """Return the first element of the chain of linked elements that i belongs to."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = int(parent[i])
    return i


def roots(parent: np.ndarray | list[int]) -> np.ndarray:
    """Return int64 (N,), for each element, the first element of its chain."""
    return np.array([root(parent, i) for i in range(len(parent))], np.int64)


def union(parent: np.ndarray | list[int], i: int, j: int) -> None:
    """Join the chains that two elements belong to."""
    a, b = root(parent, i), root(parent, j)
    parent[max(a, b)] = min(a, b)
