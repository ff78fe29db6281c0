"""Find all fillings (values for the names of a template) whose answer is certain, unit by unit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from surgqa.ontology.keys import digest
from surgqa.transforms.algebra.columns import values as v
from surgqa.transforms.algebra.columns.apart import UNNAMEABLE, instances_in, nameable
from surgqa.transforms.algebra.columns.codes import value_codes
from surgqa.transforms.algebra.columns.evaluate import evaluate, holds
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.operators.each.fillings import annotated, enumerated
from surgqa.transforms.algebra.said import said
from surgqa.transforms.algebra.tree import Call, Name, Node, Pattern, Step
from surgqa.transforms.algebra.walk import every, names_in
from surgqa.transforms.language.program import Program
from surgqa.transforms.questions import units as units_of
from surgqa.transforms.questions.certain import certain
from surgqa.transforms.questions.pools import exchanged
from surgqa.transforms.questions.sight import seen
from surgqa.transforms.timeline.relation import Relation
from surgqa.transforms.timeline.relation.bank import BANK
from surgqa.transforms.timeline.relation.readings import crisp

NO_UNITS = units_of.Units((), np.zeros(0, np.int64))
NO_TIME = v.Range.exact(np.zeros(0, np.int64))

TRIES = 16
"""Number of fillings (possible questions) of a unit that are tried together for options."""

UNSEEN = "unseen"
"""Reason code: the answer or a text depends on evidence outside the question's window."""


Condition = tuple[Node, Callable[[Node, Rows], np.ndarray], str]
"""(tested node, test function, its description)."""


@dataclass
class Filled:
    """The fillings (rows of values for a template's names) after some steps of the template.

    A condition is tested as soon as all names that it uses have values.

    Attributes:
        rows: one row for each filling, with the values of all names that are known so far.
        units: all units (such as clips) of the template; empty until they are derived from rows.
        failed: for each unit without fillings, the index in ``order`` of the test that removed its
            last filling.
        order: names of ``let`` and conditions, in the order in which they were tested.
        known: names of ``let`` whose value was evaluated.
        having: bool (units,), units that had a filling after the last test; None: all of them.
        waiting: conditions that are not tested yet.
    """

    program: Program
    rows: Rows
    units: units_of.Units
    failed: dict[int, int] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    having: np.ndarray | None = None
    waiting: list[Condition] = field(default_factory=list)

    @property
    def unit(self) -> np.ndarray:
        """Index of the unit (such as the clip) of each row, int64 (n,)."""
        return unit_of(self.rows)

    def copy(self) -> Filled:
        """Return a copy, so that further steps leave the original as it is."""
        return replace(self, failed=dict(self.failed), order=list(self.order),
                       known=set(self.known), waiting=list(self.waiting))  # fmt: skip

    def only(self, index: np.ndarray) -> Filled:
        """Return a copy that holds only the rows with these indices."""
        one = self.copy()
        one.rows = self.rows.inside(index)
        one.having = np.bincount(one.unit, minlength=len(self.units.ids)) > 0
        return one

    def steps(self, steps: Iterable[Step]) -> None:
        """Evaluate some steps of ``let``, and every condition as soon as its names have values.

        If no filling is left, only the order of the steps is recorded.
        """
        for step in steps:
            if self.rows.n and step.draws:
                self.rows = enumerated(step, self.rows)
            elif self.rows.n:
                self._keep(self._defined(step))
            self.known.update(step.names)
            self._note(", ".join(step.names))
            for one in [one for one in self.waiting if self._knows(one[0])]:
                self.waiting.remove(one)
                node, test, what = one
                self.test(partial(test, node), what)

    def test(self, test: Callable[[Rows], np.ndarray], what: str) -> None:
        """Keep the rows for which a test is certainly true."""
        if self.rows.n:
            self._keep(test(self.rows))
        self._note(what)

    def _defined(self, step: Step) -> np.ndarray:
        """Return bool (n,), True for each row in which a step has a value.

        The step is not evaluated again if its value was already found for whole videos.
        """
        name = step.names[0]
        if not self.rows.has(name):
            self.rows.names[name] = evaluate(step.node, self.rows)
        value, index = self.rows.origin(name)
        return v.defined(value)[index]

    def _knows(self, node: Node) -> bool:
        return all(map(self.rows.has, names_in(node) - {"it"} - self.known))

    def _keep(self, keep: np.ndarray) -> None:
        if not keep.all():
            self.rows = self.rows.inside(np.flatnonzero(keep))

    def why(self) -> dict[int, str]:
        """Return, for each clip or other unit without rows, the test that removed its last row."""
        return {unit: self.order[place] for unit, place in self.failed.items()}

    def _note(self, what: str) -> None:
        """Record a test, and the units (such as clips) that lost their last row by it."""
        self.order.append(what)
        if self.units.ids:
            left = np.bincount(self.unit, minlength=len(self.units.ids)) > 0
            before = np.ones(len(left), bool) if self.having is None else self.having
            lost = np.flatnonzero(before & ~left).tolist()
            self.failed.update(dict.fromkeys(lost, len(self.order) - 1))
            self.having = left


