"""Select the facts that match a pattern, for every row of a template's values at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from surgqa.transforms.algebra.columns.identity import same_track
from surgqa.transforms.algebra.columns.lazy import changed
from surgqa.transforms.algebra.columns.near import HOLE_COLUMNS, Evaluate, acts_of, code_of, near
from surgqa.transforms.algebra.columns.relations import RELATIONS, ends_of
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import (
    Label,
    Many,
    One,
    Range,
    Stretch,
    Truth,
    Value,
    gathered,
)
from surgqa.transforms.algebra.tree import FieldTest, Name, Pattern
from surgqa.transforms.algebra.types import STRETCH
from surgqa.transforms.timeline.relation.table import INFINITE

WINDOW = Name(STRETCH, "window")


def select(pattern: Pattern, rows: Rows, evaluate: Evaluate) -> Many:
    """Return the facts that match a pattern, for each row.

    Args:
        evaluate: the function that evaluates the expressions inside the pattern.
    """
    reference = stretch_of(evaluate(pattern.reference or WINDOW, rows))
    found = near(pattern, rows, reference, evaluate)
    found = _cut(found, pattern, rows, evaluate)
    found = _lasting(found, pattern)
    found = _hiding(found, pattern, rows, evaluate)
    for test in pattern.tests:
        found = _tested(found, test, pattern, rows, evaluate)
    found = _related(found, pattern, reference)
    return _where(found, pattern, rows, evaluate) if pattern.where is not None else found


def stretch_of(value: Value) -> Stretch:
    """Return a time as a stretch: an instant becomes one microsecond, a fact the time it lasts."""
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
    raise TypeError(f"a {type(value).__name__} cannot be used as a time")


# -- narrowing down -----------------------------------------------------------------------------


def _narrowed(found: Many, held: np.ndarray, may: np.ndarray, ok: np.ndarray | None = None) -> Many:
    """Return the facts where ``may`` is True; where ``held`` is False, the match is not certain."""
    out = replace(found, held=found.held & held, sure=found.sure & held)
    if ok is not None:
        out = replace(out, ok=out.ok & ok)
    return out if may.all() else out.take(may)


def _cut(found: Many, pattern: Pattern, rows: Rows, evaluate: Evaluate) -> Many:
    """Return the facts shortened to the pattern's stretch ``cut``.

    A shortened fact starts or ends exactly where the stretch does.
    """
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
    """Drop the gaps that are too short to hide a fact of length ``at_least``."""
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
    """Return whether each fact's field certainly, and possibly, has this value.

    Both are bool (m,). The third result is bool (n,), True where this question has an answer.
    """
    if name == "track" or isinstance(value, One):
        return same_track(found, value)
    assert isinstance(value, Label)
    columns = found.columns
    column = acts_of(columns["verb"], columns["target"], rows) if name == "act" else columns[name]
    equal = column == code_of(value)[found.filling]
    return equal, equal, value.ok | value.none


def _holes_for(
    found: Many, test: FieldTest, wanted: list[Value], pattern: Pattern, rows: Rows
) -> Many:
    """Drop the unannotated gaps that cannot hide a wanted label.

    For example, a gap in the annotation of the hook cannot hide a grasper. If nobody looked for a
    wanted label in the whole video, an endless gap is added.
    """
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
    """Return bool (n,), True where annotators of the video could not use the label ``code``.

    Whether the label occurs is then unknown.
    """
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
    """Return the facts for which the pattern's condition ``where`` is certainly or possibly true.

    If the condition is undefined for one fact, the pattern is undefined in the fact's row.
    """
    one = One(found.row, found.columns, np.ones(len(found.row), bool),
              np.zeros(len(found.row), bool))  # fmt: skip
    assert pattern.where is not None
    truth = evaluate(pattern.where, rows.inside(found.filling, **{pattern.alias: one}))
    assert isinstance(truth, Truth)
    undefined = np.bincount(found.filling[~truth.ok], minlength=rows.n) > 0
    return _narrowed(found, truth.yes, ~truth.no, ~undefined)
