"""Items held against worlds: no name, condition, answer or round changes, no wrong option is right.

Templates are asked as a build asks them; each item is then looked up in drawn worlds by the
definitions of the operators alone.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from typing import Any
from unittest import mock

import numpy as np
import pytest

from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.typed import _code, at_us, number_of
from surgqa.transforms.algebra.columns.values import Range, Stretch
from surgqa.transforms.algebra.said import said
from surgqa.transforms.algebra.tree import Call, Name, Node, Step
from surgqa.transforms.algebra.types import Type, element
from surgqa.transforms.algebra.worlds.draw import Drawer
from surgqa.transforms.algebra.worlds.force import UNDEFINED, claim, contradicts, said_of
from surgqa.transforms.algebra.worlds.naive import Env, Interval, Undefined
from surgqa.transforms.algebra.worlds.world import FIELDS, Rect, TrueFact, World
from surgqa.transforms.language.program import Program, Stage
from surgqa.transforms.questions import ask as asking
from surgqa.transforms.questions.pools import Put
from surgqa.transforms.questions.rounds import _at_rounds, _said, _turns, planned, times_of
from surgqa.transforms.questions.stages import Putting
from surgqa.transforms.questions.units import Units
from surgqa.transforms.questions.wrong import Choice, name_of
from surgqa.transforms.timeline.relation import SHIFT, Relation
from surgqa.transforms.timeline.relation.bank import BANK, bank_tables

GIVEN = ("video", "window", "now", "round")


@dataclass
class Tally:
    """What was held, by template, and what a world contradicts.

    Attributes:
        items: questions asked; ``pairs``: those with a world each; ``options``: wrong ones of them.
        worlds: worlds drawn.
    """

    items: Counter[str] = field(default_factory=Counter)
    pairs: Counter[str] = field(default_factory=Counter)
    options: int = 0
    worlds: int = 0
    bad: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Count what another one counted as well."""
        self.items += other.items
        self.pairs += other.pairs
        self.options += other.options
        self.worlds += other.worlds
        self.bad += other.bad


@dataclass(frozen=True)
class Asked:
    """One item (of a chain, all its questions) as it was put."""

    program: Program
    putting: Putting
    puts: Mapping[str, Put]
    i: int

    @property
    def video(self) -> int:
        return int(self.putting.rows.video[self.i])

    @property
    def base(self) -> int:
        return self.video << SHIFT


def asked(
    program: Program, relation: Relation, units: Units, seed: str = "worlds"
) -> tuple[list[Asked], asking.Asked]:  # fmt: skip
    """The items of a template as a build would ask them: as they were put, and as rows."""
    kept: list[tuple[Putting, dict[str, Put]]] = []

    class Recorded(Putting):
        def put(self) -> dict[str, Put]:
            kept.append((self, super().put()))
            return kept[-1][1]

    with mock.patch.object(asking, "Putting", Recorded):
        out = asking.Asker(relation, units, seed).ask(program)
    return [Asked(program, putting, puts, i) for putting, puts in kept
            for i, why in enumerate(putting.why) if not why], out  # fmt: skip


def hold(
    rng: random.Random, relation: Relation, units: Units, programs: Sequence[Program],
    worlds: int, most: int = 1_000_000,
) -> Tally:  # fmt: skip
    """Items of some programs in drawn worlds.

    Args:
        worlds: drawn for each group of at most four items about one recording and some kinds.
        most: items of one template at most, drawn from all.
    """
    tally = Tally()
    chosen: list[Asked] = []
    with mock.patch.object(asking, "reasons", lambda *_: {}):
        for program in programs:
            found, _ = asked(program, relation, units)
            tally.items[program.id] += len(found)
            chosen += rng.sample(found, min(most, len(found)))
    tally.add(hold_items(rng, relation, chosen, worlds))
    return tally


def hold_items(
    rng: random.Random, relation: Relation, chosen: Sequence[Asked], worlds: int
) -> Tally:
    """Some items in drawn worlds."""
    tally = Tally()
    groups: dict[tuple[int, tuple[str, ...]], list[Asked]] = {}
    for one in chosen:
        groups.setdefault((one.video, one.program.kinds), []).append(one)
    for (video, kinds), items in sorted(groups.items()):
        known = tuple(knowledge(relation, video))
        drawer = Drawer(relation, video, kinds)
        rng.shuffle(items)
        for k in range(0, len(items), 4):
            _hold(rng, drawer, known, items[k : k + 4], worlds, tally)
    return tally


def _hold(
    rng: random.Random, drawer: Drawer, known: tuple[TrueFact, ...], items: list[Asked],
    worlds: int, tally: Tally,
) -> None:  # fmt: skip
    focus = sorted({t for one in items for t in _focus(one)})
    left = list(items)
    for _ in range(worlds):
        world = drawer.draw(rng, focus)
        world = replace(world, facts=(*world.facts, *known))
        tally.worlds += 1
        for one in list(left):
            tally.pairs[one.program.id] += 1
            tally.options += sum(len(put.choices[one.i]) for put in one.puts.values())
            against = next(contradictions(one, world), None)
            if against is not None:
                tally.bad.append(f"{one.program.id} item {one.i}: {against}")
                left.remove(one)