def _numbers(value: v.Value, _rows: Rows) -> np.ndarray:
    assert isinstance(value, v.Range)
    return value.at


def unit_of(rows: Rows) -> np.ndarray:
    """Return the index of the unit (such as the clip) of each row, int64 (n,)."""
    return rows.of_name(units_of.UNIT, _numbers)


def among(unit: np.ndarray) -> np.ndarray:
    """Return the number of each row within its unit (such as a clip), from 0: int64 (n,).

    Args:
        unit: int64 (n,), ascending, the unit of each row.
    """
    return np.arange(len(unit)) - np.searchsorted(unit, unit)


AT_ONCE = 4096
"""How many fillings are processed together before each is multiplied by further draws, and how many
are evaluated together after the last draw. A video of many hours has hundreds of thousands, each
with all facts that may lie in its window."""

DRAWN_AT_ONCE = 1 << 20
"""How many values of ``each`` are drawn together. A clip of 26 s with 25 annotated instants a
second has 211,000 stretches."""


class Filling:
    """Finds the possible questions (fillings) of a template, some units (such as clips) at a time.

    Args:
        clips: the units of templates that ask about clips.
        without: indices of videos about which nothing is asked.

    Attributes:
        begun: all units, with values for the first steps of the template.
    """

    def __init__(
        self, program: Program, relation: Relation, clips: units_of.Units,
        without: Collection[int] = (),
    ) -> None:  # fmt: skip
        if program.reading == "labels":
            relation = crisp(relation)
        self._without = sorted(without)
        self.begun, self._rest = _begun(program, relation, clips, self._without)
        draws = [place for place, step in enumerate(self._rest, 1) if step.draws]
        self._last = max(draws, default=0)

    def parts(self, only: Collection[str] | None = None) -> Iterator[np.ndarray]:
        """Yield batches of unit indices, int64 (k,) each; only one batch if options are exchanged.

        Args:
            only: ids of the units to use; None: all.
        """
        units = self.begun.units
        wanted = np.array([only is None or one in only for one in units.ids], bool)
        wanted &= ~np.isin(units.video, self._without)
        many = np.bincount(self.begun.unit, self._sizes(), len(wanted)) * wanted
        part = np.cumsum(many).astype(np.int64)
        if any(map(exchanged, self.begun.program.stages)):
            part[:] = 0
        for one in np.unique(part[wanted]).tolist():
            yield np.flatnonzero(wanted & (part == one))

    def _sizes(self) -> np.ndarray:
        """Return the share of a batch that each row of ``begun`` takes, float64 (n,)."""
        rows = self.begun.rows
        drawn = [step.node.get("of") for step in self._rest if isinstance(step.node, Call)
                 and step.draws]  # fmt: skip
        power = drawn.count("instant") + 2 * drawn.count("stretch")
        window = rows.stretch("window") if power and rows.n else None
        count = annotated(rows, window.start.at, window.end.at)[2] if window else np.ones(rows.n)
        return np.maximum(1 / AT_ONCE, count.astype(np.float64) ** power / DRAWN_AT_ONCE)

    def filled(self, units: np.ndarray) -> Iterator[Filled]:
        """Yield all possible questions of some units (such as clips) that are certain, in parts."""
        drawn = self.drawn(units)
        for some in pieces(np.arange(drawn.rows.n)):
            yield self.finished(drawn, some)

    def drawn(self, units: np.ndarray) -> Filled:
        """Return all possible questions of some units, after the last step that draws values."""
        begun, program = self.begun, self.begun.program
        one = Filled(program, begun.rows, begun.units, dict(begun.failed), list(begun.order),
                     set(begun.known))  # fmt: skip
        one._keep(np.isin(one.unit, units))
        one.having = np.bincount(one.unit, minlength=len(begun.units.ids)) > 0
        one.waiting = [(node, holds, said(node)) for node in program.where]
        if program.unit.kind != "chain":  # stages of a chain have their own windows
            shown = instances_in(program.stages[0].texts)
            one.waiting += [(node, nameable, UNNAMEABLE) for node in shown]
        one.steps(self._rest[: self._last])
        return one

    def finished(self, drawn: Filled, rows: np.ndarray | None = None) -> Filled:
        """Return those possible questions of :meth:`drawn` that are certain, with all their values.

        Args:
            rows: int64 (k,), ascending, the rows to evaluate; None: all.
        """
        program = drawn.program
        one = drawn.copy() if rows is None else drawn.only(rows)
        one.steps(self._rest[self._last :])
        for _, node in program.stages[0].answer:
            one.test(partial(certain, program, node), said(node))
        one.test(partial(seen, program), UNSEEN)
        return one


def pieces(rows: np.ndarray) -> list[np.ndarray]:
    """Return rows in pieces of at most :data:`AT_ONCE`; at least one piece."""
    return np.split(rows, range(AT_ONCE, len(rows), AT_ONCE))


