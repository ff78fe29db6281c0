"""Limits of a template against what a row and the evidence say of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from surgqa.transforms.algebra.tree import Call, Const, Name, Read
from surgqa.transforms.algebra.types import Type
from surgqa.transforms.checks.proof.gates import gate_problems, limited, measured_nodes, name_of
from tests.each import cases

NUMBER, LASTS, FACT = Type("number"), Type("duration"), Type("fact", "phase")
MANY, LENGTH = Name(NUMBER, "many"), Read(LASTS, Name(FACT, "here"), "length")


def compared(left: Any, sign: str, right: Any) -> Call:
    return Call(Type("truth"), "compare", (("left", left), ("sign", sign), ("right", right)))


WHERE = (
    compared(MANY, ">=", Const(NUMBER, 2)),
    compared(LENGTH, "<", Const(LASTS, 2_500_000)),
    compared(MANY, "==", Const(NUMBER, 2)),
    compared(MANY, ">", Name(NUMBER, "other")),
    compared(Name(Type("label", "phase"), "here"), ">", Const(NUMBER, 2)),
    Call(Type("truth"), "same", (("left", MANY), ("sign", "<"), ("right", Const(NUMBER, 2)))),
    MANY,
)


def program(*where: Any) -> Any:
    return SimpleNamespace(where=where)


def test_conditions_on_numbers_and_durations_are_limits():
    assert limited(program(*WHERE)) == [(MANY, ">= 2"), (LENGTH, "< 2.5")]
    assert list(measured_nodes(program(*WHERE))) == [MANY, LENGTH]
    for sign in ("<", "<=", ">", ">="):
        assert limited(program(compared(MANY, sign, Const(NUMBER, 0.5)))) == [(MANY, f"{sign} 0.5")]


def codes(*checks: dict[str, Any] | None, given: Any = None, where: Any = WHERE) -> int:
    told = None if checks == (None,) else list(checks)
    asked: Any = SimpleNamespace(program=program(*where), row={"checks": told})
    problems = list(gate_problems(asked, given or {}))
    assert {code for code, _ in problems} <= {"check_failed"}
    return len(problems)


def check(name: str, limit: str, measured: float | None) -> dict[str, Any]:
    return {"name": name, "limit": limit, "measured": measured}


RIGHT = check("many", ">= 2", 3.0), check("here.length", "< 2.5", 1.5)


def test_what_a_row_says_of_its_limits():
    assert codes(*RIGHT) == 0
    assert codes(*RIGHT[::-1]) == codes(RIGHT[0]) == codes() == codes(None) == 1
    assert codes(RIGHT[0], {**RIGHT[1], "name": "length"}) == 1
    assert codes({**RIGHT[0], "name": "x"}, {**RIGHT[1], "name": "y"}) == 2
    assert codes(None, where=()) == codes(where=()) == 0


@cases(
    ("many", "length", "wrong"),
    [
        (3, 1_500_000, 0),
        ({"value": 3, "least": 1}, {"value": 1_500_000}, 0),
        (3.0000019, 1_500_001, 0),
        (3.0000022, 1_500_000, 1),
        (2.9999978, 1_500_000, 1),
        (3, 1_500_003, 1),
        (3, 1_499_997, 1),
        (4, 1_500_000, 1),
        (4, 9, 2),
    ],
)
def test_measured_values(many: Any, length: Any, wrong: int):
    given = {MANY: many, LENGTH: length}
    assert codes(*RIGHT, given=given) == wrong


def test_what_was_not_measured():
    assert codes({**RIGHT[0], "measured": None}, RIGHT[1]) == 0
    assert codes({**RIGHT[0], "measured": None}, RIGHT[1], given={MANY: 3}) == 1
    assert codes({**RIGHT[0], "measured": 99.0}, RIGHT[1], given={LENGTH: 1_500_000}) == 0


def test_names_of_what_is_measured():
    assert name_of(MANY) == "many"
    assert name_of(LENGTH) == "here.length"
    assert name_of(Read(NUMBER, LENGTH, "size")) == "here.length.size"
    assert name_of(Read(NUMBER, Name(FACT, "here"), "centre", Const(Type("word"), "x"))) is None
    assert name_of(Read(NUMBER, WHERE[0], "size")) is None
    assert name_of(WHERE[0]) is None
    unnamed = compared(Read(NUMBER, WHERE[0], "size"), ">", Const(NUMBER, 1))
    assert codes(check("anything", "> 1", 2.0), where=(unnamed,)) == 0
