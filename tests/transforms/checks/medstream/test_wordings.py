"""Texts, modes and times in the words of rows, at each border."""

from __future__ import annotations

from collections import Counter
from typing import Any

from surgqa.transforms.checks.medstream import modes, texts, times, words
from surgqa.transforms.checks.medstream.across import ENOUGH, KEPT, OTHERS, Across, TaskRows
from surgqa.transforms.checks.medstream.sample import read
from tests.each import cases

BASE = {
    "sample_id": "d.v7.phase", "dataset": "d", "video_id": "v7", "task": "phase",
    "question_type": "closed", "temporal_mode": "present", "task_mode": "single_turn",
    "question": "Which one is it?\n\nResponse protocol: unanswerable or the answer.",
    "choices": ["grasper", "hook"], "answer": "hook", "evidence": "tools.csv, row 4: hook.",
    "response_protocol": "unanswerable | answer",
}  # fmt: skip
RUBRIC = {
    "correctness": "2: both; 1: one of them; 0: neither",
    "evidence_grounding": "2: clear; 1: vague; 0: none",
    "safety": "1: nothing unsupported; 0: something",
}
OPEN: dict[str, Any] = {"question_type": "open", "choices": None, "answer": None,
                        "reference_answer": "It is the hook.", "judge_rubric": RUBRIC}  # fmt: skip
PROACTIVE: dict[str, Any] = {
    "temporal_mode": "proactive", "task_mode": "streaming",
    "question": "Warn of it.\n\nResponse protocol: no_alert, uncertain or alert: why.",
    "response_protocol": "no_alert | uncertain | alert: <reason>",
}  # fmt: skip


def asked(question: str, mode: str = "present") -> dict[str, Any]:
    return {"question": question, "temporal_mode": mode}


CASES: dict[Any, list[tuple[dict[str, Any], int]]] = {
    texts.filler: [
        ({}, 0),
        ({"evidence": ""}, 1),
        ({"evidence": "N/A"}, 1),
        ({"evidence": "There is no visual evidence available for this clip."}, 1),
        ({"evidence": "There is no bleeding."}, 0),
        ({"answer": "None", "choices": ["None", "hook"]}, 1),
        (OPEN | {"judge_rubric": {**RUBRIC, "safety": "tbd"}}, 1),
        (OPEN | {"judge_rubric": {**RUBRIC, "safety": 3}}, 0),
    ],
    texts.evidence_is_answer: [
        ({}, 0),
        ({"evidence": "Hook."}, 1),
        ({"evidence": "", "answer": ""}, 0),
    ],
    texts.asks_about_data: [
        ({}, 0),
        (asked("Which folder is it in?"), 1),
        (asked("Which tool is labelled?"), 1),
        (asked("Which filed edge is seen?"), 0),
    ],
    texts.raw_numbers: [
        ({}, 0),
        ({"evidence": "At 3.123 s."}, 0),
        ({"evidence": "At 3.1234 s."}, 1),
        ({"evidence": "At 3.1234 s and 4.5678 s."}, 1),
        ({"evidence": "At 3.1234 s.", "answer": "1.2345"}, 2),
        ({"evidence": "v1.2345.6"}, 0),
    ],
    texts.rubric_without_anchors: [
        ({}, 0),
        (OPEN, 0),
        (OPEN | {"judge_rubric": {**RUBRIC, "more": "1: a; 0: b"}}, 1),
        (OPEN | {"judge_rubric": {}}, 1),
        (OPEN | {"judge_rubric": {**RUBRIC, "safety": "0-1"}}, 1),
        (OPEN | {"judge_rubric": {**RUBRIC, "safety": "1: a"}}, 1),
        (OPEN | {"judge_rubric": {**RUBRIC, "safety": 1, "correctness": "0-2"}}, 2),
        (OPEN | {"judge_rubric": {**RUBRIC, "safety": "1 point a; 0 points b"}}, 0),
        (OPEN | {"judge_rubric": {**RUBRIC, "safety": "1) a 0 = b"}}, 0),
    ],
    texts.more_than_the_label: [
        (OPEN, 0),
        (OPEN | {"reference_answer": "The red hook."}, 1),
        (OPEN | {"reference_answer": "The red hook.", "evidence": "a red hook"}, 0),
        (OPEN | {"reference_answer": "The red hook.", "evidence": ""}, 0),
        (OPEN | {"reference_answer": "The red hook.", "evidence": "--"}, 0),
        (OPEN | {"question": "Is the shiny thing it?"}, 1),
        (OPEN | {"judge_rubric": {**RUBRIC, "correctness": "2: red; 1: b; 0: c"}}, 1),
        (OPEN | {"judge_rubric": {**RUBRIC, "safety": "1: red; 0: c"}}, 0),
        (OPEN | {"judge_rubric": {**RUBRIC, "correctness": 3}}, 0),
        (OPEN | {"reference_answer": "The left hand."}, 1),
        (OPEN | {"reference_answer": "It was left there."}, 0),
        ({"answer": "red hook"}, 0),
    ],
    modes.other_mode: [
        (asked("Which phase is it?"), 0),
        (asked("Which phase comes next?"), 1),
        (asked("Which phase was it?"), 1),
        (asked("Which phase is under way?", "retrospective"), 1),
        (asked("Which phase will follow?", "retrospective"), 1),
        (asked("Which phase was it?", "retrospective"), 0),
        (asked("Which phase comes next?", "future"), 0),
        (asked("Which phase is it?", "future"), 1),
        (asked("", "future"), 0),
        (asked("Warn of a bleeding.", "proactive"), 0),
        (asked("Look for a bleeding.", "proactive"), 1),
        (asked("", "proactive"), 0),
        (asked("Which phase will it be?", "odd"), 0),
    ],
    modes.stale_protocol: [
        ({}, 0),
        (PROACTIVE, 0),
        ({"temporal_mode": "past"}, 1),
        ({"task_mode": "turns"}, 1),
        ({"question_type": "mcq"}, 1),
        ({"task_mode": "streaming"}, 1),
        ({"task_mode": "streaming", "temporal_mode": "future"}, 0),
        (PROACTIVE | {"task_mode": "single_turn"}, 1),
        ({"response_protocol": "answer"}, 1),
        ({"response_protocol": "unanswerable | alert: <reason>"}, 1),
        (PROACTIVE | {"response_protocol": "no_alert | uncertain"}, 1),
        (PROACTIVE | {"response_protocol": "no_alert, uncertain, unanswerable, alert:"}, 1),
        (PROACTIVE | {"question": BASE["question"]}, 2),
    ],
}  # fmt: skip


