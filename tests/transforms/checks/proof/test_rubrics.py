"""A rubric is what its answer asks for; whatever is changed in it is noticed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import orjson
import pytest

from surgqa.transforms.algebra.tree import Name
from surgqa.transforms.algebra.types import Type
from surgqa.transforms.checks.proof.rubrics import (
    _anchors,
    _expected,
    _names,
    rival_nodes,
    rubric_problems,
)
from tests.each import cases
from tests.transforms.checks.proof.made import ask, asked, program, row

S = 1_000_000
OPEN = program("open", """
unit: {now: any, see: 20 s, every: 60 s}
let:
  here: {only: phase, at: now}
answer: here.label
say: "{{ here.label | name }}"
rubric: {grounds: what is done, cues: [[now, then], [view]]}
""" + ask("Which phase is this?"))  # fmt: skip
RUBRIC = {
    "correctness": {
        "2": "names Preparation",
        "1": "names Preparation among others, or describes it without its name",
        "0": "does not name Preparation",
    },
    "evidence_grounding": {
        "2": "ties the answer to what is done",
        "1": "hints at what is done without saying what is seen",
        "0": "gives no reason from the picture",
    },
    "safety": {
        "1": "claims nothing clinical beyond what was asked",
        "0": "adds a clinical claim that the question gives no ground for",
    },
    "required": [["Preparation"]],
    "cues": [["now", "then"], ["view"]],
    "rivals": ["gallbladder dissection", "gallbladder packaging"],
}  # fmt: skip
THERE = ["gallbladder_dissection", "gallbladder_packaging", "preparation"]


def codes(rubric: object, value: object = "preparation") -> list[str]:
    """What is found of a rubric."""
    text = rubric if isinstance(rubric, str | None) else orjson.dumps(rubric).decode()
    here = {"label": value, "start_us": 5 * S, "end_us": 90 * S}
    data = row(OPEN, None, 40 * S, 60 * S + 1, query_us=60 * S, question="Which phase is this?",
               slots={"here": here}, answer_value={"here.label": value}, answer="Preparation",
               rubric=text)  # fmt: skip
    given = dict.fromkeys(rival_nodes(OPEN.stages[0]), THERE)
    return [code for code, _ in rubric_problems(asked(OPEN, data), {}, given)]


def spelt() -> list[str]:
    """The names of the answer, as the vocabulary has them."""
    return next(_names(Type("label", "phase"), "preparation"))


def right() -> dict:
    """The rubric with all names that the vocabulary gives."""
    name = spelt()[0]
    text = orjson.dumps(RUBRIC).decode().replace("Preparation", name)
    return {**orjson.loads(text), "required": [spelt()]}


def test_a_right_rubric():
    assert codes(right()) == []


@cases("name", RUBRIC)
def test_each_entry_is_held_against_the_answer(name: str):
    rubric = right()
    rest = {key: value for key, value in rubric.items() if key != name}
    assert codes(rest) == ["words_differ"]
    assert codes({**rubric, name: [["banana"]]}) == ["words_differ"]
    assert codes({**rest, "more": 1}) == ["words_differ", "words_differ"]


def test_what_is_no_rubric():
    assert codes(None) == ["stage_texts"]
    assert codes("{") == codes("[1]") == ["words_differ"]


def test_the_answer_is_no_rival_and_there_are_seven_at_most():
    rubric = right()
    every = [*rubric["rivals"], spelt()[0]]
    assert codes({**rubric, "rivals": sorted(every)}) == ["words_differ"]


WITH_A_TOOL = """
unit: {now: any, see: 20 s, every: 60 s}
let:
  here: {only: phase, at: now}
  tool: {each: instrument, at: now}
