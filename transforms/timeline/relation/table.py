"""The columns of the relation: facts, gaps (stretches that nobody annotated), and videos.

A border is the start or the end of a fact.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import Any, Self, TypeVar

import numpy as np

from surgqa.ontology.kinds import kind

T = TypeVar("T")

SHIFT = 42
"""Video k's times begin at ``k << SHIFT`` microseconds: 50 days for each video."""

FAR = 1 << 40
"""Beyond both ends of any video, microseconds; facts and gaps may reach that far."""

INFINITE = 1 << 60
"""``floor`` of a gap in which nothing was annotated; also: a count without an upper bound."""

NONE = -1
"""Code of a null in every column of codes; in the mark columns: the border is not shared."""


class Codes:
    """Numbers for concept ids; the same in all columns of one relation."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._codes: dict[str, int] = {}
        self._ranks = np.zeros(0, np.int64)

    def code(self, name: str | None) -> int:
        """Return the number of an id, which is new if necessary; :data:`NONE` for '' and None."""
        if not name:
            return NONE
        if name not in self._codes:
            self._codes[name] = len(self.names)
            self.names.append(name)
        return self._codes[name]

    def codes(self, names: Iterable[str]) -> np.ndarray:
        """Return int32 (len,), the numbers of ids."""
        return np.array([self.code(name) for name in names], np.int32)

    def known(self, name: str) -> int:
        """Return the number of an id, or -2, which no column contains."""
        return self._codes.get(name, -2)

    def name(self, code: int) -> str:
        """Return the id of a number, '' for :data:`NONE`."""
        return self.names[code] if code >= 0 else ""

    def ranks(self, codes: np.ndarray) -> np.ndarray:
        """Return int64, the ranks of codes in the sorted order of their ids."""
        if len(self._ranks) <= len(self.names):
            self._ranks = np.append(np.unique(self.names, return_inverse=True)[1], NONE)
        return self._ranks[codes]


@dataclass(frozen=True, slots=True)
class Recording:
    """Properties of a video in addition to its facts; times are in microseconds.

    Attributes:
        still: True for a single image.
        timed: True if any fact of the video has a time; False if only the whole video is labelled.
    """

    key: str
    duration_us: int
    period_us: int
    fps: Fraction
    procedure: str = ""
    still: bool = False
    timed: bool = True


class Columns:
    """Base class of tables: all columns are arrays of equal length."""

    __slots__ = ()

    def __len__(self) -> int:
        return len(getattr(self, self.__slots__[0]))

    def take(self, index: np.ndarray) -> Self:
        """Return the rows by index or mask, in that order."""
        return type(self)(*(getattr(self, name)[index] for name in self.__slots__))


CODES = ("kind", "label", "subject", "track", "verb", "target", "rater", "origin")
SPECIAL: Mapping[str, tuple[type, float]] = {
    **dict.fromkeys((*CODES, "video", "grp"), (np.int32, NONE)), "sure": (bool, True),
    **dict.fromkeys(("value_lo", "value_hi"), (np.float64, np.nan)), "t0": (np.int64, 0),
}  # fmt: skip
"""Type and default of columns that are not int64 with default :data:`NONE`."""


BORDERS = ("s0", "s", "s1", "e0", "e", "e1")
"""Columns of a fact's start and end."""


@dataclass(frozen=True, slots=True, eq=False)
class FactTable(Columns):
    """N facts, sorted by (``s0``, ``e1``, kind, …): each column is an array (N,).

    Attributes:
        video: int32, index of the video.
        kind, label, subject, track, verb, target, rater, origin: int32 codes, NONE for a null.
        s0, s, s1: int64, the true start lies in [s0, s1]; questions state ``s``.
        e0, e, e1: the same for the end; the fact holds in [start, end), and start < end.
        x0, x1: earliest start and latest end of all facts that may be one fact with this one: equal
            facts on both sides of a gap, or facts of instances that cannot be told apart.
        grp: int32, number that all these facts share.
        s_mark, e_mark: int64, number of a border that two facts share, NONE for none.
        s_gap, e_gap: int64, number of the time between two annotated instants in which the border
            lies, NONE for a border that is not bounded by instants.
        t0, t1: int64, time in which the instance is certainly in view, whatever it does; empty (t0
            > t1) if instances are not known.
        sure: bool, True if the fact certainly exists (a detection may be a mistake).
        value_lo, value_hi: float64, bounds of the fact's value; NaN without a value.
        proof: index into the relation's ``proofs``.
    """

    video: np.ndarray
    kind: np.ndarray
    label: np.ndarray
    subject: np.ndarray
    track: np.ndarray
    verb: np.ndarray
    target: np.ndarray
    rater: np.ndarray
    origin: np.ndarray
    s0: np.ndarray
    s: np.ndarray
    s1: np.ndarray
    e0: np.ndarray
    e: np.ndarray
    e1: np.ndarray
    x0: np.ndarray
    x1: np.ndarray
    grp: np.ndarray
    s_mark: np.ndarray
    e_mark: np.ndarray
    s_gap: np.ndarray
    e_gap: np.ndarray
    t0: np.ndarray
    t1: np.ndarray
    sure: np.ndarray
    value_lo: np.ndarray
    value_hi: np.ndarray
    proof: np.ndarray

    def by_start(self, codes: Codes) -> FactTable:
        """Sort by earliest start, then by every id, so that the input's order does not matter."""
        ids = [codes.ranks(getattr(self, name)) for name in CODES[::-1]]
        return self.take(np.lexsort((*ids, self.e1, self.e0, self.s1, self.s0)))

    @classmethod
    def of(cls, columns: Mapping[str, Sequence | np.ndarray | int | float], n: int) -> FactTable:
        """Build a table from some columns; scalars are repeated, missing columns get defaults."""
        out: dict[str, np.ndarray] = {}
        for one in fields(cls):
            dtype, default = SPECIAL.get(one.name, (np.int64, NONE))
            column = np.asarray(columns.get(one.name, default), dtype)
            out[one.name] = np.full(n, column, dtype) if column.ndim == 0 else column
        return cls(**out)

    @classmethod
    def of_rows(cls, rows: Sequence[Mapping[str, Any]], **shared: Any) -> FactTable:
        """Build a table from single facts and shared columns; values that a row lacks are null."""
        names = {name for row in rows for name in row}
        columns = {name: [row.get(name, NONE) for row in rows] for name in names}
        return cls.of(columns | shared, len(rows))