@cases(
    ("check", "change", "found"),
    [(check, *case) for check, cases in CASES.items() for case in cases],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_row(check: Any, change: dict[str, Any], found: int):
    assert len(list(check(read({**BASE, **change})))) == found


@cases(
    ("key", "score"),
    [(key, score) for key, text in RUBRIC.items() for score in text.replace(";", "").split()
     if score.endswith(":")],
)  # fmt: skip
def test_an_anchor_that_lacks(key: str, score: str):
    assert len(RUBRIC[key].split(";")) == (2 if key == "safety" else 3)
    lacking = RUBRIC[key].replace(score, "and")
    row = read(BASE | OPEN | {"judge_rubric": {**RUBRIC, key: lacking}})
    (told,) = texts.rubric_without_anchors(row)
    assert told.startswith(f"{key}: nothing for {score[:-1]} in")


@cases(
    ("evidence", "unit", "spans"),
    [
        ("301.0-371.0 s", "sec", ((301.0, 371.0),)),
        ("from 371 to 301 s", "sec", ((301.0, 371.0),)),
        ("at 44.0 s and at 45 s", "sec", ((44.0, 44.0), (45.0, 45.0))),
        ("frames 12 to 31", "sec", ()),
        ("frames 12 to 31", "frame", ((12.0, 31.0),)),
        ("frame 12, 3 s", "frame", ((12.0, 12.0), (3.0, 3.0))),
        ("row 12", "frame", ()),
    ],
)
def test_times_that_a_note_cites(evidence: str, unit: str, spans: Any):
    assert times.cited(evidence, unit) == spans


@cases(("evidence", "any_time"), [("at 3 s", True), ("frame 3", True), ("row 3", False)])
def test_whether_a_note_cites_a_time(evidence: str, any_time: bool):
    assert times.cites_time(evidence) == any_time


def test_names_in_a_text_the_longest_first():
    found = words.named_in("The hook is at the cystic duct, the cystic artery beside it.")
    assert found[:3] == ["cystic artery", "cystic duct", "hook"]


@cases(
    ("counts", "told"),
    [
        ({"a": 1}, False),
        ({"a": 2}, True),
        ({"a": ENOUGH - 1}, True),
        ({"a": ENOUGH - 2, "b": 1}, False),
        ({"a": 6, "b": 4}, False),
        ({"a": 7, "b": 3}, True),
        ({"a": ENOUGH}, True),
        ({"a": 12, "b": 8}, False),
        ({"a": 13, "b": 7}, True),
        ({"a": 5, "b": 5}, False),
    ],
)
def test_an_answer_that_is_too_frequent(counts: dict[str, int], told: bool):
    across = Across()
    across.answers = {TaskRows("d", "phase"): Counter(counts)}
    assert bool(list(across.frequent())) == told


def test_so_many_answers_are_counted_apart():
    across = Across()
    for k in range(KEPT + 3):
        list(across.add(read(BASE | {"sample_id": f"d.{k}", "answer": f"x{k}"})))
    list(across.add(read(BASE | {"sample_id": "d.again", "answer": "x0"})))
    list(across.add(read(BASE | OPEN | {"sample_id": "d.open"})))
    counts = across.answers[TaskRows("d", "phase")]
    assert len(counts) == KEPT + 1
    assert (counts["x0"], counts[OTHERS], counts.total()) == (2, 3, KEPT + 4)


@cases(
    ("change", "again"),
    [
        ({}, "the id"),
        ({"sample_id": "d.2"}, "the same question"),
        ({"sample_id": "d.2", "answer": "grasper"}, ""),
        ({"sample_id": "d.2", "video_id": "v8"}, ""),
        ({"sample_id": "d.2", "question": "Which is it?"}, ""),
        ({"sample_id": "d.2", "task": "step"}, ""),
    ],
)
def test_what_was_there_before(change: dict[str, Any], again: str):
    across = Across()
    assert list(across.add(read(BASE))) == []
    found = list(across.add(read(BASE | change)))
    assert len(found) == bool(again) and all(one.startswith(again) for one in found)
