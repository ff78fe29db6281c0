"""Patterns: which facts fit, for every filling at once, by two binary searches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

import numpy as np

from ontology.kinds import kind as described
from transforms.algebra.columns.boxes import samples_as_facts
from transforms.algebra.columns.identity import may_be_of, same_track
from transforms.algebra.columns.lazy import changed, taken
from transforms.algebra.columns.merge import bridged, merged
from transforms.algebra.columns.read import acts
from transforms.algebra.columns.relations import RELATIONS, ends_of, hole_fits, looked_at
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.values import (
    Label,
    Many,
    One,
    Range,
    Stretch,
    Truth,
    Value,
    gathered,
    spread,
)
from transforms.algebra.tree import FieldTest, Name, Node, Pattern
from transforms.algebra.types import STRETCH
from transforms.timeline.relation import FAR, Relation, on_axis
from transforms.timeline.relation.bank import BANK, bank_tables
from transforms.timeline.relation.table import INFINITE, FactTable, HoleTable

Evaluate = Callable[[Node, Rows], Value]

WINDOW = Name(STRETCH, "window")

SAMPLE = "sample"
"""The kind of which every box at an annotated instant is a fact."""


def select(pattern: Pattern, rows: Rows, evaluate: Evaluate) -> Many:
    """The facts of a pattern for each filling.

    Args:
        evaluate: how the nodes inside the pattern are evaluated.
    """
    reference = stretch_of(evaluate(pattern.reference or WINDOW, rows))
    found = _near(pattern, rows, reference, evaluate)
    found = _cut(found, pattern, rows, evaluate)
    found = _lasting(found, pattern)
    found = _hiding(found, pattern, rows, evaluate)
    for test in pattern.tests:
        found = _tested(found, test, pattern, rows, evaluate)
    found = _related(found, pattern, reference)
    return _where(found, pattern, rows, evaluate) if pattern.where is not None else found


def stretch_of(value: Value) -> Stretch:
    """A reference as a stretch: an instant is its one microsecond, a fact its own time."""
    if isinstance(value, Stretch):
        return value
    if isinstance(value, Range):
        after = Range.of(value.lo + 1, value.at + 1, value.hi + 1, value.ok)
        return Stretch(value, after, lasts=True)
    if isinstance(value, One):
        ends = ends_of(value.columns)
        start, end = (
            replace(r, ok=value.ok & ~value.none) for r in (ends.reach_start, ends.reach_end)
        )
        return Stretch(start, end, lasts=True)
    raise TypeError(f"no reference in time: {type(value).__name__}")


# -- candidates ---------------------------------------------------------------------------------


def _near(pattern: Pattern, rows: Rows, ref: Stretch, evaluate: Evaluate) -> Many:
    """Facts of the kinds that may lie to the reference as wanted, with the holes beside them."""
    low, high = _clipped(rows, *looked_at(pattern.relation, ref, pattern.within, FAR << 8))
    if pattern.source is not None:
        source, of = (rows.origin(pattern.source.name) if isinstance(pattern.source, Name)
                      else (evaluate(pattern.source, rows), np.arange(rows.n)))  # fmt: skip
        if not isinstance(source, Many):
            raise TypeError("a pattern's source is facts")
        return _of_source(source, of, pattern, ref, low, high)
    facts, holes = _tables_of(rows, pattern)
    filling, row = _pairs(facts.s0, facts.e1, low - 1, high + 1)
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


def _of_source(
    source: Many, of: np.ndarray, pattern: Pattern, ref: Stretch, low: np.ndarray, high: np.ndarray
) -> Many:
    """Facts of a named collection that may lie to the reference as wanted, and its holes so.

    What makes it one of the named facts, time included, has to be certain as well; one that may
    be one with a fact that is not among them reaches as far as that one.

    Args:
        of: int64 (n,): the filling of the collection that each row's facts are of.
    """
    at, whole = source.columns, _has_all_parts(source)
    begin, end = np.minimum(at["s0"], at["x0"]), np.maximum(at["e1"], at["x1"])
    if pattern.cut is None:
        filling, member = _pairs_within(source.filling, begin, end, of, low - 1, high + 1)
    else:  # what is cut off may bring it near
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
    """bool (m,): all facts that may be one with a fact are among the found ones of its filling."""
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
    """bool (m,): the fact can pass the test; None where that is not told by one column.

    Most candidates end here, before any other column of theirs is looked at.
    """
    wanted = [evaluate(node, rows) for node in test.values]
    if test.name == "track" and not test.negated:
        return np.logical_or.reduce([may_be_of(facts, row, one, filling) for one in wanted])
    if test.name == "track" or not all(isinstance(value, Label) for value in wanted):
        return None
    if test.name == "act":
        column = _acts(facts.verb[row], facts.target[row], rows)
    else:
        column = getattr(facts, test.name)[row]
    equal = np.zeros(len(row), bool)
    for value in wanted:
        equal |= column == _code_of(value)[filling]
    return ~equal if test.negated else equal


def _acts(verb: np.ndarray, target: np.ndarray, rows: Rows) -> np.ndarray:
    true = np.ones(len(verb), bool)
    return acts(verb, target, true, ~true, rows).code


def _code_of(value: Value) -> np.ndarray:
    assert isinstance(value, Label)
    return np.where(value.none, -1, value.code)


def _clipped(rows: Rows, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bounds on the common axis that stay inside each filling's own recording."""
    base = rows.base
    return np.clip(low, base - FAR, base + FAR), np.clip(high, base - FAR, base + FAR)


