"""What a row copies from its template: each column changed, and what is told of it."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from types import SimpleNamespace
from typing import Any

import pytest

from surgqa.transforms.algebra.tree import Name
from surgqa.transforms.algebra.types import Type
from surgqa.transforms.checks.proof.head import (
    _also,
    also_nodes,
    args_of,
    digest,
    fields_of,
    head_problems,
    printed_of,
    rule_of,
    shape_problems,
)
from tests.each import cases
from tests.transforms.checks.proof.made import (
    CHAIN,
    CLIP,
    NOW,
    STREAM,
    asked,
    chain_rows,
    clip_row,
    now_row,
    stream_row,
    text_of,
)

ROWS: dict[str, Callable[[], tuple[Any, dict[str, Any]]]] = {
    "clip": lambda: (CLIP, clip_row()), "now": lambda: (NOW, now_row()),
    "stream": lambda: (STREAM, stream_row()), "main": lambda: (CHAIN, chain_rows()[0]),
    "stage": lambda: (CHAIN, chain_rows()[2]),
}  # fmt: skip


@cases("name", ROWS)
def test_what_is_right(name: str):
    assert list(head_problems(asked(*ROWS[name]()))) == []


TEMPLATE = "template_differs"
CHANGES: list[tuple[str, dict[str, Any], list[tuple[str, str]]]] = [
    ("clip", {"form": "open"}, [(TEMPLATE, "form: 'open', the template says 'choice'")]),
    ("now", {"temporal_mode": None},
     [(TEMPLATE, "temporal_mode: None, the template says 'present'")]),
    ("clip", {"temporal_mode": "present"},
     [(TEMPLATE, "temporal_mode: 'present', the template says None")]),
    ("clip", {"task_mode": "single_turn"},
     [(TEMPLATE, "task_mode: 'single_turn', the template says None")]),
    ("now", {"task_mode": "streaming"},
     [(TEMPLATE, "task_mode: 'streaming', the template says 'single_turn'")]),
    ("stream", {"task_mode": "single_turn"},
     [(TEMPLATE, "task_mode: 'single_turn', the template says 'streaming'")]),
    ("stage", {"task": CHAIN.task},
     [(TEMPLATE, f"task: {CHAIN.task!r}, the template says '{CHAIN.task}/q2'")]),
    ("now", {"query_us": None}, [(TEMPLATE, "query_us None of a now")]),
    ("clip", {"query_us": 0}, [(TEMPLATE, "query_us 0 of a clip")]),
    ("now", {"chain_id": "c"}, [(TEMPLATE, "chain_id 'c' of a now")]),
    ("now", {"item_id": "0" * 32},
     [("identity_differs", "the id is not that of the window and the values {}")]),
    ("now", {"window_id": "0" * 32},
     [("identity_differs", "the id is not that of the window and the values {}")]),
    ("stage", {"window_id": "0" * 32}, []),
]  # fmt: skip


@cases(("name", "change", "told"), CHANGES)
def test_a_column(name: str, change: dict[str, Any], told: list[tuple[str, str]]):
    program, row = ROWS[name]()
    assert list(head_problems(asked(program, {**row, **change}))) == told


def test_a_chain_has_an_id_and_a_stage():
    program, row = ROWS["stage"]()
    whole = asked(program, row)
    lacking = SimpleNamespace(row={**row, "chain_id": None}, program=program, stage=whole.stage,
                              slots=whole.slots, args=whole.args, value=whole.value)  # fmt: skip
    lacking.known = whole.known
    (first, second) = head_problems(lacking)  # type: ignore[arg-type]
    assert first == (TEMPLATE, "chain_id None of a chain")
    assert second[0] == "identity_differs" and second[1].startswith("chain None is not that of")


def test_each_argument_of_the_rule():
    program, row = ROWS["now"]()
    args = args_of(program, program.stages[0])
    changed = {**args, "scorer": "other", "more": 1}
    del changed["pools"]
    told = list(head_problems(asked(program, {**row, "rule_args": text_of(changed)})))
    assert told == [
        (TEMPLATE, "rule_args.more: 1, the template says None"),
        (TEMPLATE, f"rule_args.pools: None, the template says {args['pools']!r}"),
        (TEMPLATE, f"rule_args.scorer: 'other', the template says {args['scorer']!r}"),
    ]


def test_values_of_another_type_and_answers_that_names_do_not_say():
    program, row = ROWS["now"]()
    here = {"end_us": 5, "label": "preparation", "start_us": 5}
    told = list(shape_problems(asked(program, {**row, "slots": text_of({"here": here})})))
    assert told == [("slots_malformed", f"here: {here!r} is no fact of phase")]
    answer = text_of({"here.label": "other"})
    told = list(head_problems(asked(program, {**row, "answer_value": answer})))
    assert told == [("slot_differs", "answer here.label 'other', the slots say 'preparation'")]


def test_ids_are_the_first_half_of_a_digest():
    assert digest("a", "b") == sha256(b"a\x1fb").hexdigest()[:32] and len(digest("")) == 32


@cases(
    ("value", "printed"),
    [
        ({"earliest_us": 1, "time_us": 2, "latest_us": 3}, 2),
        ({"least": 1, "value": 2, "most": 3}, 2),
        ([{"time_us": 2}, 4], [2, 4]),
        ({"start": {"time_us": 2}, "end": 5}, {"start": 2, "end": 5}),
        ("hook", "hook"),
        (None, None),
    ],
)
def test_values_without_bounds(value: Any, printed: Any):
    assert printed_of(value) == printed


def test_the_rule_is_the_operator_behind_the_names():
    rules = {one.id: rule_of(one.stages[0].answer[0][1], one) for one in (CLIP, NOW, CHAIN)}
    assert rules == {"made.clip": "set", "made.now": "only", "made.chain": "each"}
    assert rule_of(Name(Type("instant"), "now"), NOW) == "now"


def test_columns_of_a_template():
    assert fields_of(NOW, NOW.stages[0])["temporal_mode"] == "present"
    assert fields_of(STREAM, STREAM.stages[0])["task_mode"] == "streaming"
    assert fields_of(CLIP, CLIP.stages[0])["temporal_mode"] is None
    assert args_of(CLIP, CLIP.stages[0])["fields"] == ["seen"]
    assert "ranked" not in args_of(CLIP, CLIP.stages[0])


@cases(
    ("told", "given", "fine"),
    [("hook", "hook", True), (None, None, True), ("hook", None, False), ("hook", "clip", False)],
)
def test_what_may_stand_first_as_well(told: Any, given: Any, fine: bool):
    node = Name(Type("label"), "next")
    one: Any = SimpleNamespace(
        stage=SimpleNamespace(ranked=SimpleNamespace(also=node)), slots={"also": told}
    )
    assert also_nodes(one.stage) == [node]
    assert (list(_also(one, {node: given} if given else {})) == []) is fine


@pytest.mark.parametrize("ranked", [None, SimpleNamespace(also=None)])
def test_nothing_may_stand_first_as_well(ranked: Any):
    assert also_nodes(SimpleNamespace(ranked=ranked)) == []  # type: ignore[arg-type]