def _begun(
    program: Program, relation: Relation, clips: units_of.Units, without: Sequence[int]
) -> tuple[Filled, list[Step]]:
    """Return the units (such as clips) with rows for the first steps, and the remaining steps.

    Args:
        without: indices of videos whose query times are left out.
    """
    match program.unit.kind:
        case "clip" | "still" | "recording":
            kind = program.unit.kind
            units = clips if kind == "clip" else units_of.recordings(relation, kind == "still")
            rows = relation.once(("rows of windows", units.ids),
                                 partial(units_of.rows_of_windows, relation, units))  # fmt: skip
            rows.shares = True  # all templates share values that depend on the window alone
            own = rows.inside(np.arange(rows.n))
            return Filled(program, own, units), list(program.let)
        case "chain":
            return _about(program, relation)
        case _:
            return _at_a_time(program, relation, without)


def _at_a_time(
    program: Program, relation: Relation, without: Sequence[int]
) -> tuple[Filled, list[Step]]:
    """Return rows for questions about a time ``now`` after the first steps, and remaining steps.

    ``now`` may be any time of the video, or a time that the first steps compute.
    """
    unit = program.unit
    if unit.now is None:
        rows = units_of.every_time(_of_recordings(program, units_of.whole(relation)), without)
        one, rest = Filled(program, rows, NO_UNITS), list(program.let)
        now = rows.name("now")
    else:
        first, rest = _needed(program, unit.now)
        one = Filled(program, units_of.whole(relation), NO_UNITS)
        one.steps(first)
        now = evaluate(unit.now, one.rows) if one.rows.n else NO_TIME
    assert isinstance(now, v.Range)
    one.rows = units_of.put_at(one.rows, now, unit)
    if program.rounds is not None and program.rounds.every:
        one.rows = units_of.at_last_round(one.rows, program.rounds.every)
    _divided(one, relation)
    return one, rest


def _of_recordings(program: Program, rows: Rows) -> Rows:
    """Return the rows with the values of those steps that are the same at all times of a video."""
    known = {"it", "video"}
    rows.names["window"] = rows.name("video")  # a placeholder: timeless steps never read it
    for step in program.let:
        if not step.draws and _is_timeless(step.node, known):
            rows.names[step.names[0]] = evaluate(step.node, rows)
            known.add(step.names[0])
    return rows


def _is_timeless(node: Node, known: set[str]) -> bool:
    """True if an expression uses no names but ``known``, and not the window.

    A pattern without a reference uses the window.
    """
    inside = list(every(node))
    patterns = [one for one in inside if isinstance(one, Pattern)]
    own = {str(one.get("as")) for one in inside if isinstance(one, Call)}
    own |= {one.alias for one in patterns}
    known_to_bank = all(set(one.kinds) <= set(BANK) for one in patterns if one.reference is None)
    return known_to_bank and names_in(node) <= known | own


def _divided(one: Filled, relation: Relation) -> None:
    """Set the unit of each row: a stretch of time, or a value of the name after ``per``."""
    unit = one.program.unit
    if unit.every is not None:
        one.units = relation.once(("stretches", unit.every),
                                  partial(units_of.stretches, relation, unit.every))  # fmt: skip
        of = units_of.by_stretch(one.rows, unit.every)
        one.rows.names[units_of.UNIT] = v.Range.exact(of)
        one._note("unit")
        return
    codes = value_codes(one.rows.name(unit.per), one.rows) if one.rows.n else np.zeros(0, np.uint64)
    pairs = np.stack([one.rows.video.astype(np.uint64), codes], axis=1)
    found, inverse = np.unique(pairs, axis=0, return_inverse=True)
    keys = relation.recordings
    ids = tuple(digest("per", keys[int(v)].key, int(code)) for v, code in found.tolist())
    one.units = units_of.Units(ids, found[:, 0].astype(np.int64))
    one.rows.names[units_of.UNIT] = v.Range.exact(inverse.reshape(-1))


def _about(program: Program, relation: Relation) -> tuple[Filled, list[Step]]:
    """Return rows for the events of a chain (questions about one event), and the remaining steps.

    All events that begin in the same stretch of time belong to one unit.
    """
    unit = program.unit
    step = program.step(unit.chain)
    assert step is not None
    name = Name(step.node.type, unit.chain)
    first, rest = _needed(program, name)
    one = Filled(program, units_of.whole(relation), NO_UNITS)
    one.rows.names["window"] = one.rows.name("video")
    one.steps(first)
    event = evaluate(name, one.rows) if one.rows.n else None
    begin = v.Range.exact(event.columns["s"]) if isinstance(event, v.One) else NO_TIME
    one.rows.names["now"] = begin
    _divided(one, relation)
    return one, rest


def _needed(program: Program, node: Node) -> tuple[list[Step], list[Step]]:
    """Return two lists of steps: those that an expression needs, in order, and all others."""
    wanted = set(names_in(node))
    for step in reversed(program.let):
        if wanted & set(step.names):
            wanted |= names_in(step.node)
    first = [step for step in program.let if wanted & set(step.names)]
    return first, [step for step in program.let if step not in first]
