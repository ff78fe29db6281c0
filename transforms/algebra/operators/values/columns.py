"""``arithmetic``, ``coalesce``, ``parts``, ``segment`` and ``word`` for many rows at once."""

from __future__ import annotations

import numpy as np

from surgqa.ontology.keys import h64
from surgqa.ontology.mixing import mix64
from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.scales import Steps, ninth, rating_steps, steps_of
from surgqa.transforms.algebra.columns.select import stretch_of
from surgqa.transforms.algebra.columns.values import Box, Label, One, Range, Spans, Stretch, Value
from surgqa.transforms.algebra.tree import Amount, Call, Const, Node

SECOND_US = 1_000_000


def arithmetic(call: Call, rows: Rows) -> Range:
    """The result has bounds computed from those of both values; an instant minus itself is 0."""
    a, right = evaluate(call.get("left"), rows), call.get("right")
    assert isinstance(a, Range)
    if isinstance(right, Const) and isinstance(right.value, tuple):
        b = _drawn(right.value, a, rows)
    else:
        b = evaluate(right, rows)  # type: ignore[arg-type, assignment]
    assert isinstance(b, Range)
    ok, none = a.ok & b.ok, a.none | b.none
    match call.get("sign"):
        case "+":
            moved = np.where(np.equal(b.lo, 0) & np.equal(b.hi, 0), a.mark, -1)
            return Range.of(a.lo + b.lo, a.at + b.at, a.hi + b.hi, ok, none, moved)
        case "-":
            one = (a.mark == b.mark) & (a.mark != -1)
            low, high = (np.where(one, 0, x) for x in (a.lo - b.hi, a.hi - b.lo))
            return Range.of(low, np.where(one, 0, a.at - b.at), high, ok, none)
        case _:
            return _share(a, b, ok, none)


