"""Choices, answers and what evidence says of them, at each border."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.checks.medstream import choices
from surgqa.transforms.checks.medstream.sample import read
from tests.each import cases

BASE = {
    "sample_id": "d.v7.phase", "dataset": "d", "video_id": "v7", "task": "phase",
    "question_type": "closed", "temporal_mode": "present", "question": "Which one is it?",
    "choices": ["grasper", "hook"], "answer": "hook", "evidence": "tools.csv, row 4: hook.",
}  # fmt: skip
OPEN = {"question_type": "open", "choices": None, "answer": None,
        "reference_answer": "It is high.", "task": "skill"}  # fmt: skip
SILENT = {"task_mode": "streaming", "answer": "unanswerable",
          "rounds": [{"round_index": 0, "current_time": 3.0}]}  # fmt: skip
LEVELS = {"choices": ["low", "medium", "high"], "answer": "high"}

CASES: dict[Any, list[tuple[dict[str, Any], bool]]] = {
    choices.not_a_choice: [
        ({}, False),
        ({"choices": ["hook"]}, True),
        ({"choices": []}, True),
        ({"choices": ["hook", "Hook"]}, True),
        ({"choices": ["hook", "grasper", "hook"]}, True),
        ({"answer": "scissors"}, True),
        ({"answer": ""}, True),
        ({"answer": "unanswerable"}, True),
        (SILENT, False),
        ({**SILENT, "expected_response_time": 2.0}, True),
        ({**SILENT, "answer": "scissors"}, True),
        (OPEN, False),
    ],
    choices.no_record: [
        ({}, False),
        ({"evidence": "It is a hook."}, True),
        ({"evidence": "The hook is seen at 3 s."}, False),
        ({"evidence": "Level 2."}, False),
        ({"evidence": "The whole recording shows it."}, False),
        ({"evidence": "The folder says so."}, True),
        ({"evidence": "The folder of 12 clips says so."}, True),
        ({"evidence": "The folder of whole recordings says so."}, True),
        ({"evidence": "The folder's list.csv says so."}, False),
        ({"evidence": "hook"}, False),  # D03's
    ],
    choices.several_true: [
        ({}, False),
        ({"evidence": "grasper, hook"}, True),
        ({"evidence": "hook and grasper"}, True),
        ({"evidence": "grasper; later on hook"}, False),
        ({"evidence": "graspers, hook"}, False),
        ({"evidence": "grasper alone"}, False),
        ({"evidence": "hook alone"}, False),
        ({"choices": ["L hook", "hook"], "answer": "L hook", "evidence": "hook, L hook"}, False),
        ({"choices": ["no", "hook"], "evidence": "no, hook"}, False),
        ({"choices": ["clip_applier", "hook"], "evidence": "clip applier, hook"}, False),
        ({"evidence": "grasper, hook", "answer": ["grasper", "hook"]}, False),
        (OPEN | {"evidence": "grasper, hook"}, False),
    ],
    choices.unstated_bounds: [
        ({}, False),
        (LEVELS, True),
        (LEVELS | {"evidence": "The score is 14."}, True),
        (LEVELS | {"evidence": "The score is 14, high is above 10."}, False),
        (LEVELS | {"evidence": "high: 10-20"}, False),
        (LEVELS | {"evidence": "high: 10 to 20"}, False),
        (LEVELS | {"evidence": "high: >= 10"}, False),
        (LEVELS | {"evidence": "10 or more"}, False),
        ({"choices": ["high", "hook"], "answer": "high"}, False),
        ({"choices": ["high", "low"], "answer": "high"}, True),
        ({"choices": ["high", "hook"], "answer": "high", "task": "skill_now"}, True),
        ({"choices": ["high", "hook"], "answer": "hook", "task": "skill_now"}, False),
        (OPEN, True),
        (OPEN | {"task": "phase"}, False),
        (OPEN | {"task": "phase", "choices": ["high", "low"]}, False),
    ],
    choices.spelled_as_files: [
        ({}, False),
        ({"choices": ["clip_applier", "hook"]}, True),
        ({"choices": ["ClipApplier", "hook"]}, True),
        ({"choices": ["specimenbag", "hook"]}, True),
        ({"choices": ["clip applier", "hook"]}, False),
        ({"choices": ["scissor", "hook"]}, True),  # 14 of 15 letters are those of "scissors"
        ({"choices": ["hyperplasic", "hook"]}, True),  # the first word of "hyperplastic polyp"
        ({"choices": ["endobag", "hook"]}, False),  # another word for it, not a misspelled one
        ({"choices": ["irrigator", "hook"]}, False),
        ({"choices": ["None", "hook"]}, False),
        ({"choices": ["grasper, hook", "hook"]}, False),
        ({"choices": ["grasper, clip_applier", "hook"]}, True),
        ({"choices": ["grasper, specimenbag", "hook"]}, True),
        ({"choices": ["grasper and specimenbag", "hook"]}, False),
        ({"answer": "clip_applier"}, True),
        (OPEN | {"reference_answer": "clip_applier"}, False),
    ],
}  # fmt: skip


@cases(
    ("check", "change", "odd"),
    [(check, *case) for check, cases in CASES.items() for case in cases],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_row(check: Any, change: dict[str, Any], odd: bool):
    assert bool(list(check(read({**BASE, **change})))) == odd


def test_what_stands_twice_is_named():
    (told,) = choices.not_a_choice(read(BASE | {"choices": ["hook", "a", "b", "A"]}))
    assert told == "alike: a"
