"""Shipped templates held against drawn worlds: no answer changes, no condition fails."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from transforms.algebra.columns.evaluate import evaluate
from transforms.algebra.columns.rows import Rows
from transforms.algebra.columns.values import Range, Stretch
from transforms.algebra.said import said
from transforms.algebra.tree import Call, Name, Node, Step
from transforms.algebra.worlds.draw import Drawer
from transforms.algebra.worlds.force import contradicts, said_of
from transforms.algebra.worlds.naive import Env, Span, Undefined
from transforms.algebra.worlds.world import FIELDS, TrueFact, World
from transforms.language.program import Program
from transforms.questions.fill import Filled, filled
from transforms.questions.units import Units
from transforms.timeline.relation import Relation
from transforms.timeline.relation.bank import BANK, bank_tables

EXCLUSIVE = ("phase", "step", "gesture")
UNDEFINED = "undefined"


@dataclass
class Tally:
    """What was held: fillings times worlds by template, and what a world contradicts."""

    held: Counter[str] = field(default_factory=Counter)
    bad: list[str] = field(default_factory=list)


def hold(
    rng: random.Random, relation: Relation, clips: Units, programs: Sequence[Program],
    fillings: int, worlds: int,
) -> Tally:  # fmt: skip
    """Every program's fillings, some of each, in some worlds."""
    tally = Tally()
    drawers = [Drawer(relation, v, EXCLUSIVE) for v in range(len(relation.recordings))]
    known = _knowledge(relation)
    for program in programs:
        found = filled(program, relation, clips)
        chosen = rng.sample(range(found.rows.n), min(fillings, found.rows.n))
        for i in chosen:
            video = int(found.rows.video[i])
            focus = _focus(found, i)
            for _ in range(worlds):
                world = drawers[video].draw(rng, focus)
                tally.held[program.id] += 1
                against = _contradiction(program, found, i, _with(world, known[video]))
                if against is not None:
                    tally.bad.append(f"{program.id} filling {i}: {against}")
                    break
    return tally


def _focus(found: Filled, i: int) -> list[int]:
    """Times near which an unlisted fact would tell."""
    out: set[int] = set()
    for name in ("window", "now"):
        value = _own(found.rows, name)
        if isinstance(value, Stretch):
            out |= {int(value.start.at[i]), int(value.end.at[i])}
        elif isinstance(value, Range):
            out.add(int(value.at[i]))
    return sorted({t + d for t in out for d in (-8_000_000, -1, 0, 1)})


def _own(rows: Rows, name: str) -> Any:
    try:
        return rows.name(name)
    except KeyError:
        return None


def _knowledge(relation: Relation) -> list[list[TrueFact]]:
    """Facts of the bank, which hold in every world, by recording."""
    out: list[list[TrueFact]] = [[] for _ in relation.recordings]
    for kind in BANK:
        facts, _ = bank_tables(kind, relation)
        for i, video in enumerate(facts.video.tolist()):
            fields = {name: int(getattr(facts, name)[i]) for name in FIELDS}
            out[video].append(TrueFact(**fields, s=int(facts.s[i]), e=int(facts.e[i])))
    return out


def _with(world: World, known: list[TrueFact]) -> World:
    return World(world.video, (*world.facts, *known), world.samples, world.boxes, world.instants)


def _contradiction(program: Program, found: Filled, i: int, world: World) -> str | None:
    """What of a filling does not hold in a world."""
    rows, relation = found.rows, found.rows.relation
    env = Env(relation, world, {})
    for name in ("video", "window", "now"):
        value = _own(rows, name)
        if isinstance(value, Stretch):
            env.names[name] = Span(int(value.start.at[i]), int(value.end.at[i]))
        elif isinstance(value, Range):
            env.names[name] = int(value.at[i])
    for step in program.let:
        for name, value in _values(step, env, rows, i):
            claim = said_of(step.node, rows.name(name), i, relation)
            if claim is not None and contradicts(claim, value):
                return f"{name} is {value}, said {claim}"
            if value is not UNDEFINED:
                env.names[name] = value
    for node in program.where:
        if _in(env, node) is not True:
            return f"not so: {said(node)}"
    for name, node in program.stages[0].answer:
        step = program.step(node.name) if isinstance(node, Name) else None
        claim = said_of(step.node if step else node, evaluate(node, rows), i, relation)
        value = _in(env, node)
        if claim is not None and contradicts(claim, value):
            return f"answer {name} is {value}, said {claim}"
    return None


def _in(env: Env, node: Node) -> Any:
    try:
        return env.ev(node)
    except Undefined:
        return UNDEFINED


def _values(step: Step, env: Env, rows: Rows, i: int) -> Iterator[tuple[str, Any]]:
    """The names of a step with their values in this world; of what is drawn, the one drawn."""
    if not step.draws:
        yield step.names[0], _in(env, step.node)
        return
    assert isinstance(step.node, Call)
    every = _in(env, step.node)
    every = [] if every is UNDEFINED else every
    if isinstance(step.node.get("of"), str) and step.node.get("of") == "stretch":
        every = [Span(a, b) for a, b in every]
    for name in step.names:
        claim = said_of(step.node, rows.name(name), i, rows.relation)
        like = [one for one in every if claim is not None and not contradicts(claim, one)]
        yield name, like[0] if like else UNDEFINED
