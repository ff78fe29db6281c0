"""Values of expressions: one entry for each of n rows, with the range of what is possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache

import numpy as np

from surgqa.transforms.algebra.columns.lazy import Columns, rows_of, taken
from surgqa.transforms.timeline.relation.table import FactTable

NO_MARK = -1


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """A truth value: certainly true, certainly false, or neither.

    Attributes:
        yes, no: bool (n,), never both.
        ok: bool (n,), True where the condition makes sense in every timeline that the labels allow,
            even if it is unknown whether it is true.
    """

    yes: np.ndarray
    no: np.ndarray
    ok: np.ndarray

    def __invert__(self) -> Truth:
        return Truth(self.no, self.yes, self.ok)


@dataclass(frozen=True, slots=True, eq=False)
class Range:
    """An instant, a duration (int64 microseconds) or a number (float64).

    Attributes:
        lo, hi: bounds, both inclusive.
        at: the value that is printed, between the bounds.
        ok: bool (n,), True where the value exists in every timeline that the labels allow.
        none: bool (n,), True where the value certainly does not exist.
        mark: int64 (n,). If two instants have the same mark, they are the same start or end of a
            fact, so they are equal although their bounds leave the time open.
    """

    lo: np.ndarray
    at: np.ndarray
    hi: np.ndarray
    ok: np.ndarray
    none: np.ndarray
    mark: np.ndarray

    @classmethod
    def of(
        cls, lo: np.ndarray, at: np.ndarray, hi: np.ndarray, ok: np.ndarray,
        none: np.ndarray | None = None, mark: np.ndarray | None = None,
    ) -> Range:  # fmt: skip
        """Return a range from its parts; without ``none``, the value exists in every row."""
        n = len(lo)
        none = np.zeros(n, bool) if none is None else none
        mark = np.full(n, NO_MARK, np.int64) if mark is None else mark
        return cls(lo, at, hi, ok, none, mark)

    @classmethod
    def exact(cls, value: np.ndarray) -> Range:
        """Return a value known exactly."""
        return cls.of(value, value, value, np.ones(len(value), bool))


@dataclass(frozen=True, slots=True, eq=False)
class Label:
    """A concept id, an act, a track or a word.

    Attributes:
        code: int64 (n,), the number of the id.
        ok: bool (n,), True where the label has this code in every timeline that the labels allow.
        none: bool (n,), True where the label is certainly null, or certainly does not exist.
    """

    code: np.ndarray
    ok: np.ndarray
    none: np.ndarray

    @classmethod
    def known(cls, code: np.ndarray) -> Label:
        """Return a known label; the code NONE is a null."""
        return cls(code, np.ones(len(code), bool), code < 0)


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """A half-open stretch of time between two uncertain borders.

    Attributes:
        lasts: True if the stretch comes from an instant or a fact. It is then never empty, even if
            the bounds of its borders overlap.
    """

    start: Range
    end: Range
    lasts: bool = False

    @property
    def ok(self) -> np.ndarray:
        """bool (n,), True where the stretch is defined and certainly not empty."""
        defined = self.start.ok & self.end.ok
        return defined if self.lasts else defined & lies_before(self.start, self.end)


@dataclass(frozen=True, slots=True, eq=False)
class One:
    """One fact in each row, such as the first clipping.

    Attributes:
        row: int64 (n,), the number of the fact in the table of facts; of a merged fact, the number
            of its first part.
        columns: the fact's columns (n,), by the names of :class:`FactTable`.
        ok, none: as in :class:`Label`.
    """

    row: np.ndarray
    columns: Columns
    ok: np.ndarray
    none: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Many:
    """The facts that a pattern selects, and the unannotated gaps that may hide further ones.

    Attributes:
        filling: int64 (m,), ascending, the row that each fact belongs to.
        row: int64 (m,), numbers of the facts in the table of facts.
        columns: columns of the facts (m,).
        held: bool (m,), True where the fact certainly exists and matches the pattern, apart from
            the time relation.
        sure: bool (m,), True where the fact certainly matches in time as well. All other facts
            possibly match.
        hole_filling, hole_u0, hole_u1: (k,) row, start and end of each gap.
        hole_floor: (k,) facts hidden in the gap are shorter than this, microseconds.
        hole_label, hole_subject: (k,) the only label and subject that the gap may hide; -1: any.
        ok: bool (n,), True where the pattern is defined in every timeline that the labels allow.
        table: all facts before the pattern's filters, merged as the pattern states; None if the
            facts come from no table.
    """

    filling: np.ndarray
    row: np.ndarray
    columns: Columns
    held: np.ndarray
    sure: np.ndarray
    hole_filling: np.ndarray
    hole_u0: np.ndarray
    hole_u1: np.ndarray
    hole_floor: np.ndarray
    hole_label: np.ndarray
    hole_subject: np.ndarray
    ok: np.ndarray
    table: FactTable | None = None

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.ok)

    def any(self, which: np.ndarray) -> np.ndarray:
        """Return bool (n,), True for rows with a fact for which ``which`` (m,) is True."""
        return np.bincount(self.filling[which], minlength=self.n) > 0

    @property
    def unlooked(self) -> np.ndarray:
        """bool (n,), True for rows in which an unannotated gap may hide a match."""
        return np.bincount(self.hole_filling, minlength=self.n) > 0

    def take(self, which: np.ndarray) -> Many:
        """Return the facts selected by a mask or an index, with all gaps."""
        which = np.flatnonzero(which) if which.dtype == bool else which
        columns = taken(self.columns, which)
        return Many(self.filling[which], self.row[which], columns, self.held[which],
                    self.sure[which], self.hole_filling, self.hole_u0, self.hole_u1,
                    self.hole_floor, self.hole_label, self.hole_subject, self.ok,
                    self.table)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """A set or a sequence: members in order.

    Attributes:
        filling: int64 (m,), ascending, the row that each member belongs to.
        code: int64 (m,). The members of a set ascend within a row; the members of a sequence
            are in order.
        ok: bool (n,), True where the members (and the order of a sequence) are the same in every
            timeline that the labels allow.
    """

    filling: np.ndarray
    code: np.ndarray
    ok: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """A box, or a point as a box without area, known exactly at one instant.

    Attributes:
        xyxy: float64 (n, 4) in [0, 1], NaN where it is unknown.
        ok, none: as in :class:`Label`.
    """

    xyxy: np.ndarray
    ok: np.ndarray
    none: np.ndarray

    @property
    def centre(self) -> np.ndarray:
        """float64 (n, 2), the boxes' centres (x, y)."""
        return (self.xyxy[:, :2] + self.xyxy[:, 2:]) / 2


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """Several measured numbers by name, such as the path length and speeds of an instrument."""

    numbers: dict[str, Range]


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """Facts in an order, with the fields that the answer gives for each fact.

    Attributes:
        facts: the complete list of facts, in order within each row.
        fields: names of these fields.
        ok: bool (n,), True where the facts and their order are the same in every timeline that the
            labels allow.
    """

    facts: Many
    fields: tuple[str, ...]
    ok: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Several stretches or instants in order.

    Attributes:
        filling: int64 (m,), ascending, the row that each one belongs to.
        span: stretches or instants (m,).
        ok: bool (n,), True where they are the same in every timeline that the labels allow.
    """

    filling: np.ndarray
    span: Stretch | Range
    ok: np.ndarray


Value = Truth | Range | Label | Stretch | One | Many | Group | Box | Record | Listed | Spans
OF_EACH_ROW = (Truth, Range, Label, Stretch, One, Box)
"""Values whose arrays all have one entry for each row."""


def defined(value: Value) -> np.ndarray:
    """Return bool (n,), True where the value certainly exists or certainly does not."""
    if isinstance(value, Record):
        return next(iter(value.numbers.values())).ok
    return value.ok | value.none if isinstance(value, Range | Label | One | Box) else value.ok


def counted(found: Many, certain: np.ndarray, possible: np.ndarray, ok: np.ndarray) -> Range:
    """Return the number of facts in each row; without an upper bound if a gap may hide a match.

    Args:
        certain, possible: (n,), the least and the greatest number of facts that are listed.
        ok: bool (n,), True where the number exists in every timeline that the labels allow.
    """
    least = certain.astype(np.float64)
    return Range.of(least, least, np.where(found.unlooked, np.inf, possible), ok)


def gathered(value: Value, index: np.ndarray) -> Value:
    """Return the value for other rows: row k of the result is row ``index[k]`` of ``value``.

    If ``value`` has no rows, every row is blank and not ``ok``.
    """
    if isinstance(value, Many | Group):
        return _gathered_members(value, index)
    if isinstance(value, Record):
        return Record({k: gathered(v, index) for k, v in value.numbers.items()})  # type: ignore[misc]
    if isinstance(value, Listed):
        return Listed(_gathered_members(value.facts, index), value.fields, value.ok[index])
    if isinstance(value, Stretch):
        return Stretch(gathered(value.start, index), gathered(value.end, index), value.lasts)
    if isinstance(value, Spans):
        filling, member = spread(value.filling, len(value.ok), index)
        return Spans(filling, gathered(value.span, member), value.ok[index])
    names = names_of(type(value))
    made: dict[int, np.ndarray] = {}  # equal bounds may share an array
    columns = []
    for name in names:
        column = getattr(value, name)
        if name == "columns":
            columns.append(taken(column, index))
            continue
        if id(column) not in made:
            made[id(column)] = rows_of(column, index)
        columns.append(made[id(column)])
    return type(value)(*columns)


def joined(values: Sequence[Value]) -> Value:
    """Return the value whose rows are those of the given values, all of one :data:`OF_EACH_ROW`."""
    first = values[0]
    if isinstance(first, Stretch):
        start, end = (joined([getattr(one, name) for one in values]) for name in ("start", "end"))
        return Stretch(start, end, first.lasts)  # type: ignore[arg-type]
    columns = []
    for name in names_of(type(first)):
        parts = [getattr(one, name) for one in values]
        columns.append({key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
                       if name == "columns" else np.concatenate(parts))  # fmt: skip
    return type(first)(*columns)  # type: ignore[arg-type]


@cache
def names_of(kind: type) -> tuple[str, ...]:
    """Return the names of the fields of a class of values, in order."""
    return tuple(one.name for one in fields(kind))


def _gathered_members(value: Many | Group, index: np.ndarray) -> Many | Group:
    n = len(value.ok)
    filling, member = spread(value.filling, n, index)
    if isinstance(value, Group):
        return Group(filling, value.code[member], value.ok[index])
    hole, place = spread(value.hole_filling, n, index)
    columns = taken(value.columns, member)
    return Many(filling, value.row[member], columns, value.held[member], value.sure[member], hole,
                value.hole_u0[place], value.hole_u1[place], value.hole_floor[place],
                value.hole_label[place], value.hole_subject[place], value.ok[index],
                value.table)  # fmt: skip


def spread(filling: np.ndarray, n: int, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the members of k new rows; each new row has the members of one of n old rows.

    Args:
        filling: int64 (m,), ascending, the old row of each member.
        n: number of old rows.
        index: int64 (k,), the old row of each new row.

    Returns:
        (new row, index of the member), both ascending by new row.
    """
    if 2 * len(index) < n:  # few new rows: search only for their members
        begin = np.searchsorted(filling, index)
        count = np.searchsorted(filling, index, "right") - begin
    else:
        first = np.searchsorted(filling, np.arange(n + 1))
        begin, count = first[index], np.diff(first)[index]
    new = np.repeat(np.arange(len(index)), count)
    within = np.arange(len(new)) - np.repeat(np.cumsum(count) - count, count)
    return new, np.repeat(begin, count) + within


# -- comparing ranges; two instants with the same mark are equal --------------------------------


def _same(a: Range, b: Range) -> np.ndarray:
    return (a.mark == b.mark) & (a.mark != NO_MARK)


def lies_before(a: Range, b: Range) -> np.ndarray:
    """Return bool (n,), True where certainly a < b."""
    return (a.hi < b.lo) & ~_same(a, b)


def may_lie_before(a: Range, b: Range) -> np.ndarray:
    """Return bool (n,), True where a < b is possible within the bounds."""
    return (a.lo < b.hi) & ~_same(a, b)


def is_at_most(a: Range, b: Range) -> np.ndarray:
    """Return bool (n,), True where certainly a <= b."""
    return (a.hi <= b.lo) | _same(a, b)


def may_be_at_most(a: Range, b: Range) -> np.ndarray:
    """Return bool (n,), True where a <= b is possible within the bounds."""
    return (a.lo <= b.hi) | _same(a, b)
