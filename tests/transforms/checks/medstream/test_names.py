"""Ids, paths and names of rows at each border: what is odd, and what only looks like it."""

from __future__ import annotations

from typing import Any

from surgqa.transforms.checks.medstream import names
from surgqa.transforms.checks.medstream.sample import NO_MEDIA, read
from tests.each import cases

PHASES = ["Calot triangle dissection", "gallbladder packaging"]

CLOSED = {
    "sample_id": "d.v7.phase.present.closed.01", "dataset": "d", "video_id": "v7",
    "media_path": "videos/v7.mp4", "task": "phase", "question_type": "closed",
    "temporal_mode": "present", "question": "Which phase is under way?", "choices": PHASES,
    "answer": PHASES[0],
}  # fmt: skip
OPEN = {key: value for key, value in CLOSED.items() if key not in ("choices", "answer")} | {
    "question_type": "open", "reference_answer": "The hook is cutting the cystic duct.",
    "question": "What is being done?",
}  # fmt: skip
YES_NO = {"question": "Is a polyp in view?", "choices": ["yes", "no"], "answer": "yes"}

CASES: dict[Any, list[tuple[dict[str, Any], dict[str, Any], bool]]] = {
    names.missing_value: [
        (CLOSED, {}, False),
        (CLOSED, {"sample_id": "d.none.phase"}, True),
        (CLOSED, {"sample_id": "d.NaN"}, True),
        (CLOSED, {"sample_id": "d.nonesuch"}, False),
        (CLOSED, {"sample_id": ""}, True),
    ],
    names.odd_characters: [
        (CLOSED, {}, False),
        (CLOSED, {"sample_id": "a_b-c.0"}, False),
        (CLOSED, {"sample_id": "a b"}, True),
        (CLOSED, {"sample_id": "A"}, True),
        (CLOSED, {"sample_id": ""}, False),
    ],
    names.repeated_part: [
        (CLOSED, {"sample_id": "knot_knot_1"}, True),
        (CLOSED, {"sample_id": "d.knot.knot.1"}, True),
        (CLOSED, {"sample_id": "d.knot.knots"}, False),
        (CLOSED, {"sample_id": "1_1"}, False),
    ],
    names.form_as_task: [
        (CLOSED, {"task": "phase_mcq"}, True),
        (CLOSED, {"task": "mcq"}, True),
        (CLOSED, {"task": "xmcq"}, False),
        (CLOSED, {"task": "mcqs"}, False),
        (CLOSED, {"task": "multi_select"}, True),
        (CLOSED, {"task": "phase_open"}, True),
        (CLOSED, {"task": "open_wound"}, False),
        (CLOSED, {"task": "yes_no_polyp"}, True),
    ],
    names.wording_unsourced: [
        (CLOSED, {"sample_id": "d.gemini.1"}, True),
        (CLOSED, {"sample_id": "d.gemini.1", "question_source": ""}, True),
        (CLOSED, {"sample_id": "d.gemini.1", "question_source": "template"}, True),
        (CLOSED, {"sample_id": "d.gemini.1", "question_source": "rewritten"}, False),
        (CLOSED, {"sample_id": "d.gemini.1", "question_source": 3}, True),
        (CLOSED, {"question_source": "template"}, False),
        (CLOSED, {"sample_id": "d.geminid.1"}, False),
    ],
    names.odd_path: [
        (CLOSED, {}, False),
        (CLOSED, {"media_path": NO_MEDIA}, False),
        (CLOSED, {"media_path": "/data/v.mp4"}, True),
        (CLOSED, {"media_path": "a\\v.mp4"}, True),
        (CLOSED, {"media_path": "C:v.mp4"}, True),
        (CLOSED, {"media_path": "s3://b/v.mp4"}, True),
        (CLOSED, {"media_path": "a/b:c.mp4"}, False),
        (CLOSED, {"media_path": "a/../v.mp4"}, True),
        (CLOSED, {"media_path": "a/..v.mp4"}, False),
        (CLOSED, {"media_path": "d/D/v.mp4"}, True),
        (CLOSED, {"media_path": "a/b/b/v.mp4"}, True),
        (CLOSED, {"media_path": "a/b/a/v.mp4"}, False),
    ],
    names.unknown_media: [
        (CLOSED, {}, False),
        (CLOSED, {"media_path": " "}, True),
        (CLOSED, {"media_path": NO_MEDIA}, False),
    ],
    names.answer_in_names: [
        (CLOSED, {}, False),
        (CLOSED, {"media_path": "Calot_triangle_dissection/v7.mp4"}, True),
        (CLOSED, {"media_path": "gallbladder_packaging/v7.mp4"}, False),
        (CLOSED, {"video_id": "calottriangledissection"}, True),
        # a list of all choices tells nothing, one that leaves a wrong one out does
        (CLOSED, {"question": "Is it Calot triangle dissection or gallbladder packaging?"}, False),
        (CLOSED, {"question": "Is it Calot triangle dissection, or not?"}, True),
        (CLOSED, {"question": "Is it gallbladder packaging, or not?"}, False),
        (CLOSED, {"question": "Is it Calot triangle dissection or gallbladder packaging?",
                  "choices": [*PHASES, "unanswerable"]}, False),
        (CLOSED, {"question": "Alert: Calot triangle dissection.",
                  "temporal_mode": "proactive"}, False),
        # yes and no are told by folders about what is asked
        (CLOSED, {**YES_NO, "media_path": "videos_with_polyps/1.avi"}, True),
        (CLOSED, {**YES_NO, "media_path": "videos_without_polyp/1.avi"}, True),
        (CLOSED, {**YES_NO, "media_path": "videos_with_sound/1.avi"}, False),
        (CLOSED, {"media_path": "videos_with_phases/1.avi"}, False),
        # of an open answer what it names and the question does not
        (OPEN, {}, False),
        (OPEN, {"media_path": "hook/v7.mp4"}, True),
        (OPEN, {"media_path": "hook/v7.mp4", "question": "What is the hook doing?"}, False),
        (OPEN, {"video_id": "bbps2", "reference_answer": "It is BBPS-2."}, True),
        (OPEN, {"video_id": "bbp2", "reference_answer": "It is BBP-2."}, False),
        (OPEN, {"video_id": "12345", "reference_answer": "It is 12345."}, False),
        (OPEN, {"video_id": "bbps2", "reference_answer": "It is BBPS-2.",
                "question": "Is it BBPS-2?"}, False),
        (OPEN, {"media_path": "train/v7.mp4", "reference_answer": "A train of sutures."}, False),
        (OPEN, {"media_path": "d/Coated/v7.mp4", "reference_answer": "It is coated."}, True),
        (OPEN, {"media_path": "D/v7.mp4", "dataset": "coated",
                "sample_id": "coated.v7", "reference_answer": "It is coated."}, False),
        (OPEN, {"sample_id": "d.swollen.1", "reference_answer": "It is swollen."}, True),
        (OPEN, {"sample_id": "d.thick.1", "reference_answer": "It is thick."}, True),
        (OPEN, {"sample_id": "d.pale.1", "reference_answer": "It is pale."}, False),
        (OPEN, {"sample_id": "d.swollen.1", "task": "swollen",
                "reference_answer": "It is swollen."}, False),
        (OPEN, {"sample_id": "d.swollenish.1", "task": "swollen",
                "reference_answer": "It is swollenish."}, True),
    ],
}  # fmt: skip


@cases(
    ("check", "base", "change", "odd"),
    [(check, *case) for check, cases in CASES.items() for case in cases],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_row(check: Any, base: dict[str, Any], change: dict[str, Any], odd: bool):
    assert bool(list(check(read({**base, **change})))) == odd


def test_one_thing_is_told_once():
    found = list(names.odd_path(read(CLOSED | {"media_path": "/d/d/../v.mp4"})))
    assert found == ["not relative: '/d/d/../v.mp4'"]
    (told,) = names.answer_in_names(read(CLOSED | {**YES_NO, "media_path": "videos_with_polyps/1"}))
    assert told == "'with polyps' in media_path 'videos_with_polyps/1'"
