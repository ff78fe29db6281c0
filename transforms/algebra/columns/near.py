"""Find, by binary search, the facts that may overlap, precede or follow a stretch of time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

import numpy as np

from surgqa.ontology.kinds import kind as described
from surgqa.transforms.algebra.columns.boxes import samples_as_facts
from surgqa.transforms.algebra.columns.identity import may_be_of
from surgqa.transforms.algebra.columns.lazy import changed, taken
from surgqa.transforms.algebra.columns.merge import bridged, merged
from surgqa.transforms.algebra.columns.read import acts
from surgqa.transforms.algebra.columns.relations import hole_fits, reach
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Label, Many, Stretch, Value, gathered, spread
from surgqa.transforms.algebra.tree import FieldTest, Name, Node, Pattern
from surgqa.transforms.timeline.relation import FAR, Relation, on_axis
from surgqa.transforms.timeline.relation.bank import BANK, bank_tables
from surgqa.transforms.timeline.relation.table import INFINITE, FactTable, HoleTable

Evaluate = Callable[[Node, Rows], Value]

SAMPLE = "sample"
"""The kind whose facts are the boxes at annotated instants."""


def near(pattern: Pattern, rows: Rows, ref: Stretch, evaluate: Evaluate) -> Many:
    """Return the facts that may stand in the pattern's time relation to ``ref``.

    With them come the unannotated gaps that may hide further facts.
    """
    low, high = _clipped(rows, *reach(pattern.relation, ref, pattern.within, FAR << 8))
    if pattern.source is not None:
        source, of = (rows.origin(pattern.source.name) if isinstance(pattern.source, Name)
                      else (evaluate(pattern.source, rows), np.arange(rows.n)))  # fmt: skip
        if not isinstance(source, Many):
            raise TypeError("a pattern can select only from facts")
        return _of_source(source, of, pattern, ref, low, high)
    facts, holes = _tables_of(rows, pattern)
    filling, row = _candidates(pattern, facts, rows, low - 1, high + 1, evaluate)
    for test in pattern.tests:
        keep = _may_pass(test, facts, filling, row, rows, evaluate)
        filling, row = (filling, row) if keep is None else (filling[keep], row[keep])
    columns = taken({f.name: getattr(facts, f.name) for f in fields(FactTable)}, row)
    hole_filling, hole = _pairs(holes.u0, holes.u1, low + 1, high - 1)
    keep = hole_fits(pattern.relation, gathered(ref, hole_filling), holes.u0[hole], holes.u1[hole])
    hole_filling, hole = hole_filling[keep], hole[keep]
    floor = holes.floor[hole]
    return Many(filling, facts.proof[row], columns, columns["sure"], columns["sure"], hole_filling,
                holes.u0[hole], holes.u1[hole], floor, holes.label[hole].astype(np.int64),
                holes.subject[hole].astype(np.int64), ref.ok, facts)  # fmt: skip


MANY = 1 << 15
"""Number of (row, fact) pairs from which it pays off to sort the facts by a tested field."""


def _candidates(
    pattern: Pattern, facts: FactTable, rows: Rows, low: np.ndarray, high: np.ndarray,
    evaluate: Evaluate,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Return pairs (row of ``rows``, row of ``facts``) whose fact overlaps [low, high].

    If there are many pairs, facts that fail one of the pattern's tests are left out at once.
    """
    reached = _reached(facts.s0, facts.e1, low, high)
    if int(np.maximum(np.subtract(*reached), 0).sum()) > MANY:
        for test in pattern.tests:
            if test.negated or test.name in ("track", "act") or len(test.values) != 1:
                continue
            wanted = evaluate(test.values[0], rows)
            if isinstance(wanted, Label):
                own = getattr(facts, test.name).astype(np.int64) + 1
                return _pairs_within(own, facts.s0, facts.e1, code_of(wanted) + 1, low, high)
    return _pairs(facts.s0, facts.e1, low, high, reached)


