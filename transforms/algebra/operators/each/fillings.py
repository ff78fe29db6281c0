"""``each`` for many rows at once: it repeats every row for each element that certainly exists."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, permutations

import numpy as np

from surgqa.ontology.mixing import mix64
from surgqa.transforms.algebra.columns import values as v
from surgqa.transforms.algebra.columns.arguments import members
from surgqa.transforms.algebra.columns.codes import value_codes
from surgqa.transforms.algebra.columns.elements import elements_of
from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.select import stretch_of
from surgqa.transforms.algebra.tree import Call, Node, Pattern, Step


def enumerated(step: Step, rows: Rows) -> Rows:
    """Return each row once for every element that the step draws; its name stands for the element.

    A step with two names gives every pair of different elements once. If the template lists the
    elements, a hash decides which of the two comes first.
    """
    assert isinstance(step.node, Call)
    index, value = fillings(step.node, rows)
    if len(step.names) == 1:
        return rows.inside(index, **{step.names[0]: value})
    left, right = twos(index, rows.n)
    if isinstance(step.node.get("of"), tuple):
        codes = value_codes(value, rows.inside(index))
        swapped = mix64(codes[left] ^ mix64(codes[right])) % np.uint64(2) == 1
        left, right = np.where(swapped, right, left), np.where(swapped, left, right)
    both = zip(step.names, (left, right), strict=True)
    return rows.inside(index[left], **{name: v.gathered(value, one) for name, one in both})


def fillings(call: Call, rows: Rows) -> tuple[np.ndarray, v.Value]:
    """Return, sorted by row, the row of each element and the element."""
    if call.get("take"):
        index, value = fillings(replace(call, args=(("of", call.get("of")),)), rows)
        return _taken(index, value, int(call.get("take")), rows)
    main = call.get("of")
    if main == "instant":
        return _instants(rows)
    if main == "stretch":
        return _stretches(call, rows)
    if main == "point":
        return _points(call, rows)
    if isinstance(main, tuple):
        return _listed(main, rows)
    assert isinstance(main, Node)
    return _members(main, rows)


def _instants(rows: Rows) -> tuple[np.ndarray, v.Range]:
    """Return the annotated instants in the window of each row."""
    window = rows.stretch("window")
    index, time = _grid(window.start.at, window.end.at, rows)
    return index, v.Range.exact(time)


def annotated(
    rows: Rows, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return all annotated instants; the index of the first one in each row's [low, high); their
    number there.
    """
    every = rows.relation.instants
    grid = np.concatenate([every[v] for v in sorted(every)]) if every else np.zeros(0, np.int64)
    first, last = np.searchsorted(grid, low, "left"), np.searchsorted(grid, high, "left")
    return grid, first, np.maximum(last - first, 0)


def _grid(low: np.ndarray, high: np.ndarray, rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    grid, first, count = annotated(rows, low, high)
    index = np.repeat(np.arange(rows.n), count)
    place = np.arange(len(index)) - np.repeat(np.cumsum(count) - count, count)
    return index, grid[place + np.repeat(first, count)]


def _stretches(call: Call, rows: Rows) -> tuple[np.ndarray, v.Stretch]:
    """Return the stretches between annotated instants in which the facts in ``seen`` hold."""
    window = rows.stretch("window")
    low, high = window.start.at, window.end.at
    present = [evaluate(node, rows) for node in (call.get("seen") or ())]
    for value in present:
        there = stretch_of(value)
        low, high = np.maximum(low, there.start.hi), np.minimum(high, there.end.lo)
    index, time = _grid(low, high, rows)
    left, right = twos(index, rows.n)
    keep = time[right] - time[left] >= (call.get("at_least") or 1)
    left, right = left[keep], right[keep]
    return index[left], v.Stretch(v.Range.exact(time[left]), v.Range.exact(time[right]))


def _points(call: Call, rows: Rows) -> tuple[np.ndarray, v.Box]:
    """Return the centres of the cells of a square grid over the frame."""
    size = int(call.get("grid") or 5)
    at = (np.arange(size) + 0.5) / size
    x, y = (part.reshape(-1) for part in np.meshgrid(at, at))
    index = np.repeat(np.arange(rows.n), size * size)
    xy = np.tile(np.stack([x, y], axis=1), (rows.n, 1))
    true = np.ones(len(index), bool)
    return index, v.Box(np.concatenate([xy, xy], axis=1), true, ~true)


def _listed(nodes: tuple[Node, ...], rows: Rows) -> tuple[np.ndarray, v.Value]:
    """Return those values of a written list that certainly exist."""
    found = elements_of(nodes, rows)
    found = found.take(found.sure)
    return found.filling, found.value


def _taken(index: np.ndarray, value: v.Value, take: int, rows: Rows) -> tuple[np.ndarray, v.Spans]:
    """Return every choice of ``take`` elements of one row, in their order."""
    first = np.searchsorted(index, np.arange(rows.n + 1)).tolist()
    row: list[int] = []
    member: list[int] = []
    for i, (a, b) in enumerate(pairwise(first)):
        for places in permutations(range(a, b), take):
            row.append(i)
            member.extend(places)
    span = v.gathered(value, np.array(member, np.int64))
    assert isinstance(span, v.Range | v.Stretch)
    filling = np.repeat(np.arange(len(row)), take)
    return np.array(row, np.int64), v.Spans(filling, span, np.ones(len(row), bool))


def _members(main: Node, rows: Rows) -> tuple[np.ndarray, v.Value]:
    """Return the facts or values of a collection that certainly exist."""
    found = evaluate(main, rows)
    if isinstance(found, v.Group):
        keep = found.ok[found.filling]
        return found.filling[keep], v.Label.known(found.code[keep])
    if isinstance(found, v.Spans):
        index = np.flatnonzero(found.ok[found.filling])
        return found.filling[index], v.gathered(found.span, index)
    if isinstance(found, v.Listed):
        found = found.facts
    assert isinstance(found, v.Many)
    if isinstance(main, Pattern) and main.field == "track":
        return _tracks(found)
    if isinstance(main, Pattern) and main.field:
        (filling, code), _ = members(found, main.field, rows)
        return filling, v.Label.known(code)
    sure = found.take(found.sure)
    true = np.ones(len(sure.filling), bool)
    return sure.filling, v.One(sure.row, sure.columns, true, ~true)


def _tracks(found: v.Many) -> tuple[np.ndarray, v.One]:
    """Return one fact for each track: its first fact in the window."""
    sure = found.take(found.sure)
    order = np.lexsort((sure.columns["s"], sure.columns["track"], sure.filling))
    pairs = np.stack([sure.filling, sure.columns["track"].astype(np.int64)], axis=1)[order]
    first = np.ones(len(pairs), bool)
    first[1:] = (pairs[1:] != pairs[:-1]).any(axis=1)
    chosen = sure.take(np.sort(order[first]))
    true = np.ones(len(chosen.filling), bool)
    return chosen.filling, v.One(chosen.row, chosen.columns, true, ~true)


def twos(index: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return (first, second), the indices of every two elements of one row; ``index`` ascends."""
    place = np.arange(len(index))
    later = np.cumsum(np.bincount(index, minlength=n))[index] - place - 1
    first = np.repeat(place, later)
    begin = np.cumsum(later) - later
    return first, np.arange(1, len(first) + 1) - np.repeat(begin - place, later)
