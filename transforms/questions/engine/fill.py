"""Filling a template: all fillings of which everything it asks is certain, and why others fail."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from transforms.algebra.columns.evaluate import evaluate
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.values import (
    Box,
    Group,
    Label,
    Listed,
    Many,
    One,
    Range,
    Record,
    Stretch,
    Truth,
    Value,
)
from transforms.algebra.said import said
from transforms.algebra.tree import Name, Node
from transforms.language.program.program import Program
from transforms.questions.engine.each import enumerated

UNIT = "unit"


@dataclass(frozen=True, slots=True, eq=False)
class Filled:
    """Fillings that qualify.

    Attributes:
        rows: one row each, with all names of the template.
        unit: int64 (n,), the unit of each.
        failed: unit -> what left it without a filling: a name of ``let``, a condition.
    """

    rows: Rows
    unit: np.ndarray
    failed: dict[int, str]


def filled(program: Program, units: Rows) -> Filled:
    """All fillings of a template that are certain.

    Conditions are tested as soon as their names are known, so that few rows are carried on.

    Args:
        units: one row for each unit.
    """
    rows, unit = units, np.arange(units.n)
    failed: dict[int, str] = {}
    waiting = list(program.where)
    known = set(units.names)
    for step in program.let:
        label = ", ".join(step.names)
        if step.draws:
            rows, unit = _expanded(step, rows, unit)
        else:
            value = evaluate(step.node, rows)
            rows.names[step.names[0]] = value
            rows, unit = _kept(rows, unit, defined(value))
        _note(failed, units.n, unit, label)
        known.update(step.names)
        ready = [node for node in waiting if names_in(node) <= known | {"it"}]
        waiting = [node for node in waiting if node not in ready]
        for node in ready:
            truth = evaluate(node, rows)
            assert isinstance(truth, Truth)
            rows, unit = _kept(rows, unit, truth.yes & truth.ok)
            _note(failed, units.n, unit, said(node))
    return Filled(rows, unit, failed)


def _expanded(step, rows: Rows, unit: np.ndarray) -> tuple[Rows, np.ndarray]:
    rows.names[UNIT] = Range.exact(unit)
    out = enumerated(step, rows)
    value = out.name(UNIT)
    assert isinstance(value, Range)
    return out, value.at


def _kept(rows: Rows, unit: np.ndarray, keep: np.ndarray) -> tuple[Rows, np.ndarray]:
    if keep.all():
        return rows, unit
    index = np.flatnonzero(keep)
    return rows.inside(index), unit[index]


def _note(failed: dict[int, str], n: int, unit: np.ndarray, what: str) -> None:
    """Units that have just lost their last filling."""
    left = np.zeros(n, bool)
    left[unit] = True
    for one in np.flatnonzero(~left).tolist():
        failed.setdefault(one, what)


def defined(value: Value) -> np.ndarray:
    """bool (n,): the value is there in every world, or certainly none."""
    match value:
        case Truth():
            return value.ok
        case Range() | Label() | One() | Box():
            return value.ok | value.none
        case Record():
            return next(iter(value.numbers.values())).ok
        case Stretch() | Group() | Listed() | Many():
            return value.ok
    raise TypeError(type(value).__name__)


def names_in(node: Node) -> frozenset[str]:
    """Names that a node uses."""
    return frozenset(_names(node))


def _names(thing: object) -> Iterator[str]:
    if isinstance(thing, Name):
        yield thing.name
    elif isinstance(thing, tuple):
        for one in thing:
            yield from _names(one)
    elif hasattr(thing, "__dataclass_fields__"):
        for name in thing.__dataclass_fields__:
            if name not in ("type", "place"):
                yield from _names(getattr(thing, name))
