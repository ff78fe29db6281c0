"""What a row says otherwise than its query gives: names, conditions, answers, options."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from surgqa.transforms.algebra.types import Type
from surgqa.transforms.checks.proof.truth import (
    Open,
    _holds,
    _offered,
    answered,
    truth_problems,
)
from tests.each import cases

TRUE, FALSE = {"ok": True, "value": True}, {"ok": True, "value": False}
UNKNOWN = {"ok": False, "value": None}
LABEL, TRUTH = Type("label"), Type("truth")
S = 1_000_000


class Found:
    """What queries give: typed values by the column's name; None is not certain."""

    def __init__(self, values: dict[str, Any], where: Any = (), ruled_out: Any = ()) -> None:
        self.given = values
        self.values = {f"where.{k}": one for k, one in enumerate(where)}
        self.ruled_out = dict(ruled_out)

    def typed(self, name: str) -> Any:
        if self.given.get(name) is None:
            raise Open(name)
        return self.given[name]


def asking(slots: dict[str, Any], value: Any = "hook", of: Type = LABEL, draws: bool = False,
           where: int = 0, options: Any = (), wrong: Any = ()) -> Any:  # fmt: skip
    """A row of a template with one name and one answer."""
    node = SimpleNamespace(type=of)
    steps = [SimpleNamespace(names=[name], node=node, draws=draws) for name in slots]
    conditions = [SimpleNamespace(place=(7 + k, 1)) for k in range(where)]
    stage = SimpleNamespace(answer=[("it", SimpleNamespace(type=LABEL))], where=conditions[1:],
                            wrong=list(wrong))  # fmt: skip
    return SimpleNamespace(
        program=SimpleNamespace(let=steps, where=conditions[:1]), stage=stage, slots=slots,
        value={"it": value}, row={"options": list(options)},
        offered=[one["typed"] for one in options],
    )  # fmt: skip


def told(asked: Any, found: Found) -> list[tuple[str, str]]:
    return list(truth_problems(asked, found))  # type: ignore[arg-type]


RIGHT = {"let.tool": "hook", "answer.it": "hook"}


@cases(
    ("slots", "of", "draws", "given", "codes"),
    [
        ({"tool": "hook"}, LABEL, False, "hook", []),
        ({"tool": "clipper"}, LABEL, False, "hook", ["slot_differs"]),
        ({"tool": None}, LABEL, False, "hook", ["slot_differs"]),
        ({"tool": "hook"}, LABEL, False, None, ["slot_differs"]),
        ({"tool": "hook"}, LABEL, True, None, ["draw_inadmissible"]),
        ({"tool": None}, LABEL, False, None, ["slot_differs"]),
        ({"tool": None}, TRUTH, False, None, []),
        ({"tool": True}, TRUTH, False, None, ["slot_differs"]),
        ({"tool": True}, TRUTH, False, True, []),
    ],
)
def test_a_name(slots: Any, of: Type, draws: bool, given: Any, codes: list[str]):
    found = Found({**RIGHT, "let.tool": given})
    assert [code for code, _ in told(asking(slots, of=of, draws=draws), found)] == codes


@cases(
    ("given", "codes"),
    [("hook", []), ("clipper", ["answer_differs"]), (None, ["answer_undecided"])],
)
def test_an_answer(given: Any, codes: list[str]):
    found = Found({**RIGHT, "answer.it": given})
    assert [code for code, _ in told(asking({"tool": "hook"}), found)] == codes


@cases(
    ("where", "problems"),
    [
        ((TRUE, TRUE), []),
        ((FALSE, TRUE), ["condition 1 (line 7) is false"]),
        ((UNKNOWN, TRUE), ["condition 1 (line 7) is not certain"]),
        ((TRUE, FALSE), ["condition 2 (line 8) is false"]),
        (({"ok": False, "value": False}, TRUE), ["condition 1 (line 7) is not certain"]),
        (({"ok": False, "value": True}, TRUE), ["condition 1 (line 7) is not certain"]),
        (({"ok": True, "value": None}, TRUE), ["condition 1 (line 7) is not certain"]),
    ],
)
def test_conditions(where: Any, problems: list[str]):
    found = told(asking({"tool": "hook"}, where=2), Found(RIGHT, where))
    assert found == [("gate_failed", one) for one in problems]


