"""The elements of a collection: facts, labels, times or stretches, one row each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import (
    Group,
    Label,
    Listed,
    Many,
    One,
    Range,
    Spans,
    Stretch,
    Value,
    gathered,
)
from surgqa.transforms.algebra.tree import Node


@dataclass(frozen=True, slots=True, eq=False)
class Elements:
    """The elements of a collection such as "all phases", for each row of the template's values.

    Attributes:
        filling: int64 (m,), ascending, the row that each element belongs to.
        value: the elements (m,): facts, labels, instants or stretches.
        sure: bool (m,), True where the element certainly belongs to the collection.
        ok: bool (n,), True where the collection is defined and certainly has no other elements.
    """

    filling: np.ndarray
    value: One | Label | Range | Stretch
    sure: np.ndarray
    ok: np.ndarray

    def take(self, which: np.ndarray) -> Elements:
        """Return the elements selected by a mask or an index."""
        index = np.flatnonzero(which) if which.dtype == bool else which
        value = gathered(self.value, index)
        assert isinstance(value, One | Label | Range | Stretch)
        return replace(self, filling=self.filling[index], value=value, sure=self.sure[index])

    def facts(self) -> Many:
        """Return the elements as facts whose list is complete (no gaps hide further ones)."""
        assert isinstance(self.value, One)
        none = np.zeros(0, np.int64)
        return Many(self.filling, self.value.row, self.value.columns, self.sure, self.sure,
                    none, none, none, none, none, none, self.ok)  # fmt: skip


def elements_of(main: Node | tuple[Node, ...], rows: Rows) -> Elements:
    """Return the elements of a pattern, of a name with several values, or of a written list."""
    if isinstance(main, tuple):
        return _listed([evaluate(node, rows) for node in main], rows.n)
    found = evaluate(main, rows)
    match found:
        case Many():
            return Elements(found.filling, fact_of(found), found.sure, found.ok & ~found.unlooked)
        case Listed():
            facts = found.facts
            return Elements(facts.filling, fact_of(facts), facts.sure, found.ok)
        case Group():
            value = Label.known(found.code)
            return Elements(found.filling, value, np.ones(len(found.code), bool), found.ok)
        case Spans():
            return Elements(found.filling, found.span, np.ones(len(found.filling), bool), found.ok)
    raise TypeError(f"a {type(found).__name__} is not a collection")


def may_be_fewer(filling: np.ndarray, group: np.ndarray, n: int) -> np.ndarray:
    """Return bool (n,), True where two facts of a row may be parts of one longer fact."""
    out = np.zeros(n, bool)
    pairs, times = np.unique(np.stack([filling, group], axis=1), axis=0, return_counts=True)
    out[pairs[times > 1, 0]] = True
    return out


def fact_of(found: Many) -> One:
    """Return all facts of all rows as one value in which each row is one fact."""
    true = np.ones(len(found.filling), bool)
    return One(found.row, found.columns, true, ~true)


def _listed(values: Sequence[Value], n: int) -> Elements:
    """Return the values of a written list, without those that are certainly none."""
    order = np.argsort(np.tile(np.arange(n), len(values)), kind="stable")
    value = gathered(stacked(values), order)
    assert isinstance(value, One | Label | Range | Stretch)
    none = np.zeros(len(order), bool) if isinstance(value, Stretch) else value.none
    filling = np.repeat(np.arange(n), len(values))
    known = value.ok | none
    ok = np.bincount(filling[~known], minlength=n) == 0
    return Elements(filling, value, value.ok & ~none, ok).take(~none)


def stacked(values: Sequence[Value]) -> Value:
    """Return several values of one type as one value with all their rows, one after the other."""
    first = values[0]
    columns: dict[str, object] = {}
    for one in fields(first):
        parts = [getattr(value, one.name) for value in values]
        if isinstance(parts[0], np.ndarray):
            columns[one.name] = np.concatenate(parts)
        elif one.name == "columns":
            columns[one.name] = {k: np.concatenate([p[k] for p in parts]) for k in parts[0]}
        else:
            columns[one.name] = stacked(parts) if isinstance(parts[0], Range) else all(parts)
    return type(first)(**columns)  # type: ignore[arg-type]


def chosen(elements: Elements, which: np.ndarray, ok: np.ndarray) -> Value:
    """Return, for each row, the one chosen element.

    Args:
        which: bool (m,), True for the chosen elements: at most one of each row.
        ok: bool (n,), True where the choice is the same in every timeline that the labels allow.
    """
    place = np.full(len(ok), -1, np.int64)
    place[elements.filling[which]] = np.flatnonzero(which)
    out, ok = gathered(elements.value, np.maximum(place, 0)), ok & (place >= 0)
    if isinstance(out, Stretch):
        return replace(out, start=replace(out.start, ok=ok), end=replace(out.end, ok=ok))
    assert isinstance(out, One | Label | Range)
    return replace(out, ok=ok, none=np.zeros(len(ok), bool))