def _tables_of(rows: Rows, pattern: Pattern) -> tuple[FactTable, HoleTable]:
    """Facts and holes of the pattern's kinds, merged as it says; made once for each such wish."""

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
    """Holes of some kinds; one without end where a recording's labels know nothing of a kind."""
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
    begin: np.ndarray, end: np.ndarray, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(filling, row) of all intervals with ``begin <= high`` and ``end >= low``.

    Args:
        begin: int64 (N,), ascending; ``end``: (N,).
        low, high: int64 (n,).
    """
    reach = np.maximum.accumulate(end) if len(end) else end
    first, last = np.searchsorted(reach, low, "left"), np.searchsorted(begin, high, "right")
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
    filling, row = (np.concatenate(column) for column in zip(*found, strict=True))
    return filling, row


AT_ONCE = 1 << 20
"""Pairs that are looked at together: of what reaches far there are many that do not fit."""


def _pairs_within(
    of: np.ndarray, begin: np.ndarray, end: np.ndarray, index: np.ndarray, low: np.ndarray,
    high: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """The same among intervals of each filling's own.

    Args:
        of: int64 (N,): whose the interval is.
        index: int64 (n,): whose intervals are looked at.

    Returns:
        (filling, place of the interval), ascending.
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


# -- narrowing down -----------------------------------------------------------------------------


def _narrowed(found: Many, held: np.ndarray, may: np.ndarray, ok: np.ndarray | None = None) -> Many:
    """Facts that still may fit; ``held`` where they did and certainly do."""
    out = replace(found, held=found.held & held, sure=found.sure & held)
    if ok is not None:
        out = replace(out, ok=out.ok & ok)
    return out if may.all() else out.take(may)


def _cut(found: Many, pattern: Pattern, rows: Rows, evaluate: Evaluate) -> Many:
    """Facts limited to a stretch; what is cut off ends there, exactly as the stretch does."""
    if pattern.cut is None:
        return found
    whole = stretch_of(evaluate(pattern.cut, rows))
    to = gathered(whole, found.filling)
    assert isinstance(to, Stretch)
    own, columns = found.columns, {}
    for name, bound in (("s0", to.start.lo), ("s", to.start.at), ("s1", to.start.hi),
                        ("x0", to.start.lo)):  # fmt: skip
        columns[name] = np.maximum(own[name], bound)
    for name, bound in (("e0", to.end.lo), ("e", to.end.at), ("e1", to.end.hi),
                        ("x1", to.end.hi)):  # fmt: skip
        columns[name] = np.minimum(own[name], bound)
    for name, at, border in (("s_mark", "s", to.start), ("e_mark", "e", to.end)):
        columns[name] = np.where(columns[at] == border.at, border.mark, own[name])
    held = columns["s1"] < columns["e0"]
    may = columns["s0"] < columns["e1"]
    return _narrowed(replace(found, columns=changed(own, **columns)), held, may, whole.ok)


def _lasting(found: Many, pattern: Pattern) -> Many:
    columns = found.columns
    shortest = np.maximum(columns["e0"] - columns["s1"], 1)
    longest = columns["x1"] - columns["x0"]
    held, may = shortest >= pattern.at_least, longest >= pattern.at_least
    if pattern.at_most is not None:
        held &= longest <= pattern.at_most
        may &= shortest <= pattern.at_most
    return _narrowed(found, held, may)