def _focus(one: Asked) -> Iterator[int]:
    """Times near which an unlisted fact would tell: borders of windows, and wrong times."""
    for put in one.puts.values():
        yield from (one.base + t + d for t in put.windows[one.i].tolist() for d in (-1, 0, 1))
        for choice in put.choices[one.i]:
            if put.stage.answer[0][1].type.name == "instant" and len(put.stage.answer) == 1:
                yield one.base + at_us(choice.value)
    now = _own(one.putting.rows, "now")
    if isinstance(now, Range):
        yield from (int(now.at[one.i]) + d for d in (-8_000_000, -1, 0, 1, 8_000_000))


def _own(rows: Rows, name: str) -> Any:
    try:
        return rows.name(name)
    except KeyError:
        return None


def knowledge(relation: Relation, video: int) -> Iterator[TrueFact]:
    """The bank of knowledge, which is the same in every world."""
    for kind in BANK:
        facts, _ = bank_tables(kind, relation)
        for k in np.flatnonzero(facts.video == video).tolist():
            fields = {name: int(getattr(facts, name)[k]) for name in FIELDS}
            yield TrueFact(**fields, s=int(facts.s[k]), e=int(facts.e[k]),
                           rows=frozenset([int(facts.proof[k])]))  # fmt: skip


# -- one item in one world ------------------------------------------------------------------------


def contradictions(one: Asked, world: World) -> Iterator[str]:
    """What of an item does not hold in a world."""
    rows, program = one.putting.rows, one.program
    env = given(rows, one.i, world)
    for step in program.let:
        for name, value in _values(step, env, rows, one.i):
            told = said_of(step.node, rows.name(name), one.i, rows.relation)
            if told is not None and contradicts(told, value):
                yield f"{name} is {value}, said {told}"
            if value is not UNDEFINED:
                env.names[name] = value
    for node in program.where:
        if in_world(env, node) is not True:
            yield f"not so: {said(node)}"
    windows = {name: Interval(*(one.base + t for t in put.windows[one.i].tolist()))
               for name, put in one.puts.items()}  # fmt: skip
    for name, put in one.puts.items():
        yield from _of_stage(one, put, env.inside(**windows | {"window": windows[name]}))
    if program.rounds is not None:
        yield from _rounds(one, env)


def given(rows: Rows, i: int, world: World) -> Env:
    """The names that no template declares, of one filling."""
    env = Env(rows.relation, world, {})
    for name in GIVEN:
        value = _own(rows, name)
        if isinstance(value, Stretch):
            env.names[name] = Interval(int(value.start.at[i]), int(value.end.at[i]))
        elif isinstance(value, Range):
            env.names[name] = int(value.at[i])
    env.names.setdefault("window", env.names["video"])
    return env


def in_world(env: Env, node: Node) -> Any:
    """What a node gives in a world."""
    try:
        return env.ev(node)
    except Undefined:
        return UNDEFINED


def _values(step: Step, env: Env, rows: Rows, i: int) -> Iterator[tuple[str, Any]]:
    """The names of a step with their values in this world; of what is drawn, the one drawn."""
    if not step.draws:
        yield step.names[0], in_world(env, step.node)
        return
    assert isinstance(step.node, Call)
    every = in_world(env, step.node)
    every = [] if every is UNDEFINED else every
    if step.node.get("of") == "stretch":
        every = [Interval(a, b) for a, b in every]
    for name in step.names:
        told = claim(rows.name(name), i, rows.relation)
        if step.node.get("take"):
            yield name, _taken(told, every)
            continue
        like = [one for one in every if told is not None and not contradicts(told, one)]
        yield name, like[0] if like else UNDEFINED


def _taken(told: Any, every: Sequence[Any]) -> Any:
    """Elements that were taken at once, each of them one of all."""
    assert told is not None and told[0] in ("times", "spans")
    out = []
    for bounds in told[1]:
        one = ("in", bounds) if told[0] == "times" else ("span", bounds)
        like = [value for value in every if not contradicts(one, value)]
        if not like:
            return UNDEFINED
        out.append(like[0])
    return tuple(out)


def _of_stage(one: Asked, put: Put, env: Env) -> Iterator[str]:
    for node in put.stage.where:
        if in_world(env, node) is not True:
            yield f"{put.stage.name} not so: {said(node)}"
    found = []
    for name, node in put.stage.answer:
        told = said_of(_step(one.program, node), evaluate(node, put.rows), one.i, put.rows.relation)
        found.append(in_world(env, node))
        if told is None or contradicts(told, found[-1]):
            yield f"{put.stage.name} answer {name} is {found[-1]}, said {told}"
    if len(found) == 1:
        env = env.inside(answer=_answer(one, put, found[0]))
    for choice in put.choices[one.i]:
        yield from _right(one, put, choice, found, env)


