"""Rows that are right have no finding; each field that is changed alone is noticed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any

import orjson
import pytest

from tests.each import cases
from tests.transforms.checks.proof.forged_codes import FOUND
from tests.transforms.checks.proof.made import (
    CHAIN,
    CLIP,
    CLIPS,
    LONG,
    NOW,
    STREAM,
    S,
    asked,
    chain_rows,
    clip_row,
    now_row,
    stream_row,
    text_of,
)
from transforms.checks.proof.chains import chain_problems, said_of
from transforms.checks.proof.head import shape_problems
from transforms.checks.proof.knowledge import _statements
from transforms.checks.proof.one import row_problems
from transforms.checks.proof.rows import Asked, read_row

Row = dict[str, Any]
TOLD = {"hook-1": "", "grasper-1": " on the left"}
OF = {"clip": (CLIP, clip_row), "now": (NOW, now_row), "stream": (STREAM, stream_row)}


def codes(kind: str, data: Row) -> set[str]:
    """Codes of what is wrong with one row."""
    program = OF[kind][0]
    found = read_row(program, data)
    if not isinstance(found, Asked):
        return {code for code, _ in found}
    told = (*shape_problems(found), *row_problems(found, LONG, CLIPS, told=TOLD))
    return {code for code, _ in told}


def test_a_finding_shows_what_was_expected():
    data = {**clip_row(), "question": "Which banana?"}
    one = read_row(CLIP, data)
    assert isinstance(one, Asked)
    ((_, detail),) = row_problems(one, LONG, CLIPS, told=TOLD)
    right = "Which instruments are in view beside the hook at 2.00 s?"
    assert detail == (f"question 'Which banana?', expected {right!r} (or one of 3 other wordings)")


def named(value: object) -> str:
    """A name for a case that every process gives."""
    return "" if callable(value) else str(value)


@pytest.mark.parametrize("kind", OF)
def test_a_right_row_has_no_finding(kind: str):
    assert codes(kind, OF[kind][1]()) == set()


def put(name: str, value: Any) -> Callable[[Row], None]:
    """Another value in a column."""

    def change(data: Row) -> None:
        data[name] = value

    return change


def asked_at(index: int, seconds: int) -> Callable[[Row], None]:
    """Another time of a round."""

    def change(data: Row) -> None:
        data["rounds"][index] |= {"current_us": seconds * S, "end_us": seconds * S}

    return change


def within(name: str, *path: Any, to: Any) -> Callable[[Row], None]:
    """Another value inside a column; JSON texts are read and written."""

    def change(data: Row) -> None:
        text = isinstance(data[name], str)
        whole = orjson.loads(data[name]) if text else data[name]
        part = whole
        for step in path[:-1]:
            part = part[step]
        part[path[-1]] = to
        data[name] = text_of(whole) if text else whole

    return change


FORGED: Mapping[str, list[tuple[str, Callable[[Row], None]]]] = {
    "clip": [
        ("another instrument in the question", put(
            "question", "Which instruments are in view beside the grasper at 2.00 s?")),
        ("which banana", put("question", "Which banana?")),
        ("a time a second late", put(
            "question", "Which instruments are in view beside the hook at 3.00 s?")),
        ("time of the video", put(
            "question", "Which instruments are in view beside the hook at 12.00 s?")),
        ("no capital", put(
            "question", "which instruments are in view beside the hook at 2.00 s?")),
        ("a side that is not needed", put(
            "question", "Which instruments are in view beside the hook on the left at 2.00 s?")),
        ("answer", put("answer", "C) Grasper")),
        ("answer key", put("answer_key", "A")),
        ("answer value", within("answer_value", "seen", to=["grasper"])),
        ("slot", within("slots", "seen", to=["grasper"])),
        ("drawn time", within("slots", "moment", to=13 * S)),
        ("drawn fact", within("slots", "tool", "label", to="grasper")),
        ("no such slot", within("slots", "other", to=1)),
        ("shape of a slot", within("slots", "moment", to="12")),
        ("fact without length", within("slots", "tool", "end_us", to=9 * S)),
        ("option text", within("options", 0, "text", to="Scissors")),
        ("option value", within("options", 0, "value", to='["scissors"]')),
        ("another option", within("options", 3, "value", to='["grasper","scissors"]')),
        ("option twice", within("options", 0, "text", to="Clip applier, hook")),
        ("second right option", within("options", 0, "is_answer", to=True)),
        ("no right option", within("options", 2, "is_answer", to=False)),
        ("wrong value is the answer", within("options", 0, "value", to='["hook"]')),
        ("right value is another", within("options", 2, "value", to='["grasper"]')),
        ("no such pool", within("options", 0, "kind", to="labels")),
        ("option key", within("options", 0, "key", to="B")),
        ("option type", within("options", 0, "value", to='"clipper"')),
        ("no options", put("options", [])),
        ("reasoning", within("reasoning", 0, to="At 3.00 s the hook is in view")),
        ("line too many", put("reasoning", ["At 2.00 s the hook is in view"] * 2)),
        ("window", put("end_us", 31 * S)),
        ("window id", put("window_id", "clip-2")),
        ("start", put("start_us", 11 * S)),
        ("clue", put("clue", "Look there.")),
        ("context", put("context", "Given that.")),
        ("task", put("task", "classes/other")),
        ("benchmark", put("benchmark", "other")),
        ("form", put("form", "set")),
        ("version", put("template_version", 2)),
        ("unit", put("unit", "now")),
        ("rule", put("rule", "count")),
        ("certain", put("certain", "labels")),
        ("mode", within("rule_args", "mode", to="past")),
        ("program", within("rule_args", "program", to="0")),
        ("type", within("rule_args", "answer", "seen", "of", to="verb")),
        ("pools", within("rule_args", "pools", to=["labels"])),
        ("scorer", within("rule_args", "scorer", to="mine")),
        ("more of the rule", within("rule_args", "ranked", to={"top": 1})),
        ("task mode", put("task_mode", "streaming")),
        ("temporal mode", put("temporal_mode", "present")),
        ("query", put("query_us", 12 * S)),
        ("chain", put("chain_id", "c")),
        ("rounds", put("rounds", stream_row()["rounds"])),
        ("JSON", put("slots", "{")),
        ("rubric", put("rubric", "{}")),
        ("knowledge", put("knowledge", "The hook dissects.")),
        ("limit", within("checks", 0, "limit", to=">= 2")),
        ("name of a limit", within("checks", 0, "name", to="seen")),
        ("no limits", put("checks", [])),
    ],
    "now": [
        ("query", put("query_us", 61 * S)),
        ("half a second", put("query_us", 60 * S + S // 2)),
        ("start", put("start_us", 41 * S)),
        ("end", put("end_us", 61 * S)),
        ("window id", put("window_id", "0" * 32)),
        ("no query", put("query_us", None)),
        ("option that is no phase", within("options", 1, "value", to='"banana"')),
        ("slot", within("slots", "here", "label", to="gallbladder_dissection")),
        ("slot is none", within("slots", "here", to=None)),
    ],
    "stream": [
        ("round late", within("rounds", 1, "current_us", to=129 * S)),
        ("round between seconds", within("rounds", 1, "current_us", to=120 * S + 1)),
        ("round beyond", within("rounds", 3, "current_us", to=161 * S)),
        ("order", within("rounds", 1, "current_us", to=105 * S)),
        ("index", within("rounds", 1, "round_index", to=5)),
        ("expected early", within("rounds", 0, "expected_output", to="Alert: polyp in view")),
        ("expected late", within("rounds", 2, "expected_output", to="no_alert")),
        ("expected words", within("rounds", 2, "expected_output", to="Alert: ulcer in view")),
        ("accepted", within("rounds", 0, "accepted_outputs", to=[])),
        ("accepted late", within("rounds", 2, "accepted_outputs", to=["uncertain"])),
        ("answerable", within("rounds", 0, "answerable", to=True)),
        ("not answerable", within("rounds", 2, "answerable", to=False)),
        ("shown", within("rounds", 0, "end_us", to=111 * S)),
        ("shown from", within("rounds", 0, "start_us", to=99 * S)),
        ("too few", put("rounds", stream_row()["rounds"][1:])),
        ("none", put("rounds", [])),
        ("length", put("end_us", 200 * S + 1)),
        ("between seconds", put("end_us", 160 * S + 1)),
        ("start", put("start_us", 101 * S)),
        ("due", within("slots", "hit", "start_us", to=119 * S)),
        ("answer", put("answer", "Alert: ulcer in view")),
        ("round so late that the answer may be there", asked_at(1, 128)),
        ("round at the question", asked_at(0, 100)),
        ("round at the end", asked_at(3, 160)),
        ("rubric", within("rubric", "required", to=[["ulcer"]])),
        ("no rubric", put("rubric", None)),
    ],
}  # fmt: skip
LISTED = [(kind, what, change) for kind, many in FORGED.items() for what, change in many]


@cases(("kind", "what", "change"), LISTED, ids=named)
def test_a_changed_field_is_noticed(kind: str, what: str, change: Callable[[Row], None]):
    data = deepcopy(OF[kind][1]())
    before = deepcopy(data)
    change(data)
    assert data != before
    assert codes(kind, data) == set(FOUND[kind, what].split())


@pytest.mark.parametrize(("duration", "fits"), [(60 * S + 1, True), (60 * S, False)])
def test_a_question_is_put_before_the_recording_ends(duration: int, fits: bool):
    found = {code for code, _ in row_problems(asked(NOW, now_row()), duration, frozenset())}
    assert found == (set() if fits else {"query_window_differs"})


RIGHT = [("stream", asked_at(1, 127)), ("stream", asked_at(0, 101)), ("stream", asked_at(3, 159))]


@pytest.mark.parametrize(("kind", "change"), RIGHT)
def test_what_is_just_right(kind: str, change: Callable[[Row], None]):
    data = deepcopy(OF[kind][1]())
    change(data)
    assert codes(kind, data) == set()


# -- chains -----------------------------------------------------------------------------------


def of_chain(rows: list[Row]) -> Iterator[str]:
    """Codes of what is wrong with the rows of a chain."""
    parts = []
    for data in rows:
        found = read_row(CHAIN, data)
        if isinstance(found, Asked):
            parts.append(found)
        else:
            yield from (code for code, _ in found)
    said = said_of(parts)
    for one in parts:
        yield from (c for c, _ in row_problems(one, LONG, frozenset(), told=TOLD, said=said))
    yield from (code for code, _, _ in chain_problems(parts))


def test_a_right_chain_has_no_finding():
    assert set(of_chain(chain_rows())) == set()


GENERAL = next(
    text
    for text, told in _statements().items()
    if any(not one.about and one.stage == 1 for one in told)
)
LIVER = next(text for text, told in _statements().items()
             if told[0].about == {"target": "liver"} and told[0].stage == 1)  # fmt: skip


def third_half(data: Row) -> None:
    """The last option joins a third first half: only the right one stands in two options."""
    within("options", 3, "value", to='["clip",40750000]')(data)
    within("options", 3, "text", to="Clipping, from 40.75 s on")(data)


CHAINS: list[tuple[str, int, Callable[[Row], None]]] = [
    ("context tells another answer", 2, put("context", "It is cutting.")),
    ("no context", 2, put("context", None)),
    ("clue a second late", 1, put("clue", "Watch from 31.00 s to 60.00 s.")),
    ("no clue", 1, put("clue", None)),
    ("no knowledge", 1, put("knowledge", None)),
    ("knowledge of no bank", 1, put("knowledge", "The gallbladder is yellow.")),
    ("knowledge of another tissue", 1, put("knowledge", LIVER)),
    ("less specific knowledge than the bank's", 1, put("knowledge", GENERAL)),
    ("window not inside", 2, put("start_us", 29 * S)),
    ("window as large as that around it", 1, put("start_us", 39 * S)),
    ("window too short", 2, put("end_us", 39 * S)),
    ("window that an option leaves", 2, put("end_us", 41 * S)),
    ("window of another", 0, put("end_us", 61 * S)),
    ("half of no option", 0, within("options", 1, "value", to='["dissect",41000000]')),
    ("third half", 0, third_half),
    ("instants too close", 2, within("options", 1, "value", to="40250000")),
    ("stage", 2, put("stage", 3)),
    ("no stage", 2, put("stage", None)),
    ("stage twice", 2, put("stage", 1)),
    ("other filling", 1, within("slots", "act", "end_us", to=51 * S)),
    ("other video", 1, put("video_id", "w")),
]


@cases(("what", "number", "change"), CHAINS, ids=named)
def test_a_changed_chain_is_noticed(what: str, number: int, change: Callable[[Row], None]):
    rows = chain_rows()
    change(rows[number])
    assert set(of_chain(rows)) == set(FOUND["chain", what].split())


def test_a_chain_lacks_no_question():
    assert set(of_chain(chain_rows()[:2])) == {"chain_incomplete"}