def _drawn(bounds: tuple[int, int], a: Range, rows: Rows) -> Range:
    """Return a length in whole seconds between two bounds, drawn by a hash of video and time."""
    low, high = (us // SECOND_US for us in bounds)
    local = a.at - rows.base
    keys = np.array([h64(one.key, *bounds) for one in rows.relation.recordings], np.uint64)
    mixed = mix64(local.astype(np.uint64) ^ keys[rows.video])
    return Range.exact((low + (mixed % np.uint64(high - low + 1)).astype(np.int64)) * SECOND_US)


def _share(a: Range, b: Range, ok: np.ndarray, none: np.ndarray) -> Range:
    """Return the quotient of two values that are not negative; undefined if divided by 0."""
    ok = ok & (b.lo > 0)
    low, at, high = (np.where(ok, x, 0).astype(np.float64) for x in (a.lo, a.at, a.hi))
    least, whole, most = (np.where(ok, x, 1).astype(np.float64) for x in (b.lo, b.at, b.hi))
    return Range.of(low / most, at / whole, high / least, ok, none)


def coalesce(call: Call, rows: Rows) -> Value:
    """The first value that is not certainly none. If that value is unknown, so is the result."""
    parts = [evaluate(node, rows) for node in call.get("of")]
    out = parts[0]
    for part in parts[1:]:
        out = _either(out, part)
    return out


def _either(a: Value, b: Value) -> Value:
    """Return ``a``, or ``b`` where ``a`` is certainly none."""
    if isinstance(a, Range) and isinstance(b, Range):
        pick = [np.where(a.none, getattr(b, f), getattr(a, f)) for f in Range.__slots__]
        return Range(*pick)
    if isinstance(a, Label) and isinstance(b, Label):
        return Label(*(np.where(a.none, getattr(b, f), getattr(a, f)) for f in Label.__slots__))
    assert isinstance(a, One) and isinstance(b, One)
    columns = {name: np.where(a.none, b.columns[name], a.columns[name]) for name in a.columns}
    none = np.where(a.none, b.none, a.none)
    return One(np.where(a.none, b.row, a.row), columns, np.where(a.none, b.ok, a.ok), none)


def parts(call: Call, rows: Rows) -> Spans:
    """The parts are equal; their borders are as uncertain as those of the whole stretch."""
    whole, n = stretch_of(evaluate(call.get("of"), rows)), int(call.get("n"))
    filling, place = np.repeat(np.arange(rows.n), n), np.tile(np.arange(n), rows.n)
    span = Stretch(_border(whole, filling, place, n), _border(whole, filling, place + 1, n))
    return Spans(filling, span, whole.ok)


def _border(whole: Stretch, filling: np.ndarray, k: np.ndarray, n: int) -> Range:
    """Return the end of part ``k`` of ``n`` equal parts, with bounds from those of the stretch."""
    low, at, high = (
        (a + (b - a) * k // n)
        for a, b in (
            (getattr(whole.start, name)[filling], getattr(whole.end, name)[filling])
            for name in ("lo", "at", "hi")
        )
    )
    return Range.of(low, at, high, whole.ok[filling])


def segment(call: Call, rows: Rows) -> Stretch:
    """The result starts and ends on a grid whose step is at least the uncertainty of the borders.

    It contains all possible borders. The argument ``iou`` is tested on the printed stretch.
    """
    value = evaluate(call.get("of"), rows)
    held, ok = _held(stretch_of(value), call.get("most"), call.get("opening"))
    base = rows.base
    start, end = np.zeros(rows.n, np.int64), np.zeros(rows.n, np.int64)
    found, least = np.zeros(rows.n, bool), call.get("iou")
    for grid in call.get("grid"):
        first, last = _rounded(held, int(grid.low), base)
        fits = ok & ~found & (int(grid.low) >= _uncertainty(held))
        if isinstance(least, Amount):
            fits &= (held.end.at - held.start.at) > least.low * (last - first)
        start, end, found = np.where(fits, first, start), np.where(fits, last, end), found | fits
    return Stretch(Range.of(start, start, start, found), Range.of(end, end, end, found))


def _held(whole: Stretch, most: object, opening: object) -> tuple[Stretch, np.ndarray]:
    """Return the stretch that the segment must contain, and whether this is certain.

    Of a stretch longer than ``most``, only the first part, of length ``opening``, counts.
    """
    if not isinstance(most, Amount):
        return whole, whole.ok
    assert isinstance(opening, Amount)
    long = whole.end.lo - whole.start.hi > most.low
    short = whole.end.hi - whole.start.lo <= most.low
    moved = (getattr(whole.start, name) + int(opening.low) for name in ("lo", "at", "hi"))
    end = Range.of(*(
        np.where(long, a, getattr(whole.end, name))
        for name, a in zip(("lo", "at", "hi"), moved, strict=True)
    ), whole.end.ok)  # fmt: skip
    return Stretch(whole.start, end), whole.ok & (long | short)


def _uncertainty(held: Stretch) -> np.ndarray:
    """Return int64 (n,), how uncertain the start or end is, whichever is more, microseconds."""
    return np.maximum(held.start.hi - held.start.lo, held.end.hi - held.end.lo)


def _rounded(held: Stretch, grid: int, base: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    first, last = held.start.lo - base, held.end.hi - base
    return base + first // grid * grid, base - (-last // grid) * grid


def word(call: Call, rows: Rows) -> Label:
    """Known if the whole range has one word, at least ``clear`` from where another word begins."""
    value, scale, clear = evaluate(call.get("of"), rows), call.get("scale"), call.get("clear")
    assert clear is None or isinstance(clear, Amount)
    if isinstance(value, Box):
        return ninth(value, clear, rows)
    assert isinstance(value, Range)
    if isinstance(scale, Node):
        return _rated(value, evaluate(scale, rows), rows)
    return _in_words(value, steps_of(scale), clear, rows)


def _in_words(value: Range, steps: Steps, clear: Amount | None, rows: Rows) -> Label:
    """Return the word for each range; unknown if it spans two words or is too near to the next."""
    if not steps:
        return Label(np.full(rows.n, -1, np.int64), np.zeros(rows.n, bool), value.none)
    bounds = np.array([low for _, low in steps])
    code = np.array([rows.relation.codes.code(word) for word, _ in steps], np.int64)
    low, high = (
        np.maximum(np.searchsorted(bounds, x, "right") - 1, 0) for x in (value.lo, value.hi)
    )
    ok = value.ok & (low == high)
    if clear is not None:
        inner = bounds[1:]
        gap = np.abs(value.at[:, None] - inner)
        limit = clear.low * np.maximum(np.abs(inner), 0) if clear.unit == "share" else clear.low
        ok &= (gap >= limit).all(axis=1)
    return Label(code[low], ok, value.none)


def _rated(value: Range, label: object, rows: Rows) -> Label:
    """Return the word for a rating, on the scale that belongs to the rating."""
    assert isinstance(label, Label)
    code, ok = np.full(rows.n, -1, np.int64), np.zeros(rows.n, bool)
    for one in np.unique(label.code[label.ok & ~label.none]).tolist():
        mine = (label.code == one) & label.ok
        found = _in_words(value, rating_steps(rows.relation.codes.name(one)), None, rows)
        code[mine], ok[mine] = found.code[mine], found.ok[mine]
    return Label(code, ok & label.ok, value.none | label.none)
