"""A row read with patience: other names, other types, what is not there."""

from __future__ import annotations

import math
from typing import Any

from surgqa.transforms.checks.medstream.sample import (
    ALIASES,
    ROUND_ALIASES,
    StreamRound,
    number,
    read,
    span,
    split_question,
    text,
)
from tests.each import cases


@cases(
    ("value", "found"),
    [(3, 3.0), (0.5, 0.5), (True, None), ("3", None), (None, None), (math.nan, None),
     (math.inf, None), (-math.inf, None), ([], None)],
)  # fmt: skip
def test_a_number(value: Any, found: float | None):
    assert number(value) == found and type(number(value)) is type(found)


@cases(
    ("value", "found"),
    [([1, 2], (1.0, 2.0)), ((1, "x"), (1.0, None)), ([1], (None, None)), ([1, 2, 3], (None, None)),
     ("ab", (None, None)), (None, (None, None))],
)  # fmt: skip
def test_a_range(value: Any, found: tuple):
    assert span(value) == found


def test_a_text():
    assert (text("a"), text(None), text(3)) == ("a", "", "")


@cases(
    ("question", "stem", "note"),
    [
        ("What is it?", "What is it?", ""),
        ("What is it?\n\nResponse protocol: brief.", "What is it?", "Response protocol: brief."),
        ("What?\n\nMore.\n\n response protocol : x", "What?\n\nMore.", "response protocol : x"),
        ("Response protocol: x", "", "Response protocol: x"),
        ("What?\n\nBe brief.", "What?", "Be brief."),
    ],
)  # fmt: skip
def test_a_question_and_its_note(question: str, stem: str, note: str):
    assert split_question(question) == (stem, note)


@cases(
    ("row", "unit"),
    [
        ({}, "sec"),
        ({"time_unit": "frame"}, "frame"),
        ({"time_unit": "hours"}, "sec"),
        ({"query_time": 0, "context_window_sec": 0, "input_range": [0, 0],
          "media_path": "a/b.PNG"}, "image"),
        ({"query_time": 0, "context_window_sec": 0, "input_range": [0, 0], "media_path": "b.mp4"},
         "sec"),
        ({"query_time": 0, "context_window_sec": 0, "input_range": [0, 1], "media_path": "b.png"},
         "sec"),
        ({"query_time": 0, "context_window_sec": 0, "input_range": [1, 1], "media_path": "b.png"},
         "sec"),
        ({"media_path": "b.png"}, "sec"),
        ({"time_unit": "sec", "query_time": 0, "context_window_sec": 0, "input_range": [0, 0],
          "media_path": "b.png"}, "sec"),
    ],
)  # fmt: skip
def test_units_of_time(row: dict[str, Any], unit: str):
    assert read(row).unit == unit


@cases("lacking", ["query_time", "context_window_sec", "input_range"])
def test_times_are_all_there_or_none(lacking: str):
    row = {"query_time": 9, "context_window_sec": 4, "input_range": [5, 9]}
    assert read(row).times == (9.0, 4.0, 5.0, 9.0)
    assert read({**row, lacking: None}).times is None
    assert read({**row, "input_range": [5, None]}).times is None
    assert read({**row, "input_range": [None, 5]}).times is None


@cases(
    ("row", "answer", "answers"),
    [
        ({"answer": "a"}, "a", ("a",)),
        ({"answer": ["a", "b"]}, "a, b", ("a", "b")),
        ({"answer": ["a", 3]}, "a, 3", ("a", "3")),
        ({"answer": None, "reference_answer": "c"}, "c", ("c",)),
        ({"answer": "a", "reference_answer": "c"}, "a", ("a",)),
        ({"answer": 3}, "", ()),
        ({}, "", ()),
    ],
)
def test_answers(row: dict[str, Any], answer: str, answers: tuple):
    assert (read(row).answer, read(row).answers) == (answer, answers)


def test_choices_and_rubrics_of_any_type():
    assert read({"choices": ["a", 1]}).choices == ("a", "1")
    assert read({"choices": "ab"}).choices == read({"choices": None}).choices == ()
    assert read({"judge_rubric": {"a": 1}}).rubric == {"a": 1}
    assert read({"judge_rubric": "x"}).rubric == {}


@cases(
    ("row", "event"),
    [
        ({"expected_response_time": 5}, 5.0),
        ({"expected_response_time": None, "rounds": [{"current_time": 3, "answerable": True}]},
         None),
        ({"rounds": [{"current_time": 1, "answerable": False},
                     {"current_time": 3, "answerable": True}]}, 3.0),
        ({"rounds": [{"current_time": 1, "answerable": False}]}, None),
        *(({name: 7}, 7.0) for name, of in ALIASES.items() if of == "expected_response_time"),
    ],
)  # fmt: skip
def test_when_the_answer_is_there(row: dict[str, Any], event: float | None):
    assert read(row).event == event


@cases(
    ("row", "tolerance"),
    [({}, 2.0), ({"tolerance_sec": 3}, 3.0), ({"tolerance_sec": None}, None),
     ({"tolerance": 4}, 4.0), ({"tolerance": None}, 2.0), ({"tolerance_sec": "x"}, None)],
)  # fmt: skip
def test_how_late_is_in_time(row: dict[str, Any], tolerance: float | None):
    assert read(row).tolerance == tolerance


@cases(
    ("one", "mode", "accepted"),
    [
        ({"expected_output": "x"}, "future", ("x",)),
        ({"expected_output": "x"}, "proactive", ("x", "no_alert", "uncertain")),
        ({"expected_output": "x", "answerable": True}, "proactive", ("x",)),
        ({"expected_output": "x", "answerable": False}, "future", ("x",)),
        ({"expected_output": "x", "accepted_outputs": ["y"]}, "proactive", ("y",)),
        ({"expected_output": "x", "accepted_outputs": []}, "proactive", ()),
    ],
)
def test_what_a_round_accepts(one: dict[str, Any], mode: str, accepted: tuple):
    (found,) = read({"temporal_mode": mode, "rounds": [one]}).rounds
    assert found.accepted == accepted


def test_rounds_of_other_names_and_of_none():
    other = {"round": 4, "t_c": 3, "expected": "x", "is_answerable": True, "input_range": [1, 3],
             "accepted_outputs": ["x"]}  # fmt: skip
    right = StreamRound(4, 3.0, 1.0, 3.0, "x", ("x",), True)
    for name in ("rounds", *(k for k, of in ALIASES.items() if of == "rounds")):
        assert read({name: [other]}).rounds == (right,)
    assert set(ROUND_ALIASES.values()) >= {"round_index", "current_time"}
    assert read({"rounds": "x"}).rounds == ()
    (bare,) = read({"rounds": [None]}).rounds
    assert (bare.time, bare.expected, bare.answerable) == (None, "", None)
    (odd,) = read({"rounds": [{"answerable": "yes"}]}).rounds
    assert odd.answerable is None


def test_a_stream_has_rounds_or_says_so():
    assert read({"task_mode": "streaming"}).streaming
    assert read({"rounds": [{}]}).streaming
    assert not read({"task_mode": "single_turn"}).streaming
    assert read({"question_type": "closed"}).closed and not read({}).closed
    row = read({"turns": [1], "tolerance": None})
    assert row.has("rounds") and row.has("tolerance_sec") and not row.has("answer")
    assert row.get("rounds") == [1] and row.get("answer") is None
