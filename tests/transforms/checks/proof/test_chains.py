"""Chains as a whole, at each border of their windows, and main options made of halves."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import orjson

from surgqa.transforms.algebra.tree import Call, Name
from surgqa.transforms.algebra.types import Type
from surgqa.transforms.checks.proof.chains import chain_problems, spanned
from surgqa.transforms.checks.proof.reading import RowValues
from tests.each import cases

INSTANT, STRETCH, FACT = Type("instant"), Type("stretch"), Type("fact", "phase")


def stage(name: str, of: Type = INSTANT, **more: Any) -> Any:
    plain = {"see": None, "window": None, "wrong": (), "answer": (("a", SimpleNamespace(type=of)),)}
    return SimpleNamespace(name=name, **plain | more)


def window(at_least: int = 0, inside: str | None = None, around: Any = None) -> Any:
    return SimpleNamespace(at_least=at_least, inside=inside, around=around)


def part(of: Any, start: int, end: int, offered: Any = (), answer: Any = None, **row: Any) -> Any:
    """A stage's row; a program is put in later."""
    options = [{"key": "ABCD"[k], "text": str(one), "kind": "halves"}
               for k, one in enumerate(offered)]  # fmt: skip
    known = {"template_id": "t", "dataset": "d", "video_id": "v", "slots": "{}",
             "start_us": start, "end_us": end, "options": options, **row}  # fmt: skip
    return SimpleNamespace(stage=of, row=known, id=of.name, offered=list(offered), answer=answer,
                           known=lambda: RowValues(None, {}))  # fmt: skip


def codes(*parts: Any, wanted: Any = None, whole: bool = True) -> list[str]:
    program = SimpleNamespace(
        stages=[stage(name) for name in wanted or [p.stage.name for p in parts]]
    )
    for one in parts:
        one.program = program
    return [code for code, *_ in chain_problems(parts, whole)]


OUTER = part(stage("q1"), 100, 200)


def test_all_stages_are_there_once():
    assert codes(OUTER) == []
    assert codes(OUTER, wanted=["q1", "q2"]) == ["chain_incomplete"]
    assert codes(OUTER, wanted=["q1", "q2"], whole=False) == []
    assert codes(OUTER, OUTER, whole=False) == ["chain_incomplete"]


@cases("name", ["template_id", "dataset", "video_id", "slots"])
def test_all_stages_are_of_one_event(name: str):
    assert codes(OUTER, part(stage("q2"), 1, 2)) == []
    assert codes(OUTER, part(stage("q2"), 1, 2, **{name: "x"})) == ["chain_mixed"]


@cases(
    ("start", "end", "wrong"),
    [(100, 200, False), (101, 200, True), (100, 199, True), (99, 200, True), (100, 201, True)],
)
def test_a_stage_that_sees_what_another_sees(start: int, end: int, wrong: bool):
    main = part(stage("main", see="q1"), start, end)
    assert codes(OUTER, main) == ["chain_window_differs"] * wrong


@cases(
    ("start", "end", "wrong"),
    [
        (110, 190, []),
        (100, 199, []),
        (101, 200, []),
        (100, 200, ["windows_not_narrower"]),
        (99, 190, ["windows_not_narrower"]),
        (110, 201, ["windows_not_narrower"]),
        (150, 150, ["windows_not_narrower"]),
    ],
)
def test_a_window_inside_another(start: int, end: int, wrong: list[str]):
    assert codes(OUTER, part(stage("q2", window=window(inside="q1")), start, end)) == wrong


@cases(("end", "wrong"), [(130, False), (129, True), (131, False)])
def test_a_window_of_a_least_length(end: int, wrong: bool):
    found = codes(part(stage("q1", window=window(at_least=30)), 100, end))
    assert found == ["chain_window_differs"] * wrong


@cases(
    ("offered", "answer", "wrong"),
    [
        ((100, 200), 150, 0),
        ((99, 200), 150, 1),
        ((100, 201), 150, 1),
        ((99, 201), 98, 3),
        ((), 100, 0),
        ((), None, 0),
        ((), {"time_us": 99, "earliest_us": 0, "latest_us": 200}, 1),
    ],
)
def test_a_window_holds_all_options(offered: Any, answer: Any, wrong: int):
    one = part(stage("q2", window=window()), 100, 200, offered, answer)
    assert codes(one) == ["outside_window"] * wrong


@cases(("low", "high", "wrong"), [(100, 200, 0), (99, 200, 1), (100, 201, 1), (150, 140, 1)])
def test_a_window_holds_stretches_and_the_event(low: int, high: int, wrong: int):
    of = stage("q2", STRETCH, window=window())
    assert codes(part(of, 100, 200, [{"start": low, "end": high}])) == ["outside_window"] * wrong
    around = Name(FACT, "act")
    event = part(stage("q2", window=window(around=around)), 100, 200, [5000])
    event.known = lambda: RowValues(event.program, {"act": {"start_us": low, "end_us": high}})
    assert codes(event) == ["outside_window"] * wrong


@cases(
    ("value", "of", "span"),
    [
        (None, INSTANT, None),
        ("a", Type("label", "phase"), None),
        (7, INSTANT, (7, 7)),
        ({"start": 3, "end": 9}, STRETCH, (3, 9)),
        ({"start_us": 3, "end_us": 9}, FACT, (3, 9)),
    ],
)
def test_first_and_last_microsecond(value: Any, of: Type, span: Any):
    assert spanned(value, of) == span


HALVES = Call(Type("pool"), "halves", (("of", (Name(INSTANT, "q1"), Name(INSTANT, "q2"))),))


def halves(*offered: Any, kinds: Any = None, pool: Any = HALVES, others: Any = ("q1", "q2")) -> int:
    """How unfair a main question is whose stages offer 1 to 4 and 5 to 8."""
    main = part(stage("main", wrong=(pool,)), 0, 9, offered)
    for option, kind in zip(main.row["options"], kinds or (), strict=False):
        option["kind"] = kind
    known = {
        "q1": part(stage("q1"), 0, 9, [1, 2, 3, 4]),
        "q2": part(stage("q2"), 0, 9, [5, 6, 7, 8]),
    }
    parts = [main, *(known[name] for name in others)]
    found = codes(*parts)
    assert set(found) <= {"main_unfair"}
    return len(found)


def test_main_options_join_two_of_each():
    assert halves([1, 5], [1, 6], [2, 5], [2, 6]) == 0
    assert halves([1, 5], [1, 6], [2, 5], [3, 6]) == 1
    assert halves([1, 5], [2, 6], [3, 7]) == 2
    assert halves([1, 5], [1, 9]) == 1
    assert halves([1, 5], [9, 5]) == 1
    assert halves([1, 5], [1, 5, 5]) == 1
    assert halves([1, 5], 1) == 1
    assert halves([1, 5], [2, 6], [3, 7], kinds=["answer", "halves", "other"]) == 0
    assert halves([1, 5], [2, 6], [3, 7], kinds=["answer", "halves", "answer"]) == 2


def test_other_pools_and_missing_stages_say_nothing_of_halves():
    near = Call(Type("pool"), "near", HALVES.args)
    assert halves([9, 9], pool=near) == 0
    assert halves([9, 9], pool=orjson) == 0
    assert halves([9, 9], others=("q1",)) == 0
    main = part(stage("main", wrong=(near, HALVES)), 0, 9, [[9, 9]])
    q1, q2 = part(stage("q1"), 0, 9, [1]), part(stage("q2"), 0, 9, [5])
    assert codes(main, q1, q2) == ["main_unfair"]
