"""Texts of a row against its template: what is told of each that differs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from surgqa.transforms.checks.proof.words import _in_place, silence_of, word_problems
from tests.each import cases
from tests.transforms.checks.proof.made import (
    CLIP,
    NOW,
    STREAM,
    TOLD,
    asked,
    clip_row,
    now_row,
    stream_row,
)


def told(of: Any, row: dict[str, Any], **change: Any) -> list[tuple[str, str]]:
    return list(word_problems(asked(of, {**row, **change}), TOLD))


def test_what_is_right():
    for of, row in ((CLIP, clip_row()), (NOW, now_row()), (STREAM, stream_row())):
        assert told(of, row) == []


def test_of_several_wordings_one_is_shown_and_the_others_counted():
    ((code, detail),) = told(NOW, now_row(), question="Which banana?")
    assert code == "words_differ"
    shown = "question 'Which banana?', expected 'Which phase is this?'"
    assert detail == f"{shown} (or one of 3 other wordings)"


def test_of_a_single_wording_nothing_is_counted():
    (detail,) = [detail for _, detail in told(STREAM, stream_row(), answer="Alert: clip in view")]
    assert detail == "answer 'Alert: clip in view', expected 'alert: polyp in view'"


@pytest.mark.parametrize("name", ["context", "clue"])
def test_a_text_that_the_template_has_not(name: str):
    assert told(NOW, now_row(), **{name: "It is."}) == [("stage_texts", f"{name}: 'It is.'")]


@pytest.mark.parametrize("lines", [[], ["At 2.00 s the hook is in view"] * 2])
def test_reasoning_has_a_line_for_each_of_the_template(lines: list[str]):
    found = told(CLIP, clip_row(), reasoning=lines)
    assert found == [("words_differ", f"reasoning has {len(lines)} lines, the template 1")]


def test_options_are_read_each_by_its_own_value():
    row = now_row()
    options = [dict(one) for one in row["options"]]
    options[0]["text"], options[1]["text"] = options[1]["text"], options[0]["text"]
    found = told(NOW, row, options=options)
    assert [detail.split(" ")[:2] for _, detail in found] == [["option", "A"], ["option", "B"]]


@cases(
    ("change", "said"),
    [
        ({}, ""),
        ({"rounds": [{"answerable": False}]}, "no_alert"),
        ({"rounds": []}, "no_alert"),
        ({"rounds": None}, "no_alert"),
        ({"answer_value": '{"hit":"unanswerable"}'}, "Unanswerable"),
        ({"answer_value": '{"hit":"unanswerable"}', "options": [{"value": "1"}]}, ""),
    ],
)
def test_what_is_said_where_nothing_comes(change: dict[str, Any], said: str):
    assert silence_of(asked(STREAM, {**stream_row(), **change})) == said


def test_only_streams_are_silent():
    assert silence_of(asked(NOW, {**now_row(), "options": []})) == ""


@cases(
    ("fields", "value", "put"),
    [(1, "a", True), (1, ["a"], True), (2, ["a", "b"], True), (2, ["a"], False), (2, "ab", False)],
)
def test_an_option_stands_in_the_place_of_the_answer(fields: int, value: Any, put: bool):
    stage = SimpleNamespace(answer=[None] * fields)
    known: Any = SimpleNamespace(with_answer=lambda of, one: (of, one))
    found = _in_place(SimpleNamespace(stage=stage), known, value)  # type: ignore[arg-type]
    assert found == ((stage, value) if put else known)
