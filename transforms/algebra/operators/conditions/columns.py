"""``all``, ``any``, ``cases``, ``compare`` and ``not`` for many rows at once, with arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import (
    Group,
    Label,
    One,
    Range,
    Truth,
    Value,
    is_at_most,
    lies_before,
)
from surgqa.transforms.algebra.tree import Call, Node


def _stacked(conditions: Iterable[Node], rows: Rows) -> Iterator[np.ndarray]:
    """Yield the arrays ``yes``, ``no`` and ``ok`` of all conditions, each bool (conditions, n)."""
    truths = [evaluate(node, rows) for node in conditions]
    return (np.stack([getattr(one, name) for one in truths]) for name in ("yes", "no", "ok"))


def all_(call: Call, rows: Rows) -> Truth:
    """True if all conditions certainly hold; false if one certainly fails. All must have values."""
    yes, no, ok = _stacked(call.get("of"), rows)
    return Truth(yes.all(0), no.any(0), ok.all(0))


def any_(call: Call, rows: Rows) -> Truth:
    """True if one condition certainly holds; false if all certainly fail. All must have values."""
    yes, no, ok = _stacked(call.get("of"), rows)
    return Truth(yes.any(0), no.all(0), ok.all(0))


def cases(call: Call, rows: Rows) -> Label:
    """The index of the statement that is certainly true while all others are certainly false."""
    yes, no, ok = _stacked([condition for _, condition in call.get("of")], rows)
    known = ok.all(0) & (yes.sum(0) == 1) & ((yes | no).all(0))
    return Label(yes.argmax(0), known, np.zeros(rows.n, bool))


def compare(call: Call, rows: Rows) -> Truth:
    """The result is known if every pair of values within the two ranges gives the same result."""
    left, right = (evaluate(call.get(side), rows) for side in ("left", "right"))
    match call.get("sign"):
        case "=":
            return _equal(left, right)
        case "!=":
            return ~_equal(left, right)
        case "<":
            return _ordered(left, right, strict=True)
        case "<=":
            return _ordered(left, right, strict=False)
        case ">":
            return _ordered(right, left, strict=True)
        case _:
            return _ordered(right, left, strict=False)


def _ordered(a: Value, b: Value, strict: bool) -> Truth:
    """Return ``a < b``, or ``a <= b`` if not ``strict``; false where either is ``none``."""
    assert isinstance(a, Range) and isinstance(b, Range)
    none = a.none | b.none
    yes = lies_before(a, b) if strict else is_at_most(a, b)
    no = is_at_most(b, a) if strict else lies_before(b, a)
    return Truth(yes & ~none, no | none, (a.ok | a.none) & (b.ok | b.none))


def _equal(a: Value, b: Value) -> Truth:
    """Return ``a = b``; ``none`` equals only ``none``."""
    if isinstance(a, Group) and isinstance(b, Group):
        return _equal_sets(a, b)
    if isinstance(a, Truth) and isinstance(b, Truth):
        return Truth((a.yes & b.yes) | (a.no & b.no), (a.yes & b.no) | (a.no & b.yes), a.ok & b.ok)
    assert isinstance(a, Range | Label | One) and isinstance(b, Range | Label | One)
    ok = (a.ok | a.none) & (b.ok | b.none)
    if isinstance(a, Range) and isinstance(b, Range):
        one = (a.mark == b.mark) & (a.mark != -1)
        same = one | ((a.lo == b.hi) & (a.hi == b.lo))
        apart = (lies_before(a, b) | lies_before(b, a)) & ~one
    elif isinstance(a, One) and isinstance(b, One):
        same = (a.row == b.row) & (a.columns["s"] == b.columns["s"])
        together = a.columns["grp"] == b.columns["grp"]
        apart = ~same & ~together
    else:
        left, right = _code(a), _code(b)
        same, apart = left == right, left != right
    some = ~a.none & ~b.none
    return Truth((some & same) | (a.none & b.none), (some & apart) | (a.none ^ b.none), ok)


def _code(value: Range | Label | One) -> np.ndarray:
    if isinstance(value, Label):
        return value.code
    return value.row if isinstance(value, One) else np.full(len(value.ok), -1, np.int64)


def _equal_sets(a: Group, b: Group) -> Truth:
    """Return where two sets have the same members; both store them sorted."""
    n = len(a.ok)
    size_a, size_b = (np.bincount(g.filling, minlength=n) for g in (a, b))
    alike = size_a == size_b
    same = alike.copy()
    for i in np.flatnonzero(alike).tolist():
        first, second = (g.code[slice(*np.searchsorted(g.filling, [i, i + 1]))] for g in (a, b))
        same[i] = np.array_equal(first, second)
    return Truth(same, ~same, a.ok & b.ok)


def not_(call: Call, rows: Rows) -> Truth:
    """True if the condition is certainly false; false if it is certainly true; else unknown."""
    value = evaluate(call.get("of"), rows)
    assert isinstance(value, Truth)
    return ~value
