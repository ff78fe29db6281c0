"""Rows that are right have no finding; each field that is changed alone is noticed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from functools import partial
from typing import Any

import orjson
import pytest

from surgqa.transforms.checks.proof.chains import chain_problems, said_of
from surgqa.transforms.checks.proof.head import shape_problems
from surgqa.transforms.checks.proof.knowledge import _statements
from surgqa.transforms.checks.proof.one import row_problems
from surgqa.transforms.checks.proof.rows import ProofRow, read_row
from tests.each import cases
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

Row = dict[str, Any]
Change = Callable[[Row], None]
TOLD = {"hook-1": "", "grasper-1": " on the left"}
OF = {"clip": (CLIP, clip_row), "now": (NOW, now_row), "stream": (STREAM, stream_row)}


def codes(kind: str, data: Row) -> set[str]:
    """Codes of what is wrong with one row."""
    program = OF[kind][0]
    found = read_row(program, data)
    if not isinstance(found, ProofRow):
        return {code for code, _ in found}
    told = (*shape_problems(found), *row_problems(found, LONG, CLIPS, track_words=TOLD))
    return {code for code, _ in told}


def test_a_finding_shows_what_was_expected():
    data = {**clip_row(), "question": "Which banana?"}
    one = read_row(CLIP, data)
    assert isinstance(one, ProofRow)
    ((_, detail),) = row_problems(one, LONG, CLIPS, track_words=TOLD)
    right = "Which instruments are in view beside the hook at 2.00 s?"
    assert detail == (f"question 'Which banana?', expected {right!r} (or one of 3 other wordings)")


@cases("kind", OF)
def test_a_right_row_has_no_finding(kind: str):
    assert codes(kind, OF[kind][1]()) == set()


def put(name: str, value: Any) -> Change:
    """Another value in a column."""
    return partial(_put, name, value)


def _put(name: str, value: Any, data: Row) -> None:
    data[name] = value


def asked_at(index: int, seconds: int) -> Change:
    """Another time of a round."""
    return partial(_asked_at, index, seconds)


def _asked_at(index: int, seconds: int, data: Row) -> None:
    data["rounds"][index] |= {"current_us": seconds * S, "end_us": seconds * S}


def within(name: str, *path: Any, to: Any) -> Change:
    """Another value inside a column; JSON texts are read and written."""
    return partial(_within, name, path, to)


def _within(name: str, path: tuple[Any, ...], to: Any, data: Row) -> None:
    text = isinstance(data[name], str)
    whole = orjson.loads(data[name]) if text else data[name]
    part = whole
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = to
    data[name] = text_of(whole) if text else whole


FORGED: Mapping[str, Mapping[str, list[Change]]] = {
    "clip": {
        "words_differ": [
            put("question", "Which instruments are in view beside the grasper at 2.00 s?"),
            put("question", "Which banana?"),
            put("question", "Which instruments are in view beside the hook at 3.00 s?"),
            put("question", "Which instruments are in view beside the hook at 12.00 s?"),
            put("question", "which instruments are in view beside the hook at 2.00 s?"),
            put("question", "Which instruments are in view beside the hook on the left at 2.00 s?"),
            within("options", 0, "text", to="Scissors"),
            within("options", 0, "value", to='["scissors"]'),
            within("reasoning", 0, to="At 3.00 s the hook is in view"),
            put("reasoning", ["At 2.00 s the hook is in view"] * 2)],
        "text_disagrees": [put("answer", "C) Grasper")],
        "options_malformed": [put("answer_key", "A"), within("options", 0, "key", to="B")],
        "margin_differs option_false slot_differs": [
            within("answer_value", "seen", to=["grasper"])],
        "slot_differs": [within("slots", "seen", to=["grasper"])],
        "identity_differs words_differ": [within("slots", "moment", to=13 * S),
            within("slots", "tool", "label", to="grasper")],
        "slots_malformed": [within("slots", "other", to=1), put("slots", "{")],
        "identity_differs slots_malformed words_differ": [within("slots", "moment", to="12")],
        "identity_differs slots_malformed": [within("slots", "tool", "end_us", to=9 * S)],
        "margin_differs words_differ": [
            within("options", 3, "value", to='["grasper","scissors"]')],
        "options_malformed words_differ": [within("options", 0, "text", to="Clip applier, hook"),
            within("options", 0, "value", to='"clipper"')],
        "option_false options_malformed": [within("options", 0, "is_answer", to=True)],
        "option_true options_malformed": [within("options", 2, "is_answer", to=False)],
        "margin_differs option_true options_malformed words_differ": [
            within("options", 0, "value", to='["hook"]')],
        "margin_differs option_false words_differ": [
            within("options", 2, "value", to='["grasper"]')],
        "option_foreign": [within("options", 0, "kind", to="labels")],
        "margin_differs options_malformed words_differ": [put("options", [])],
        "window_differs": [put("end_us", 31 * S)],
        "identity_differs window_differs": [put("window_id", "clip-2")],
        "window_differs words_differ": [put("start_us", 11 * S)],
        "stage_texts": [put("clue", "Look there."), put("context", "Given that."),
            put("rubric", "{}"), put("knowledge", "The hook dissects.")],
        "template_differs": [put("task", "classes/other"), put("benchmark", "other"),
            put("form", "set"), put("template_version", 2), put("unit", "now"),
            put("rule", "count"), put("certain", "labels"),
            within("rule_args", "mode", to="past"), within("rule_args", "program", to="0"),
            within("rule_args", "answer", "seen", "of", to="verb"),
            within("rule_args", "pools", to=["labels"]),
            within("rule_args", "scorer", to="mine"),
            within("rule_args", "ranked", to={"top": 1}), put("task_mode", "streaming"),
            put("temporal_mode", "present"), put("query_us", 12 * S), put("chain_id", "c")],
        "rounds_malformed": [put("rounds", stream_row()["rounds"])],
        "check_failed": [within("checks", 0, "limit", to=">= 2"),
            within("checks", 0, "name", to="seen"), put("checks", [])],
    },
    "now": {
        "query_window_differs": [put("query_us", 61 * S), put("query_us", 60 * S + S // 2)],
        "query_window_differs window_differs": [put("start_us", 41 * S), put("end_us", 61 * S)],
        "identity_differs window_differs": [put("window_id", "0" * 32)],
        "template_differs": [put("query_us", None)],
        "option_foreign words_differ": [within("options", 1, "value", to='"banana"')],
        "slot_differs": [within("slots", "here", "label", to="gallbladder_dissection"),
            within("slots", "here", to=None)],
    },
    "stream": {
        "rounds_malformed": [within("rounds", 1, "current_us", to=129 * S),
            within("rounds", 1, "current_us", to=120 * S + 1),
            within("rounds", 3, "current_us", to=161 * S),
            within("rounds", 1, "current_us", to=105 * S),
            within("rounds", 1, "round_index", to=5), within("rounds", 0, "end_us", to=111 * S),
            within("rounds", 0, "start_us", to=99 * S),
            put("rounds", stream_row()["rounds"][1:]), asked_at(1, 128), asked_at(0, 100),
            asked_at(3, 160)],
        "round_differs": [within("rounds", 0, "expected_output", to="Alert: polyp in view"),
            within("rounds", 2, "expected_output", to="no_alert"),
            within("rounds", 2, "expected_output", to="Alert: ulcer in view"),
            within("rounds", 0, "accepted_outputs", to=[]),
            within("rounds", 2, "accepted_outputs", to=["uncertain"]),
            within("rounds", 0, "answerable", to=True),
            within("rounds", 2, "answerable", to=False)],
        "rounds_malformed words_differ": [put("rounds", [])],
        "query_window_differs window_differs": [put("end_us", 200 * S + 1),
            put("end_us", 160 * S + 1)],
        "query_window_differs rounds_malformed window_differs": [put("start_us", 101 * S)],
        "slot_differs": [within("slots", "hit", "start_us", to=119 * S)],
        "words_differ": [put("answer", "Alert: ulcer in view"),
            within("rubric", "required", to=[["ulcer"]])],
        "stage_texts": [put("rubric", None)],
    },
}  # fmt: skip
"""Row -> codes of what is found, no more and no fewer -> changes, each made alone."""


@cases(
    ("kind", "found", "change"),
    [(kind, found, change) for kind, by_codes in FORGED.items()
     for found, changes in by_codes.items() for change in changes],
)  # fmt: skip
def test_a_changed_field_is_noticed(kind: str, found: str, change: Change):
    data = deepcopy(OF[kind][1]())
    before = deepcopy(data)
    change(data)
    assert data != before
    assert codes(kind, data) == set(found.split())


@pytest.mark.parametrize(("duration", "fits"), [(60 * S + 1, True), (60 * S, False)])
def test_a_question_is_put_before_the_recording_ends(duration: int, fits: bool):
    found = {code for code, _ in row_problems(asked(NOW, now_row()), duration, frozenset())}
    assert found == (set() if fits else {"query_window_differs"})


@cases("step", [3, 10, 14])
def test_what_is_just_right(step: int):
    data = stream_row()
    for k, one in enumerate(data["rounds"]):
        one |= {"current_us": (130 + (k - 2) * step) * S, "end_us": (130 + (k - 2) * step) * S}
    assert codes("stream", data) == set()


# -- chains -----------------------------------------------------------------------------------


def of_chain(rows: list[Row]) -> Iterator[str]:
    """Codes of what is wrong with the rows of a chain."""
    parts = []
    for data in rows:
        found = read_row(CHAIN, data)
        if isinstance(found, ProofRow):
            parts.append(found)
        else:
            yield from (code for code, _ in found)
    said = said_of(parts)
    for one in parts:
        yield from (c for c, _ in row_problems(one, LONG, frozenset(), track_words=TOLD, said=said))
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


CHAINS: Mapping[str, list[tuple[int, Change]]] = {
    "words_differ": [(2, put("context", "It is cutting.")),
        (1, put("clue", "Watch from 31.00 s to 60.00 s."))],
    "stage_texts": [(2, put("context", None)), (1, put("clue", None)),
        (1, put("knowledge", None))],
    "knowledge_differs": [(1, put("knowledge", "The gallbladder is yellow.")),
        (1, put("knowledge", LIVER)), (1, put("knowledge", GENERAL))],
    "window_differs windows_not_narrower": [(2, put("start_us", 29 * S))],
    "chain_window_differs window_differs windows_not_narrower words_differ": [
        (1, put("start_us", 39 * S))],
    "chain_window_differs outside_window window_differs": [(2, put("end_us", 39 * S))],
    "outside_window window_differs": [(2, put("end_us", 41 * S))],
    "chain_window_differs window_differs": [(0, put("end_us", 61 * S))],
    "main_unfair words_differ": [(0, within("options", 1, "value", to='["dissect",41000000]'))],
    "main_unfair": [(0, third_half)],
    "margin_differs main_unfair option_foreign words_differ": [
        (2, within("options", 1, "value", to="40250000"))],
    "chain_incomplete stage_differs": [(2, put("stage", 3)), (2, put("stage", None))],
    "chain_incomplete slots_malformed": [(2, put("stage", 1))],
    "chain_mixed identity_differs": [(1, within("slots", "act", "end_us", to=51 * S))],
    "chain_mixed identity_differs window_differs": [(1, put("video_id", "w"))],
}  # fmt: skip


@cases(
    ("found", "number", "change"),
    [(found, *one) for found, changes in CHAINS.items() for one in changes],
)
def test_a_changed_chain_is_noticed(found: str, number: int, change: Change):
    rows = chain_rows()
    change(rows[number])
    assert set(of_chain(rows)) == set(found.split())


def test_a_chain_lacks_no_question():
    assert set(of_chain(chain_rows()[:2])) == {"chain_incomplete"}