def option(key: str, kind: str = "value", is_answer: bool = False) -> dict[str, Any]:
    return {"key": key, "text": f"text {key}", "kind": kind, "is_answer": is_answer,
            "typed": f"v{key}"}  # fmt: skip


@cases(
    ("ruled", "codes"),
    [
        ((True, True), []),
        ((None, True), []),
        ((False, True), ["option_true"]),
        ((True, False), ["option_true"]),
        ((False, False), ["option_true", "option_true"]),
        (None, []),
    ],
)
def test_a_wrong_option(ruled: Any, codes: list[str]):
    options = [option("A", is_answer=True), option("B", "elsewhere")]
    asked = asking({"tool": "hook"}, options=options)
    found = Found(RIGHT, ruled_out={"B": ruled} if ruled else {"A": (False, False)})
    problems = list(_offered(asked, found))  # type: ignore[arg-type]
    assert [code for code, _ in problems] == codes
    assert all(detail.startswith("B) text B ") for _, detail in problems)


@cases(
    ("pools", "foreign"),
    [
        ([["vB"]], False),
        ([["vC"]], True),
        ([["vC"], ["vB"]], False),
        ([["vB"], ["vC"]], False),
        ([["vC"], ["vD"]], True),
    ],
)
def test_an_option_is_of_any_pool_of_its_name(pools: list[list[str]], foreign: bool):
    asked = asking({"tool": "hook"}, options=[option("B", "word")], wrong=[None] * len(pools))
    given = {f"pool.{k}": values for k, values in enumerate(pools)}
    found: Any = Found({**RIGHT, **given})
    found.values = dict.fromkeys(given)
    column = SimpleNamespace(shape="one", type="label")
    found.query = SimpleNamespace(columns=dict.fromkeys(given, column))
    found.ruled_out = {"B": (True, True)}
    codes = [code for code, _ in _offered(asked, found)]
    assert codes == ["option_foreign"] * foreign


@cases(
    ("text", "left_out", "pool", "there"),
    [
        ("a", set(), None, True),
        ("a", {"a"}, None, False),
        ("a", {"b"}, {"a"}, True),
        ("a", set(), {"b"}, False),
        ("a", {"a"}, {"a"}, False),
        ("a", set(), set(), False),
    ],
)
def test_what_a_pool_holds(text: str, left_out: Any, pool: Any, there: bool):
    assert _holds(text, left_out, pool) is there


@pytest.mark.parametrize("fields", [1, 2])
def test_an_answer_of_one_field_is_its_value(fields: int):
    names = ["it", "that"][:fields]
    stage = SimpleNamespace(answer=[(name, None) for name in names])
    known: Any = SimpleNamespace(with_answer=lambda of, value: (of, value))
    found: Any = Found({"answer.it": "hook", "answer.that": "clip"})
    got = answered(SimpleNamespace(stage=stage), known, found)  # type: ignore[arg-type]
    assert got == (stage, "hook" if fields == 1 else ["hook", "clip"])


@cases(
    ("value", "of", "open_"),
    [
        ({"least": 0, "value": 4 * S, "most": 20 * S}, "duration", True),
        ({"least": 3 * S, "value": 4 * S, "most": 7 * S}, "duration", False),
        ({"least": 0, "value": S, "most": 2 * S}, "duration", False),
        ({"least": 0.0, "value": 0.1, "most": 1.0}, "number", True),
        ({"least": 0.0, "value": 0.1, "most": 0.2}, "number", False),
        ({"least": 1, "value": 1, "most": None}, "number", True),
        (4 * S, "duration", False),
    ],
)
def test_a_number_within_wide_bounds_is_not_decided(value: Any, of: str, open_: bool):
    asked = asking({"tool": "hook"}, value)
    asked.stage.answer = [("it", SimpleNamespace(type=Type(of)))]
    problems = told(asked, Found({"let.tool": "hook", "answer.it": value}))
    assert [code for code, _ in problems] == (["answer_undecided"] if open_ else [])