@dataclass(frozen=True, slots=True, eq=False)
class HoleTable(Columns):
    """M gaps: stretches that nobody annotated and that may contain unlisted facts, by ``u0``.

    Attributes:
        video, kind: int32.
        label, subject: int32, of the facts that the gap may contain; NONE: any.
        u0, u1: int64, start and end of the gap, half open.
        floor: int64, facts hidden in the gap are shorter; :data:`INFINITE`: nothing was annotated.
    """

    video: np.ndarray
    kind: np.ndarray
    label: np.ndarray
    subject: np.ndarray
    u0: np.ndarray
    u1: np.ndarray
    floor: np.ndarray

    def joined(self) -> HoleTable:
        """Return the gaps; two gaps of one kind that touch both get the bounds of their union.

        A fact hidden in one gap may go on in the next, even if the gaps have different labels.
        """
        u0, u1 = self.u0.copy(), self.u1.copy()
        for one in np.unique(self.kind).tolist():
            of = np.flatnonzero((self.kind == one) & (self.floor == INFINITE))
            reach = np.maximum.accumulate(self.u1[of])
            first = np.flatnonzero(np.append(len(of) > 0, self.u0[of][1:] > reach[:-1]))
            size = np.diff(np.append(first, len(of)))
            u0[of] = np.repeat(self.u0[of][first], size)
            u1[of] = np.repeat(reach[first + size - 1], size)
        return replace(self, u0=u0, u1=u1)

    @classmethod
    def of(cls, rows: Iterable[tuple[int, int, int, int, int, int, int]]) -> HoleTable:
        """Build from (video, kind, label, subject, u0, u1, floor); sorted, without duplicates."""
        table = sorted(set(rows), key=lambda r: (r[4], r[5], *r))
        columns = np.array(table, np.int64).reshape(-1, 7).T
        small = [column.astype(np.int32) for column in columns[:4]]
        return cls(*small, *columns[4:])


Proof = tuple[str, tuple[tuple[int, str], ...]]
"""(table of ``evidence/``, ((time, row id), …)): the rows that a fact was made from."""


@dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """All facts and gaps of some videos.

    Attributes:
        looked_for: for each (video, kind) and field, the ids that annotators could use. Outside
            gaps, such an id is absent unless a fact has it. If a kind or field is missing here,
            annotators could use all ids.
        samples: boxes at instants, by track or :func:`region_track`: columns ``track`` (int32),
            ``t`` (int64), ``box`` (float64 (K, 4)), sorted by (track, t).
        proofs: for each fact, the evidence rows that it was made from.
        instants: for each video, int64 (T,), annotated instants on the common axis.
        looked: pairs (video, kind) where somebody annotated the kind in the video.
    """

    codes: Codes
    recordings: tuple[Recording, ...]
    facts: FactTable
    holes: HoleTable
    looked_for: Mapping[tuple[int, str], Mapping[str, frozenset[str]]] = field(default_factory=dict)
    samples: Mapping[str, np.ndarray] = field(default_factory=dict)
    proofs: Sequence[Proof] = ()
    instants: Mapping[int, np.ndarray] = field(default_factory=dict)
    looked: frozenset[tuple[int, str]] = frozenset()
    _made: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value that ``make`` computes at the first call with this key."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def kind_codes(self, kinds: Sequence[str]) -> list[int]:
        """Return the codes of kinds; for a union of kinds such as ``activity``, of its members."""
        return [self.codes.code(one) for name in kinds for one in (kind(name).union or (name,))]


def on_axis(video: np.ndarray | int, time_us: np.ndarray | Sequence[int] | int) -> np.ndarray:
    """Return times of videos, in microseconds, as times on the axis that all videos share."""
    return (np.asarray(video, np.int64) << SHIFT) + np.asarray(time_us, np.int64)


def region_track(kind: str, label: str) -> str:
    """Return the "track" that ``Relation.samples`` has for all boxes of one class of regions."""
    return f"{kind} {label}"
