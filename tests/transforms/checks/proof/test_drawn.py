"""What may be drawn: instants of the window, stretches between them, cells of a grid."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import duckdb

from surgqa.transforms.algebra.tree import Call, Name
from surgqa.transforms.algebra.types import Type
from surgqa.transforms.checks.proof.drawn import drawn_problems
from tests.each import cases

POINT, INSTANT, STRETCH = Type("point"), Type("instant"), Type("stretch")


def found(of: Type, *values: Any, facts: Any = None, names: Any = ("x",), **args: Any) -> list[str]:
    """What a question draws from nowhere in a window [100, 200) with instants each 50."""
    con = duckdb.connect()
    con.execute("create table instants as select 'd/v' as video, unnest([50, 100, 150, 200]) as t")
    con.execute("insert into instants values ('d/w', 120)")
    con.execute("create table windows as select 0 as q, 'd/v' as video, 100 as a, 200 as b")
    node = Call(of, "draw", (("of", of.name), *args.items()))
    step = SimpleNamespace(draws=True, node=node, names=names)
    program = SimpleNamespace(let=[step])
    one: Any = SimpleNamespace(
        id="item", program=program, slots=dict(zip(names, values, strict=True))
    )
    proof: Any = SimpleNamespace(values=facts or {})
    problems = list(drawn_problems(con, [one], [proof]))
    assert {code for _, code, _ in problems} <= {"draw_inadmissible"}
    return [detail.split(":")[0] for _, _, detail in problems]


@cases(("time", "fine"), [(100, True), (150, True), (200, False), (50, False), (120, False)])
def test_an_instant_of_the_window(time: int, fine: bool):
    assert found(INSTANT, time) == ([] if fine else ["x"])
    assert found(INSTANT, 100, time, names=("x", "y")) == ([] if fine else ["y"])


def stretch(start: int, end: int) -> dict[str, int]:
    return {"start": start, "end": end}


@cases(
    ("start", "end", "least", "fine"),
    [
        (100, 150, None, True),
        (100, 150, 50, True),
        (100, 150, 51, False),
        (100, 100, None, False),
        (100, 101, None, False),
        (101, 150, None, False),
        (100, 200, None, False),
        (50, 150, None, False),
        (150, 100, None, False),
    ],
)
def test_a_stretch_between_instants(start: int, end: int, least: int | None, fine: bool):
    args = {} if least is None else {"at_least": least}
    assert found(STRETCH, stretch(start, end), **args) == ([] if fine else ["x"])


@cases(
    ("s1", "e0", "fine"),
    [(100, 151, True), (101, 151, False), (100, 150, False), (0, 900, True)],
)
def test_who_is_in_view_all_the_way(s1: int, e0: int, fine: bool):
    seen = Name(Type("fact", "instrument"), "tool")
    facts = {"let.tool": {"s1": s1, "e0": e0}}
    wanted = [] if fine else ["x"]
    assert found(STRETCH, stretch(100, 150), facts=facts, seen=seen) == wanted
    assert found(STRETCH, stretch(100, 150), facts=facts, seen=(seen, seen)) == wanted
    other = Name(Type("fact", "instrument"), "other")
    assert found(STRETCH, stretch(100, 150), facts=facts, seen=(other, seen)) == wanted
    assert found(STRETCH, stretch(100, 150), facts=facts, seen=other) == []
    assert found(STRETCH, stretch(100, 150), facts=facts, seen=None) == []


@cases(
    ("point", "grid", "fine"),
    [
        ([0.1, 0.9, 0.1, 0.9], None, True),
        ([0.5, 0.3, 0.5, 0.3], None, True),
        ([0.1, 0.9, 0.1, 0.8], None, False),
        ([0.1, 0.9, 0.2, 0.9], None, False),
        ([0.1, 0.8, 0.1, 0.8], None, False),
        ([0.2, 0.9, 0.2, 0.9], None, False),
        ([0.125, 0.875, 0.125, 0.875], 4, True),
        ([0.125, 0.875, 0.125, 0.875], None, False),
        ([0.25, 0.75, 0.25, 0.75], 2, True),
        ([1.1, 0.1, 1.1, 0.1], None, False),
        ([-0.1, 0.1, -0.1, 0.1], None, False),
        ([0.166667, 0.5, 0.166667, 0.5], 3, True),
        ([0.16667, 0.5, 0.16667, 0.5], 3, False),
    ],
)
def test_a_cell_of_a_grid(point: list[float], grid: int | None, fine: bool):
    args = {} if grid is None else {"grid": grid}
    assert found(POINT, point, **args) == ([] if fine else ["x"])


def test_facts_and_what_is_not_drawn_are_looked_up_elsewhere():
    assert found(Type("fact", "instrument"), "anything") == []
    con = duckdb.connect()
    step = SimpleNamespace(draws=False, node=Call(POINT, "draw"), names=("x",))
    one: Any = SimpleNamespace(program=SimpleNamespace(let=[step]), slots={})
    assert list(drawn_problems(con, [one], [one])) == []