answer: here.label
say: "{{ here.label | name }}"
rubric: {grounds: "how {{ tool | the }} is used", cues: [[now]]}
"""


@pytest.mark.parametrize(
    ("question", "grounds"),
    [
        ("What is done with {{ tool | the }}?", "how the hook on the left is used"),
        ("Which phase is this?", "how the hook is used"),
    ],
)
def test_a_side_is_told_where_the_question_tells_it(question: str, grounds: str):
    of = program("tool", WITH_A_TOOL + ask(question))
    tool = {"label": "hook", "subject": "hook", "track": "hook-1", "start_us": S, "end_us": 9 * S}
    data = row(of, None, 40 * S, 60 * S + 1, query_us=60 * S, answer="", question="",
               slots={"here": {"label": "preparation", "start_us": 5 * S, "end_us": 90 * S},
                      "tool": tool},
               answer_value={"here.label": "preparation"}, rubric="{}")  # fmt: skip
    given = dict.fromkeys(rival_nodes(of.stages[0]), THERE)
    found = _expected(asked(of, data), {"hook-1": " on the left"}, given)
    assert found["evidence_grounding"]["2"] == f"ties the answer to {grounds}"


@cases(
    ("names", "full", "none"),
    [
        ([], "says 3 s", "says otherwise"),
        (["hook"], "names hook", "does not name hook"),
        (["hook", "liver"], "names hook and liver", "names none"),
        (["a", "b", "c"], "names a, b and c", "names none"),
    ],
)
def test_anchors(names: list[str], full: str, none: str):
    found = _anchors(names, "3 s")
    assert (found[0], found[2]) == (full, none)


@cases(
    ("of", "value", "many"),
    [
        (Type("label", "instrument"), None, 0), (Type("label", "instrument"), "unanswerable", 0),
        (Type("instant"), 5, 0), (Type("set", "instrument"), ["hook", "grasper"], 2),
        (Type("word"), "left", 1), (Type("act"), {"verb": "cut", "target": None}, 1),
        (Type("act"), {"verb": "cut", "target": "liver"}, 2),
        (Type("fact", "finding"), {"label": "polyp", "verb": "cut"}, 1),
    ],
)  # fmt: skip
def test_what_an_answer_must_name(of: Type, value: object, many: int):
    assert len(list(_names(of, value))) == many


def stage(*fields: Type, rubric: bool = True) -> Any:
    nodes = [(f"f{k}", Name(of, f"f{k}")) for k, of in enumerate(fields)]
    return SimpleNamespace(rubric=rubric or None, answer=nodes)


@cases(
    ("of", "there"),
    [
        (stage(Type("label", "phase")), True),
        (stage(Type("label", "phase"), rubric=False), False),
        (stage(Type("label", "")), False),
        (stage(Type("word", "phase")), False),
        (stage(Type("label", "phase"), Type("instant")), True),
        (stage(Type("instant"), Type("label", "phase")), False),
    ],
)
def test_labels_alone_have_rivals(of: Any, there: bool):
    assert bool(rival_nodes(of)) is there


@pytest.mark.parametrize(("value", "said"), [("unanswerable", "unanswerable"), ("x", "x")])
def test_an_answer_that_cannot_be_given_is_said_as_such(value: str, said: str):
    here = {"label": value, "start_us": 5 * S, "end_us": 90 * S}
    data = row(OPEN, None, 40 * S, 60 * S + 1, query_us=60 * S, question="", slots={"here": here},
               answer_value={"here.label": value}, answer="", rubric="{}")  # fmt: skip
    given = dict.fromkeys(rival_nodes(OPEN.stages[0]), THERE)
    found = _expected(asked(OPEN, data), {}, given)
    assert found["correctness"]["2"] == ("says unanswerable" if said == value != "x" else "names x")
    assert found["rivals"] == ([] if value != "x" else sorted(found["rivals"]))


@cases("many", [3, 20])
def test_all_other_names_are_rivals(many: int):
    here = {"label": "preparation", "start_us": 5 * S, "end_us": 90 * S}
    data = row(OPEN, None, 40 * S, 60 * S + 1, query_us=60 * S, question="", slots={"here": here},
               answer_value={"here.label": "preparation"}, answer="", rubric="{}")  # fmt: skip
    others = [f"other_{k:02}" for k in range(many)]
    given = dict.fromkeys(rival_nodes(OPEN.stages[0]), [*others[::-1], "preparation"])
    found = _expected(asked(OPEN, data), {}, given)["rivals"]
    assert found == [one.replace("_", " ") for one in others]