def _hiding(found: Many, pattern: Pattern, rows: Rows, evaluate: Evaluate) -> Many:
    """With the holes alone in which a fact as long as wanted may lie."""
    long_enough = found.hole_floor > pattern.at_least
    if pattern.source is None:
        low, high = found.hole_u0, found.hole_u1
        if pattern.cut is not None:
            to = gathered(stretch_of(evaluate(pattern.cut, rows)), found.hole_filling)
            assert isinstance(to, Stretch)
            low, high = np.maximum(low, to.start.lo), np.minimum(high, to.end.hi)
        long_enough &= high - low >= pattern.at_least
    kept = {name: getattr(found, name)[long_enough] for name in HOLE_COLUMNS}
    return found if long_enough.all() else replace(found, **kept)


def _tested(found: Many, test: FieldTest, pattern: Pattern, rows: Rows, evaluate: Evaluate) -> Many:
    held, may, ok = np.zeros(len(found.row), bool), np.zeros(len(found.row), bool), None
    wanted = [evaluate(node, rows) for node in test.values]
    ok = np.ones(rows.n, bool)
    for value in wanted:
        sure, possible, defined = _field_is(found, test.name, value, rows)
        held, may, ok = held | sure, may | possible, ok & defined
    if test.negated:
        held, may = ~may, ~held
    found = _narrowed(found, held, may, ok)
    return _holes_for(found, test, wanted, pattern, rows)


def _field_is(
    found: Many, name: str, value: Value, rows: Rows
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(certainly, possibly) (m,): a field is this value; and where that is defined (n,)."""
    if name == "track" or isinstance(value, One):
        return same_track(found, value)
    assert isinstance(value, Label)
    columns = found.columns
    column = _acts(columns["verb"], columns["target"], rows) if name == "act" else columns[name]
    equal = column == _code_of(value)[found.filling]
    return equal, equal, value.ok | value.none


def _holes_for(
    found: Many, test: FieldTest, wanted: list[Value], pattern: Pattern, rows: Rows
) -> Many:
    """Holes that a test closes, and the one that a label opens which nobody looked for."""
    if test.negated or test.name not in ("label", "subject"):
        return found
    keep = np.zeros(len(found.hole_filling), bool)
    unsought = np.zeros(rows.n, bool)
    for value in wanted:
        if not isinstance(value, Label):
            return found
        code, of = value.code[found.hole_filling], getattr(found, f"hole_{test.name}")
        keep |= (of == -1) | (of == code)
        unsought |= _never_looked_for(rows, pattern, test.name, value.code)
    extra = np.flatnonzero(unsought)
    order = np.argsort(np.concatenate([found.hole_filling[keep], extra]), kind="stable")

    def joined(column: np.ndarray, more: int) -> np.ndarray:
        return np.concatenate([column[keep], np.full(len(extra), more, np.int64)])[order]

    return replace(
        found,
        hole_filling=np.concatenate([found.hole_filling[keep], extra])[order],
        hole_u0=joined(found.hole_u0, -INFINITE), hole_u1=joined(found.hole_u1, INFINITE),
        hole_floor=joined(found.hole_floor, INFINITE), hole_label=joined(found.hole_label, -1),
        hole_subject=joined(found.hole_subject, -1),
    )  # fmt: skip


def _never_looked_for(rows: Rows, pattern: Pattern, name: str, code: np.ndarray) -> np.ndarray:
    """bool (n,): the recording's labels cannot say this id, so its absence is not known."""
    relation = rows.relation
    out = np.zeros(rows.n, bool)
    for video in np.unique(rows.video).tolist():
        mine = rows.video == video
        for kind in pattern.kinds:
            sought = relation.looked_for.get((video, kind), {}).get(name)
            if sought is not None:
                known = np.array([relation.codes.known(one) for one in sorted(sought)], np.int64)
                out |= mine & (code >= 0) & ~np.isin(code, known)
    return out


def _related(found: Many, pattern: Pattern, ref: Stretch) -> Many:
    to = gathered(ref, found.filling)
    assert isinstance(to, Stretch)
    sure, may = RELATIONS[pattern.relation](ends_of(found.columns), to, pattern.within)
    found = replace(found, sure=found.held & sure)
    return found if may.all() else found.take(may)


def _where(found: Many, pattern: Pattern, rows: Rows, evaluate: Evaluate) -> Many:
    """Facts of which a condition holds; where it is undefined, so is the pattern."""
    one = One(found.row, found.columns, np.ones(len(found.row), bool),
              np.zeros(len(found.row), bool))  # fmt: skip
    assert pattern.where is not None
    truth = evaluate(pattern.where, rows.inside(found.filling, **{pattern.alias: one}))
    assert isinstance(truth, Truth)
    undefined = np.bincount(found.filling[~truth.ok], minlength=rows.n) > 0
    return _narrowed(found, truth.yes, ~truth.no, ~undefined)


__all__ = ["select", "spread", "stretch_of"]