def _reached(
    begin: np.ndarray, end: np.ndarray, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return (stop, start), int64 (n,): only intervals start … stop - 1 can overlap [low, high]."""
    reach = np.maximum.accumulate(end) if len(end) else end
    return np.searchsorted(begin, high, "right"), np.searchsorted(reach, low, "left")


def _of_source(
    source: Many, of: np.ndarray, pattern: Pattern, ref: Stretch, low: np.ndarray, high: np.ndarray
) -> Many:
    """Return a collection's facts and gaps that may have the pattern's time relation to ``ref``.

    A fact certainly matches only if it certainly belongs to the collection. A fact that may be a
    part of a longer fact outside the collection gets the bounds of the longer fact.

    Args:
        source: the collection, a value of the template's ``let``.
        of: int64 (n,), for each row, the row of ``source`` with its facts.
    """
    at, whole = source.columns, _has_all_parts(source)
    begin, end = np.minimum(at["s0"], at["x0"]), np.maximum(at["e1"], at["x1"])
    if pattern.cut is None:
        filling, member = _pairs_within(source.filling, begin, end, of, low - 1, high + 1)
    else:  # ``cut`` shortens facts, so a fact outside the bounds may get inside
        filling, member = spread(source.filling, source.n, of)
    reach = {"s0": np.where(whole, at["s0"], begin)[member],
             "e1": np.where(whole, at["e1"], end)[member]}  # fmt: skip
    who, hole = _pairs_within(source.hole_filling, source.hole_u0, source.hole_u1, of,
                              low + 1, high - 1)  # fmt: skip
    fits = hole_fits(pattern.relation, gathered(ref, who), source.hole_u0[hole],
                     source.hole_u1[hole])  # fmt: skip
    holes = {column: getattr(source, column)[hole[fits]] for column in HOLE_COLUMNS}
    sure = source.sure[member]
    return replace(source, filling=filling, row=source.row[member], held=sure, sure=sure,
                   columns=changed(taken(at, member), **reach), ok=source.ok[of] & ref.ok,
                   **holes | {"hole_filling": who[fits]})  # fmt: skip


def _has_all_parts(found: Many) -> np.ndarray:
    """Return bool (m,), True where all facts that may be parts of one fact belong to one row."""
    group = found.columns["grp"].astype(np.int64)
    if found.table is None or not len(group):
        return np.zeros(len(group), bool)
    every = found.table.grp
    size = np.bincount(every[every >= 0], minlength=int(group.max()) + 1)
    _, place, count = np.unique(
        found.filling * len(size) + group, return_inverse=True, return_counts=True
    )
    return (group >= 0) & (count[place] == size[group])


HOLE_COLUMNS = ("hole_filling", "hole_u0", "hole_u1", "hole_floor", "hole_label", "hole_subject")


def _may_pass(
    test: FieldTest, facts: FactTable, filling: np.ndarray, row: np.ndarray, rows: Rows,
    evaluate: Evaluate,
) -> np.ndarray | None:  # fmt: skip
    """Return bool (m,), True where a fact may pass the test; None if one column cannot decide this.

    Most facts are removed here, before their other columns are read.
    """
    wanted = [evaluate(node, rows) for node in test.values]
    if test.name == "track" and not test.negated:
        return np.logical_or.reduce([may_be_of(facts, row, one, filling) for one in wanted])
    if test.name == "track" or not all(isinstance(value, Label) for value in wanted):
        return None
    if test.name == "act":
        column = acts_of(facts.verb[row], facts.target[row], rows)
    else:
        column = getattr(facts, test.name)[row]
    equal = np.zeros(len(row), bool)
    for value in wanted:
        equal |= column == code_of(value)[filling]
    return ~equal if test.negated else equal


def acts_of(verb: np.ndarray, target: np.ndarray, rows: Rows) -> np.ndarray:
    true = np.ones(len(verb), bool)
    return acts(verb, target, true, ~true, rows).code


def code_of(value: Value) -> np.ndarray:
    assert isinstance(value, Label)
    return np.where(value.none, -1, value.code)


def _clipped(rows: Rows, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds, in microseconds on the axis of all videos, limited to each row's video."""
    base = rows.base
    return np.clip(low, base - FAR, base + FAR), np.clip(high, base - FAR, base + FAR)


def _tables_of(rows: Rows, pattern: Pattern) -> tuple[FactTable, HoleTable]:
    """Return the facts and gaps of a pattern's kinds, merged by its ``merge`` fields (cached)."""

    def make() -> tuple[FactTable, HoleTable]:
        relation = rows.relation
        if len(pattern.kinds) == 1 and pattern.kinds[0] in BANK:
            return bank_tables(pattern.kinds[0], relation)
        codes = relation.kind_codes(pattern.kinds)
        facts = relation.facts.take(np.isin(relation.facts.kind, codes))
        if pattern.kinds == (SAMPLE,):
            facts = samples_as_facts(rows)
        holes = _with_unlooked(relation, codes)
        if pattern.merge:
            facts = merged(facts, pattern.merge, pattern.gap, holes, relation.codes)
            holes = bridged(holes, pattern.merge, pattern.gap) if pattern.gap else holes
        return facts, holes.joined() if pattern.at_least else holes

    key = ("tables", pattern.kinds, pattern.merge, pattern.gap, pattern.at_least > 0)
    return rows.relation.once(key, make)


def _with_unlooked(relation: Relation, codes: list[int]) -> HoleTable:
    """Return the unannotated gaps of some kinds.

    If nobody annotated a kind in a video, the gap is endless.
    """
    holes = relation.holes.take(np.isin(relation.holes.kind, codes))
    names = [relation.codes.name(code) for code in codes if code >= 0]
    rows = [
        (video, relation.codes.code(name), -1, -1, int(on_axis(video, -FAR)),
         int(on_axis(video, FAR)), INFINITE)
        for video in range(len(relation.recordings)) for name in names
        if (video, name) not in relation.looked and name != SAMPLE
        and described(name).labelled != "noted"
    ]  # fmt: skip
    if not rows:
        return holes
    columns = [getattr(holes, name).tolist() for name in HoleTable.__slots__]
    return HoleTable.of([*zip(*columns, strict=True), *rows])


def _pairs(
    begin: np.ndarray, end: np.ndarray, low: np.ndarray, high: np.ndarray,
    reached: tuple[np.ndarray, np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Return all pairs (k, i) for which interval i overlaps [low[k], high[k]].

    Args:
        begin: int64 (N,), ascending. ``end``: int64 (N,).
        low, high: int64 (n,), inclusive.
        reached: result of :func:`_reached` for these intervals, if already computed.
    """
    last, first = reached or _reached(begin, end, low, high)
    count = np.maximum(last - first, 0)
    total = np.cumsum(count)
    cuts = np.searchsorted(total, np.arange(AT_ONCE, total[-1] if len(total) else 0, AT_ONCE))
    found = []
    for some in np.split(np.arange(len(low)), cuts):
        filling = np.repeat(some, count[some])
        row = np.arange(len(filling)) - np.repeat(np.cumsum(count[some]) - count[some], count[some])
        row += np.repeat(first[some], count[some])
        keep = end[row] >= low[filling]
        found.append((filling[keep], row[keep]))
    if len(found) == 1:
        return found[0]
    filling, row = (np.concatenate(column) for column in zip(*found, strict=True))
    return filling, row


AT_ONCE = 1 << 20
"""Number of pairs that are checked at once, to limit memory."""


def _pairs_within(
    of: np.ndarray, begin: np.ndarray, end: np.ndarray, index: np.ndarray, low: np.ndarray,
    high: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Return the same as :func:`_pairs`, but k is paired only with intervals of the group index[k].

    Args:
        of: int64 (N,), group of each interval.
        index: int64 (n,), group that each k searches.

    Returns:
        (k, i), ascending.
    """
    order = np.lexsort((begin, of))
    times = np.unique(np.concatenate([begin, end]))
    width = len(times) + 1
    starts, ends = (of[order] * width + np.searchsorted(times, at[order]) for at in (begin, end))
    filling, row = _pairs(starts, ends, index * width + np.searchsorted(times, low),
                          index * width + np.searchsorted(times, high, "right") - 1)  # fmt: skip
    place = order[row]
    again = np.lexsort((place, filling))
    return filling[again], place[again]
