"""Holding chains against worlds: their answers stay, what is wrong stays wrong."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ontology.keys import Key
from transforms.algebra.columns.evaluate import evaluate
from transforms.algebra.columns.values import One
from transforms.algebra.tree import Call, Node
from transforms.algebra.worlds.draw import Drawer
from transforms.algebra.worlds.force import contradicts, said_of
from transforms.algebra.worlds.naive import Env, Span, Undefined
from transforms.algebra.worlds.world import FIELDS, TrueFact
from transforms.language.program import Program, Stage
from transforms.questions.fill import filled
from transforms.questions.offered import _code
from transforms.questions.pools import Put
from transforms.questions.printers import at_us
from transforms.questions.stages import Putting
from transforms.timeline.relation import SHIFT, Relation
from transforms.timeline.relation.bank import BANK, bank_tables

from .operations import NO_UNITS

Problem = tuple[str, str, Any]


def put(program: Program, relation: Relation, most: int) -> tuple[Putting, dict[str, Put]]:
    """All stages for every filling of a template, the first places of windows tried only."""
    found = filled(program, relation, NO_UNITS)
    rows = found.rows.inside(np.arange(min(found.rows.n, most)))
    putting = Putting(program, rows, [Key(i) for i in range(rows.n)], [{}] * rows.n)
    return putting, putting.put()


def held(
    program: Program, relation: Relation, rng: random.Random, worlds: int, most: int = 8
) -> tuple[Counter[str], list[Problem]]:
    """(what was looked at, what some world contradicts)."""
    putting, puts = put(program, relation, most)
    tally: Counter[str] = Counter()
    bad: list[Problem] = []
    drawers = [Drawer(relation, v, ("phase",)) for v in range(len(relation.recordings))]
    known = [tuple(_knowledge(relation, v)) for v in range(len(relation.recordings))]
    for i in [i for i, why in enumerate(putting.why) if not why]:
        video = int(putting.rows.video[i])
        tally["chains"] += 1
        focus = [t + (video << SHIFT) for one in puts.values() for t in _times(one, i)]
        for _ in range(worlds):
            world = drawers[video].draw(rng, focus)
            world = replace(world, facts=(*world.facts, *known[video]))
            tally["worlds"] += 1
            for name, one in puts.items():
                bad += [(name, *what) for what in _contradicted(program, putting, one, i, world)]
    return tally, bad


def _knowledge(relation: Relation, video: int) -> Iterator[TrueFact]:
    """The bank of knowledge, which is the same in every world."""
    for kind in BANK:
        facts, _ = bank_tables(kind, relation)
        for k in np.flatnonzero(facts.video == video).tolist():
            fields = {name: int(getattr(facts, name)[k]) for name in FIELDS}
            yield TrueFact(**fields, s=int(facts.s[k]), e=int(facts.e[k]))


def _times(one: Put, i: int) -> Iterator[int]:
    """Times near which a world tells most: borders of windows, and wrong times."""
    yield from one.windows[i]
    for choice in one.choices[i]:
        if isinstance(choice.value, int):
            yield choice.value
        elif isinstance(choice.value, dict) and "start" in choice.value:
            yield at_us(choice.value["start"])


def _contradicted(
    program: Program, putting: Putting, one: Put, i: int, world: Any
) -> Iterator[tuple[str, Any]]:
    base = int(one.rows.video[i]) << SHIFT
    start, end = one.windows[i]
    try:
        env = names_in(program, putting, i, world).inside(window=Span(base + start, base + end))
    except Undefined:
        yield "a name is undefined", None
        return
    for node in one.stage.where:
        if value_of(node, env) is not True:
            yield "a condition does not hold", node
    for name, node in one.stage.answer:
        claim = said_of(node, evaluate(node, one.rows), i, one.rows.relation)
        found = value_of(node, env)
        if claim is None or contradicts(claim, "undefined" if found is UNDEFINED else found):
            yield f"another {name}", (claim, found)
    if len(one.stage.answer) == 1:
        yield from _right_options(one, i, env, base)


UNDEFINED = object()


def value_of(node: Node, env: Env) -> Any:
    """What a node gives in a world."""
    try:
        return env.ev(node)
    except Undefined:
        return UNDEFINED


def names_in(program: Program, putting: Putting, i: int, world: Any) -> Env:
    """A filling in a world: facts are those that hold what they were made of."""
    rows = putting.rows
    video = int(rows.video[i])
    whole = Span((video << SHIFT) + putting.whole[i][0], (video << SHIFT) + putting.whole[i][1])
    env = Env(rows.relation, world, {"video": whole, "window": whole})
    for step in program.let:
        for name in step.names:
            value = rows.name(name)
            if isinstance(value, One) and not value.none[i]:
                proof = int(value.columns["proof"][i])
                facts = [fact for fact in world.facts if proof in fact.rows]
                if not facts and not step.draws:
                    facts = [env.ev(step.node)]
                if not facts:
                    raise Undefined
                env = env.inside(**{name: facts[0]})
            else:
                env = env.inside(**{name: env.ev(step.node)})
    return env


def _right_options(one: Put, i: int, env: Env, base: int) -> Iterator[tuple[str, Any]]:
    stage = one.stage
    for choice in one.choices[i]:
        told = _in_world(stage, choice.value, base, one)
        if value_of(stage.answer[0][1], env) == told:
            yield "a wrong option is the answer", choice
        pool = next((p for p in stage.wrong if isinstance(p, Call) and p.op == choice.kind), None)
        if isinstance(pool, Call) and pool.get("unless") is not None:
            inner = env.inside(**{str(pool.get("as", "it")): told})
            if value_of(pool.get("unless"), inner) is not False:
                yield "a wrong option may be right", choice


def _in_world(stage: Stage, value: Any, base: int, one: Put) -> Any:
    """A typed value as worlds have it."""
    kind = stage.answer[0][1].type.name
    if kind == "statement":
        return value
    if kind == "instant":
        return base + at_us(value)
    if kind == "stretch":
        return Span(base + at_us(value["start"]), base + at_us(value["end"]))
    if kind == "sequence":
        return tuple(_code(member, one.rows) for member in value)
    return _code(value, one.rows)
