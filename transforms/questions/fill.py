"""Filling a template: all fillings of which everything it asks is certain, and why others fail."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from ontology.keys import digest
from transforms.algebra.columns import values as v
from transforms.algebra.columns.codes import value_codes
from transforms.algebra.columns.evaluate import evaluate, holds
from transforms.algebra.columns.rows import Rows
from transforms.algebra.said import said
from transforms.algebra.tree import Call, Name, Node, Pattern, Read, Step
from transforms.algebra.walk import every, names_in
from transforms.language.program import Program
from transforms.questions import units as units_of
from transforms.questions.each import enumerated
from transforms.questions.sight import seen
from transforms.timeline.relation import Relation
from transforms.timeline.relation.bank import BANK
from transforms.timeline.relation.readings import crisp

UNDIVIDED = np.zeros(0, np.int64)
"""Stands for the units of fillings before it is known which they belong to."""
MAYBE_NONE = (v.Range, v.Label, v.One, v.Box)
NO_UNITS = units_of.Units((), np.zeros(0, np.int64))

UNSEEN = "unseen"
"""Why a unit has no item: the answer, or a text, rests on what the question may not see."""


@dataclass
class Filled:
    """A template being filled: conditions are tested as soon as their names are known.

    Attributes:
        rows: one for each filling, with all names of the template that are known so far.
        units: all units of the template; ``unit``: int64 (n,), that of each filling, empty as
            long as none is known.
        failed: unit -> what left it without a filling: a name of ``let``, a condition.
        order: what was tested, in that order.
    """

    program: Program
    rows: Rows
    units: units_of.Units
    unit: np.ndarray = field(default_factory=lambda: UNDIVIDED)
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
                self._keep(holds(node, self.rows))
                self._note(said(node))

    def _value(self, step: Step) -> v.Value:
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
        divided = self.unit is not UNDIVIDED
        if divided:
            self.rows.names[units_of.UNIT] = v.Range.exact(self.unit)
        self.rows = enumerated(step, self.rows)
        if divided:
            self.unit = self.rows.time(units_of.UNIT).at

    def _keep(self, keep: np.ndarray) -> None:
        if keep.all():
            return
        index = np.flatnonzero(keep)
        self.rows = self.rows.inside(index)
        if self.unit is not UNDIVIDED:
            self.unit = self.unit[index]

    def _note(self, what: str) -> None:
        """Units that have just lost their last filling."""
        self.order.append(what)
        if self.unit is UNDIVIDED:
            return
        left = np.zeros(len(self.units.ids), bool)
        left[self.unit] = True
        for one in np.flatnonzero(~left).tolist():
            self.failed.setdefault(one, what)


def filled(program: Program, relation: Relation, clips: units_of.Units) -> Filled:
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
            units = clips if kind == "clip" else units_of.recordings(relation, kind == "still")
            rows, rest = units_of.rows_of_windows(relation, units), list(program.let)
            one = Filled(program, rows, units, np.arange(len(units.ids)))
        case "chain":
            one, rest = _about(program, relation)
        case _:
            one, rest = _at_a_time(program, relation)
    one.steps(rest, waiting)
    for _, node in program.stages[0].answer:
        one._keep(certain(node, evaluate(node, one.rows), program))
        one._note(said(node))
    one._keep(seen(program, one.rows))
    one._note(UNSEEN)
    return one


def _at_a_time(program: Program, relation: Relation) -> tuple[Filled, list[Step]]:
    """Questions that are put at a time: any, or one that some first steps give."""
    unit = program.unit
    if unit.now is None:
        rows = units_of.every_time(_of_recordings(program, units_of.whole(relation)))
        one, rest = Filled(program, rows, NO_UNITS), list(program.let)
        now = rows.name("now")
    else:
        first, rest = _needed(program, unit.now)
        one = Filled(program, units_of.whole(relation), NO_UNITS)
        one.steps(first, [])
        now = evaluate(unit.now, one.rows)
    assert isinstance(now, v.Range)
    one.rows = units_of.put_at(one.rows, now, unit)
    if program.rounds is not None and program.rounds.every:
        one.rows = units_of.at_last_round(one.rows, program.rounds.every)
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


def _is_timeless(node: Node, known: set[str]) -> bool:
    """Whether a node uses these names alone; a pattern without reference looks at the window."""
    inside = list(every(node))
    patterns = [one for one in inside if isinstance(one, Pattern)]
    own = {str(one.get("as")) for one in inside if isinstance(one, Call)}
    own |= {one.alias for one in patterns}
    known_to_bank = all(set(one.kinds) <= set(BANK) for one in patterns if one.reference is None)
    return known_to_bank and names_in(node) <= known | own


def _divided(one: Filled, relation: Relation) -> None:
    """Give each row its unit: a stretch of time, or a value of the name that has one item each."""
    unit = one.program.unit
    if unit.every is not None:
        one.units = units_of.stretches(relation, unit.every)
        one.unit = units_of.by_stretch(one.rows, unit.every)
        one._note("unit")
        return
    codes = value_codes(one.rows.name(unit.per), one.rows)
    pairs = np.stack([one.rows.video.astype(np.uint64), codes], axis=1)
    found, inverse = np.unique(pairs, axis=0, return_inverse=True)
    keys = relation.recordings
    ids = tuple(digest("per", keys[int(v)].key, int(code)) for v, code in found.tolist())
    one.units, one.unit = units_of.Units(ids, found[:, 0].astype(np.int64)), inverse.reshape(-1)


def _about(program: Program, relation: Relation) -> tuple[Filled, list[Step]]:
    """Chains: one filling for each stretch in which an event begins."""
    unit = program.unit
    step = program.step(unit.chain)
    assert step is not None
    name = Name(step.node.type, unit.chain)
    first, rest = _needed(program, name)
    one = Filled(program, units_of.whole(relation), NO_UNITS)
    one.rows.names["window"] = one.rows.name("video")
    one.steps(first, [])
    event = evaluate(name, one.rows)
    assert isinstance(event, v.One)
    one.rows.names["now"] = v.Range.exact(event.columns["s"])
    _divided(one, relation)
    return one, rest


def _needed(program: Program, node: Node) -> tuple[list[Step], list[Step]]:
    """(steps that a node rests on, in order; all others)."""
    wanted = set(names_in(node))
    for step in reversed(program.let):
        if wanted & set(step.names):
            wanted |= names_in(step.node)
    first = [step for step in program.let if wanted & set(step.names)]
    return first, [step for step in program.let if step not in first]


def certain(node: Node, value: v.Value, program: Program) -> np.ndarray:
    """bool (n,): the value is there; a whole number is one, a truth value is known."""
    if isinstance(value, v.Truth):
        return value.ok & (value.yes | value.no)
    if isinstance(value, v.Range) and is_counted(node, program):
        return defined(value) & ((value.lo == value.hi) | value.none)
    return defined(value)


def is_counted(node: Node, program: Program) -> bool:
    """Whether a value is a whole number, which has to be one and not a range."""
    node = program.meant(node)
    if isinstance(node, Read):
        return node.reader == "size"
    return isinstance(node, Call) and node.op in ("count", "peak")


def defined(value: v.Value) -> np.ndarray:
    """bool (n,): the value is there in every world, or certainly none."""
    if isinstance(value, v.Record):
        return next(iter(value.numbers.values())).ok
    return value.ok | value.none if isinstance(value, MAYBE_NONE) else value.ok
