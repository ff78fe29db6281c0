"""Enumerating: a filling for everything that is there in every world, and for nothing else."""

from __future__ import annotations

import random

import numpy as np
import pytest

from surgqa.transforms.algebra.columns.values import Box, Label, One, Range, Stretch
from surgqa.transforms.algebra.operators.each.fillings import enumerated
from surgqa.transforms.algebra.tree import Call, Const, Name, Node, Pattern, Step
from surgqa.transforms.algebra.types import INSTANT, NUMBER, STRETCH, Type
from surgqa.transforms.algebra.worlds.draw import Drawer
from surgqa.transforms.algebra.worlds.force import LOOK_BACK, rows_at
from surgqa.transforms.algebra.worlds.naive import Env, Interval
from surgqa.transforms.algebra.worlds.world import Rect, TrueFact
from surgqa.transforms.timeline.relation import on_axis
from tests.each import cases
from tests.transforms.algebra import drawn
from tests.transforms.questions.made import relation, rows
from tests.transforms.timeline.videos import RETRACT, Seen, box_at

S = 1_000_000
FACT = Type("fact", "instrument")


def each(of: object, type_: Type, **more: object) -> Step:
    """A step that draws."""
    return Step(("x",), Call(type_, "each", (("of", of), *more.items())), True)


STEPS = {
    "instant": each("instant", INSTANT),
    "stretch": each("stretch", STRETCH, at_least=2 * S),
    "point": each("point", Type("point"), grid=3),
    "list": each((Const(NUMBER, 1.0), Const(NUMBER, 2.0)), NUMBER),
    "facts": each(Pattern(FACT, ("instrument",)), FACT),
    "track": each(Pattern(FACT, ("instrument",), field="track"), FACT),
    "label": each(Pattern(FACT, ("instrument",), field="label"), Type("label", "instrument")),
    "verb": each(Pattern(FACT, ("interaction",), field="verb"), Type("label", "verb")),
    "parts": each(
        Call(Type("stretches"), "parts", (("of", Name(STRETCH, "window")), ("n", 4))), STRETCH
    ),
}  # fmt: skip


@cases("name", sorted(STEPS))
def test_what_is_drawn_is_there_in_every_world(name):
    rng = random.Random(name)
    known = drawn.relation(rng, 3)
    asked = [(v, t) for v in range(3) for t in (8, 19, 23)]
    video, now = (np.array(column) for column in zip(*asked, strict=True))
    base = rows_at(known, video, now * S)
    found = enumerated(STEPS[name], base)
    assert found.n > 0
    index, worlds = found._index, [Drawer(known, v).draw(rng) for v in range(3)]
    for k in range(found.n):
        v, t = asked[int(index[k])]
        at = int(on_axis(v, t * S))
        env = Env(known, worlds[v], {"now": at, "window": Interval(at - LOOK_BACK, at + 1)})
        assert any(_is(found, k, one) for one in _elements(STEPS[name].node, env))


def _elements(node: Node, env: Env) -> list:
    return list(env.ev(node.get("of"))) if _is_parts(node) else env.ev(node)


def _is_parts(node: Node) -> bool:
    return isinstance(node.get("of"), Call)


def _is(found, k: int, true: object) -> bool:
    value = found.name("x")
    match value:
        case Range():
            return value.at[k] == true
        case Label():
            return value.code[k] == true
        case Stretch():
            mine = (value.start.at[k], value.end.at[k])
            return mine == ((true.a, true.b) if isinstance(true, Interval) else true)
        case Box():
            return isinstance(true, Rect) and true.centre == tuple(value.centre[k])
        case One():
            return isinstance(true, TrueFact) and value.columns["proof"][k] in true.rows
    raise TypeError(type(value).__name__)


@pytest.fixture(scope="module")
def known():
    hook, grasper = Seen("hook", box_at(0.3, 0.5), RETRACT), Seen("grasper", None, RETRACT)
    return relation({0: [hook], 1: [hook, grasper], 2: [grasper], 3: [hook], 4: []})


def names(value: Label, known) -> list[str]:
    return [known.codes.name(int(code)) for code in value.code]


def test_a_value_is_drawn_once_for_each_window(known):
    found = enumerated(STEPS["label"], rows(known, (0, 0, 3), (0, 3, 4)))
    assert found._index.tolist() == [0, 0, 1]
    assert names(found.name("x"), known) == ["grasper", "hook", "hook"]


def test_pairs_are_of_two_elements_in_one_order(known):
    node = STEPS["label"].node
    found = enumerated(Step(("a", "b"), node, True), rows(known, (0, 0, 3), (0, 3, 4)))
    assert found._index.tolist() == [0]
    assert names(found.name("a"), known) + names(found.name("b"), known) == ["grasper", "hook"]


def test_stretches_go_from_one_label_to_a_later_one(known):
    found = enumerated(STEPS["stretch"], rows(known, (0, 0, 4)))
    span = found.name("x")
    told = [(a // S, b // S) for a, b in zip(span.start.at.tolist(), span.end.at.tolist(),
                                             strict=True)]  # fmt: skip
    assert told == [(0, 2), (0, 3), (1, 3)]
