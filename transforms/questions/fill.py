"""Filling a template: all fillings of which everything it asks is certain, and why others fail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ontology.keys import digest
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
    Spans,
    Stretch,
    Truth,
    Value,
)
from transforms.algebra.said import said
from transforms.algebra.tree import Call, Name, Node, Pattern, Read, Step
from transforms.language.program import Program
from transforms.questions.codes import value_codes
from transforms.questions.each import enumerated
from transforms.questions.sight import seen
from transforms.questions.units import (
    UNIT,
    Units,
    at_last_round,
    by_stretch,
    every_time,
    put_at,
    recordings,
    rows_of_windows,
    stretches,
    whole,
)
from transforms.timeline.relation import Relation
from transforms.timeline.relation.bank import BANK
from transforms.timeline.relation.readings import crisp

UNSEEN = "unseen"
"""Why a unit has no item: the answer, or a text, rests on what the question may not see."""


@dataclass(frozen=True, slots=True, eq=False)
class Filled:
    """Fillings that qualify.

    Attributes:
        rows: one row each, with all names of the template.
        unit: int64 (n,), the unit of each.
        units: all units of the template.
        failed: unit -> what left it without a filling: a name of ``let``, a condition.
        order: what was tested, in that order.
    """

    rows: Rows
    unit: np.ndarray
    units: Units
    failed: dict[int, str]
    order: tuple[str, ...] = ()


@dataclass
class Filling:
    """A template being filled: conditions are tested as soon as their names are known."""

    program: Program
    rows: Rows
    units: Units
    unit: np.ndarray | None = None
    failed: dict[int, str] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)

    def steps(self, steps: Iterable[Step], waiting: list[Node]) -> None:
        """Take some steps of ``let``, and every condition that they make possible."""
        for step in steps:
            if step.draws:
                self._expanded(step)
            else:
                value = self._value(step)
                self._keep(defined(value))
            self._note(", ".join(step.names))
            for node in [one for one in waiting if self._knows(one)]:
                waiting.remove(node)
                truth = evaluate(node, self.rows)
                assert isinstance(truth, Truth)
                self._keep(truth.yes & truth.ok)
                self._note(said(node))

    def _value(self, step: Step) -> Value:
        """What a step gives, computed here unless that was done for whole recordings."""
        name = step.names[0]
        try:
            return self.rows.name(name)
        except KeyError:
            self.rows.names[name] = evaluate(step.node, self.rows)
            return self.rows.names[name]

    def _knows(self, node: Node) -> bool:
        try:
            return all(self.rows.name(name) is not None for name in names_in(node) - {"it"})
        except KeyError:
            return False

    def _expanded(self, step: Step) -> None:
        if self.unit is not None:
            self.rows.names[UNIT] = Range.exact(self.unit)
        self.rows = enumerated(step, self.rows)
        if self.unit is not None:
            self._units_again()

    def _units_again(self) -> None:
        value = self.rows.name(UNIT)
        assert isinstance(value, Range)
        self.unit = value.at

    def _keep(self, keep: np.ndarray) -> None:
        if keep.all():
            return
        index = np.flatnonzero(keep)
        self.rows = self.rows.inside(index)
        if self.unit is not None:
            self.unit = self.unit[index]

    def _note(self, what: str) -> None:
        """Units that have just lost their last filling."""
        self.order.append(what)
        if self.unit is None:
            return
        left = np.zeros(len(self.units.ids), bool)
        left[self.unit] = True
        for one in np.flatnonzero(~left).tolist():
            self.failed.setdefault(one, what)


def filled(program: Program, relation: Relation, clips: Units) -> Filled:
    """All fillings of a template that are certain.

    Args:
        clips: the windows of templates whose unit is a clip.
    """
    if program.reading == "labels":
        relation = crisp(relation)
    waiting = list(program.where)
    match program.unit.kind:
        case "clip" | "still" | "recording":
            kind = program.unit.kind
            units = clips if kind == "clip" else recordings(relation, still=kind == "still")
            one = Filling(
                program, rows_of_windows(relation, units), units, np.arange(len(units.ids))
            )
            rest: Sequence[Step] = program.let
        case "chain":
            one, rest = _about(program, relation, waiting)
        case _:
            one, rest = _at_a_time(program, relation, waiting)
    one.steps(rest, waiting)
    for _, node in program.stages[0].answer:
        one._keep(certain(node, evaluate(node, one.rows), program))
        one._note(said(node))
    one._keep(seen(program, one.rows))
    one._note(UNSEEN)
    assert one.unit is not None
    return Filled(one.rows, one.unit, one.units, one.failed, tuple(one.order))


def _at_a_time(
    program: Program, relation: Relation, waiting: list[Node]
) -> tuple[Filling, Sequence[Step]]:
    """Questions that are put at a time: any, or one that some first steps give."""
    unit = program.unit
    none = Units((), np.zeros(0, np.int64))
    if unit.now is None:
        rows = every_time(_of_recordings(program, whole(relation)))
        one, rest = Filling(program, rows, none), list(program.let)
        now = rows.name("now")
    else:
        first, rest = _needed(program, unit.now)
        one = Filling(program, whole(relation), none)
        one.steps(first, [])
        now = evaluate(unit.now, one.rows)
    assert isinstance(now, Range)
    one.rows = put_at(one.rows, now, unit)
    if program.rounds is not None and program.rounds.every:
        one.rows = at_last_round(one.rows, program.rounds.every)
    _divided(one, relation)
    return one, rest


def _of_recordings(program: Program, rows: Rows) -> Rows:
    """The rows with the steps that are the same at all times of a recording."""
    known = {"it", "video"}
    rows.names["window"] = rows.name("video")  # any will do for what belongs to no time
    for step in program.let:
        if not step.draws and _is_timeless(step.node, known):
            rows.names[step.names[0]] = evaluate(step.node, rows)
            known.add(step.names[0])
    return rows


def _is_timeless(thing: object, known: set[str]) -> bool:
    """Whether a node uses these names alone; a pattern without reference looks at the window."""
    if isinstance(thing, Name):
        return thing.name in known
    if isinstance(thing, tuple):
        return all(_is_timeless(one, known) for one in thing)
    if not hasattr(thing, "__dataclass_fields__"):
        return True
    if isinstance(thing, Pattern):
        if thing.reference is None and not set(thing.kinds) <= set(BANK):
            return False
        known = {*known, thing.alias}
    if isinstance(thing, Call) and "as" in dict(thing.args):
        known = {*known, str(thing.get("as"))}
    parts = (getattr(thing, name) for name in thing.__dataclass_fields__)
    return all(_is_timeless(one, known) for one in parts)


def _divided(one: Filling, relation: Relation) -> None:
    """Give each row its unit: a stretch of time, or a value of the name that has one item each."""
    unit = one.program.unit
    if unit.every is not None:
        one.units, one.unit = stretches(relation, unit.every), by_stretch(one.rows, unit.every)
        one._note("unit")
        return
    codes = value_codes(one.rows.name(unit.per), one.rows)
    pairs = np.stack([one.rows.video.astype(np.uint64), codes], axis=1)
    found, inverse = np.unique(pairs, axis=0, return_inverse=True)
    keys = relation.recordings
    ids = tuple(digest("per", keys[int(v)].key, int(code)) for v, code in found.tolist())
    one.units, one.unit = Units(ids, found[:, 0].astype(np.int64)), inverse.reshape(-1)


def _about(
    program: Program, relation: Relation, waiting: list[Node]
) -> tuple[Filling, Sequence[Step]]:
    """Chains: one filling for each stretch in which an event begins."""
    unit = program.unit
    step = program.step(unit.chain)
    assert step is not None
    name = Name(step.node.type, unit.chain)
    first, rest = _needed(program, name)
    one = Filling(program, whole(relation), Units((), np.zeros(0, np.int64)))
    one.rows.names["window"] = one.rows.name("video")
    one.steps(first, [])
    event = evaluate(name, one.rows)
    assert isinstance(event, One) and unit.every is not None
    start = event.columns["s"]
    one.rows.names["now"] = Range.exact(start)
    one.units, one.unit = stretches(relation, unit.every), by_stretch(one.rows, unit.every)
    one._note("unit")
    return one, rest


def _needed(program: Program, node: Node) -> tuple[list[Step], list[Step]]:
    """(steps that a node rests on, in order; all others)."""
    wanted = set(names_in(node))
    for step in reversed(program.let):
        if wanted & set(step.names):
            wanted |= names_in(step.node)
    first = [step for step in program.let if wanted & set(step.names)]
    return first, [step for step in program.let if step not in first]


def certain(node: Node, value: Value, program: Program) -> np.ndarray:
    """bool (n,): the value is there; a whole number is one, a truth value is known."""
    if isinstance(value, Truth):
        return value.ok & (value.yes | value.no)
    if isinstance(value, Range) and is_counted(node, program):
        return defined(value) & ((value.lo == value.hi) | value.none)
    return defined(value)


def is_counted(node: Node, program: Program) -> bool:
    """Whether a value is a whole number, which has to be one and not a range."""
    if isinstance(node, Name):
        step = program.step(node.name)
        return step is not None and is_counted(step.node, program)
    if isinstance(node, Read):
        return node.reader == "size"
    return isinstance(node, Call) and node.op in ("count", "peak")


def defined(value: Value) -> np.ndarray:
    """bool (n,): the value is there in every world, or certainly none."""
    match value:
        case Truth():
            return value.ok
        case Range() | Label() | One() | Box():
            return value.ok | value.none
        case Record():
            return next(iter(value.numbers.values())).ok
        case Stretch() | Group() | Listed() | Many() | Spans():
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