def _answer(one: Asked, put: Put, found: Any) -> Any:
    """What a condition on options has as the answer; a segment is as it is printed."""
    node = put.stage.answer[0][1]
    step = _step(one.program, node)
    if isinstance(step, Call) and step.op == "segment":
        return world_value(put.answers[0][one.i], node.type, one, put.rows)
    return found


def _step(program: Program, node: Node) -> Node:
    step = program.step(node.name) if isinstance(node, Name) else None
    return step.node if step is not None and not step.draws else node


# -- wrong options --------------------------------------------------------------------------------


def _right(
    one: Asked, put: Put, choice: Choice, found: list[Any], env: Env
) -> Iterator[str]:  # fmt: skip
    """Why a wrong option is right in a world, if it is."""
    stage = put.stage
    several = len(stage.answer) > 1
    told = choice.value if several else [choice.value]
    values = [world_value(value, node.type, one, put.rows)
              for value, (_, node) in zip(told, stage.answer, strict=True)]  # fmt: skip
    if all(alike(a, b, node.type)
           for a, b, (_, node) in zip(values, found, stage.answer, strict=True)):  # fmt: skip
        yield f"{stage.name} the wrong option {choice} is the answer"
    if not several and _in_range(values[0], put, one.i):
        yield f"{stage.name} the wrong option {choice} lies within what the answer may be"
    pool = next((p for p in stage.wrong if isinstance(p, Call) and name_of(p) == choice.kind), None)
    if pool is not None and pool.get("unless") is not None and not several:
        it = _as_element(choice.value, pool, stage, one, put.rows)
        inner = env.inside(**{str(pool.get("as", "it")): it})
        if in_world(inner, pool.get("unless")) is not False:
            yield f"{stage.name} the wrong option {choice} is not ruled out"


def _as_element(value: Any, pool: Call, stage: Stage, one: Asked, rows: Rows) -> Any:
    many = pool.type.name in ("set", "sequence", "facts")
    return world_value(value, element(pool.type) if many else stage.answer[0][1].type, one, rows)


def _in_range(value: Any, put: Put, i: int) -> bool:
    answer = evaluate(put.stage.answer[0][1], put.rows)
    if not isinstance(answer, Range) or answer.none[i] or value is None:
        return False
    return bool(answer.lo[i] <= value <= answer.hi[i])


def world_value(value: Any, of: Type, one: Asked, rows: Rows) -> Any:
    """A typed value as worlds have it."""
    match of.name:
        case _ if value is None:
            return None
        case "statement" | "truth":
            return value
        case "instant":
            return one.base + at_us(value)
        case "stretch":
            return Interval(one.base + at_us(value["start"]), one.base + at_us(value["end"]))
        case "number" | "duration":
            return number_of(value)
        case "set" | "sequence":
            return tuple(world_value(member, element(of), one, rows) for member in value)
        case "box" | "point":
            return Rect(*value, *value[: 4 - len(value)])
    return _code(value, rows)


def alike(told: Any, found: Any, of: Type) -> bool:
    """Whether two values of a world are one."""
    if found is UNDEFINED or found is None or told is None:
        return found is told
    if of.name == "set":
        return set(told) == set(found)
    if isinstance(told, Rect):
        return astuple(told) == pytest.approx(astuple(found), abs=1e-6)
    return bool(told == (tuple(found) if isinstance(found, list) else found))


# -- rounds ---------------------------------------------------------------------------------------


def _rounds(one: Asked, env: Env) -> Iterator[str]:
    """What is wrong at a round of a stream: said too early, too late, or something else."""
    (put,), rounds = one.puts.values(), one.program.rounds
    assert rounds is not None
    rows = put.rows.inside(np.array([one.i]))
    plan = planned(one.program, rows, [put.cases[one.i].key])[0]
    if rounds.due is None:
        yield from _said_again(one, rows, plan, env)
        return
    due = in_world(env, rounds.due)
    for t in times_of(plan):
        ready = plan is not None and plan.due is not None and t >= plan.due
        if due is UNDEFINED or ready != (due is not None and one.base + t >= due):
            yield f"the round at {t} expects {'an' if ready else 'no'} answer, due {due}"


def _said_again(one: Asked, rows: Rows, plan: Any, env: Env) -> Iterator[str]:
    program = one.program
    inner, _ = _at_rounds(program, rows, [plan])
    turning = [step for step in program.let if not step.draws and _turns(program, step.node)]
    for k, t in enumerate(times_of(plan)):
        here = env.inside(round=one.base + t)
        for step in turning:
            here.names[step.names[0]] = in_world(here, step.node)
        for node in _said(program):
            told = said_of(_step(program, node), evaluate(node, inner), k, inner.relation)
            if told is None or contradicts(told, in_world(here, node)):
                yield f"the round at {t} says {told}, it is {in_world(here, node)}"
        for node in program.where:
            if _turns(program, node) and in_world(here, node) is not True:
                yield f"the round at {t}: not so: {said(node)}"


__all__ = ["Tally", "asked", "contradictions", "hold", "hold_items"]
