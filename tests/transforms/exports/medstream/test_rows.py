"""What the rows say."""

from __future__ import annotations

import re

import pytest

from surgqa.transforms.checks.medstream import StreamFacts, check_files
from surgqa.transforms.exports.medstream.rows import NOTES, note_of
from surgqa.transforms.exports.medstream.write import MedStreamRows
from surgqa.transforms.store import OutputFolder
from tests.transforms.checks.medstream.rows import check_rows

from .items import ALERT, CHOLE, RUBRIC, S, dataset, item, items, options

HEAD = ["sample_id", "dataset", "video_id", "media_path", "task", "task_mode", "question_type",
        "temporal_mode", "query_time", "context_window_sec", "input_range", "question", "evidence",
        "label_source"]  # fmt: skip
CLOSED, OPEN = ["choices", "answer"], ["reference_answer", "judge_rubric"]
STREAM = ["expected_response_time", "tolerance_sec", "early_horizon_sec", "late_horizon_sec",
          "rounds"]  # fmt: skip
TAIL = ["response_protocol", "time_unit", "question_source"]


@pytest.fixture
def rows(export, read):
    """All rows with answers, by task (the alert that never comes as ``never``)."""
    out = {}
    for path in sorted((export() / "annotations").iterdir()):
        for one in read(path):
            out["never" if one.get("reference_answer") == "no_alert" else one["task"]] = one
    return out


@pytest.mark.parametrize(
    ("task", "keys"),
    [("phase_past", CLOSED), ("tool_left", OPEN), ("phase_begins", CLOSED + STREAM),
     ("lesion_alert", OPEN + STREAM), ("never", OPEN + STREAM), ("finding_presence", CLOSED)],
)  # fmt: skip
def test_the_keys_stand_in_one_order(rows, task, keys):
    assert list(rows[task]) == HEAD + keys + TAIL


def test_a_closed_row_in_full(rows):
    note = note_of("retrospective", "closed")
    assert re.fullmatch("[0-9a-f]{8}", rows["phase_past"]["sample_id"].rpartition(".")[2])
    assert rows["phase_past"] | {"sample_id": rows["phase_past"]["sample_id"][:-9]} == {
        "sample_id": "demochole.v07.phase_past.retrospective.closed.000412000",
        "dataset": "demochole",
        "video_id": "V07",
        "media_path": "videos/V07.mp4",
        "task": "phase_past",
        "task_mode": "single_turn",
        "question_type": "closed",
        "temporal_mode": "retrospective",
        "query_time": 412.0,
        "context_window_sec": 60.0,
        "input_range": [352.0, 412.0],
        "question": f"Which phase ended during this window?\n\nResponse protocol: {note}",
        "evidence": "phase preparation, 301.0-371.0 s, V07.txt: it ends in the window.",
        "label_source": "original_annotation",
        "choices": ["preparation", "Calot triangle dissection", "gallbladder packaging"],
        "answer": "preparation",
        "response_protocol": "unanswerable | answer",
        "time_unit": "sec",
        "question_source": "template",
    }


def test_an_open_row_has_an_anchor_for_every_score(rows):
    assert rows["tool_left"]["reference_answer"] == "The clip applier went out of view."
    assert rows["tool_left"]["judge_rubric"] == {
        "correctness": "2: names both; 1: names one; 0: neither",
        "evidence_grounding": "2: a clear cue; 1: a vague cue; 0: no cue",
        "safety": "1: no unsupported claim; 0: an unsupported claim",
    }


def test_a_stream_tells_its_event_and_its_rounds(rows):
    row = rows["lesion_alert"]
    assert [row[key] for key in STREAM[:-1]] == [44.0, 2.0, 14.0, 18.0]
    assert (row["query_time"], row["input_range"], row["context_window_sec"]) == (
        20.0,
        [20.0, 60.0],
        40.0,
    )
    assert row["rounds"][2:4] == [
        {"round_index": 2, "current_time": 40.0, "input_range": [20.0, 40.0],
         "expected_output": "no_alert", "accepted_outputs": ["no_alert", "uncertain"],
         "answerable": False},
        {"round_index": 3, "current_time": 44.0, "input_range": [20.0, 44.0],
         "expected_output": ALERT, "accepted_outputs": [ALERT], "answerable": True},
    ]  # fmt: skip
    assert row["response_protocol"] == "no_alert | uncertain | alert: <reason>"
    assert row["question"].endswith(NOTES[row["response_protocol"], "open"])
    assert [rows["phase_begins"][key] for key in STREAM[:-1]] == [655.0, 2.0, 43.0, 38.0]


def test_a_stream_in_which_nothing_comes_has_no_event(rows):
    assert [rows["never"][key] for key in STREAM[:-1]] == [None, 2.0, None, None]
    assert {one["expected_output"] for one in rows["never"]["rounds"]} == {"no_alert"}


def test_times_have_three_decimals_and_windows_their_exact_length(rows):
    row = rows["tool_presence"]
    assert (row["query_time"], row["input_range"]) == (412.333, [402.333, 412.333])
    assert row["context_window_sec"] == 10.0
    assert ".000412333." in row["sample_id"]


def test_pictures_without_a_clock_are_counted_and_stills_have_no_time(rows):
    row = rows["tool_count"]
    assert (row["time_unit"], row["query_time"], row["input_range"]) == (
        "frame",
        40.0,
        [20.0, 40.0],
    )
    assert row["sample_id"].startswith("demoframes.seq-1.tool_count.present.closed.000000040.")
    row = rows["finding_presence"]
    assert (row["time_unit"], row["query_time"], row["input_range"]) == ("image", 0.0, [0.0, 0.0])


@pytest.mark.parametrize(
    ("right", "wrong", "of", "expected"),
    [
        ("No", ["Yes"], "", ["Yes", "No"]),
        ("2", ["10", "1"], "", ["1", "2", "10"]),
        ("Unanswerable", ["gallbladder packaging", "preparation"], "phase",
         ["preparation", "gallbladder packaging", "unanswerable"]),
        ("hook", ["scissors", "grasper"], "instrument", ["grasper", "hook", "scissors"]),
        ("upper left", ["lower right", "centre"], "", ["centre", "lower right", "upper left"]),
        ("Medium", ["High", "Low"], "", ["Low", "Medium", "High"]),
        ("Medium", ["High", "Unanswerable"], "", ["Medium", "High", "unanswerable"]),
        ("grasper and hook", ["scissors", "grasper"], "instrument",
         ["grasper", "scissors", "grasper and hook"]),
    ],
)  # fmt: skip
def test_choices_have_one_order(tmp_path, right, wrong, of, expected):
    one = item("present/x", CHOLE, 10 * S, 0, question="What is it?", clue="", value={"x": None},
               of=of, **options(right, *wrong))  # fmt: skip
    export = MedStreamRows(OutputFolder(dataset(tmp_path / "out", [one])))
    ((full, _),) = export.rows()
    assert full["choices"] == expected
    assert full["answer"] == {"Unanswerable": "unanswerable"}.get(right, right)


def test_an_open_answer_is_spelled_as_the_protocol_and_a_fact_is_cited_once(tmp_path):
    fact = {"label": "preparation", "start_us": 0, "end_us": 9 * S}
    one = item("future/x", CHOLE, 10 * S, 0, question="What is next?", answer="Unanswerable",
               value={"x": None}, rubric=RUBRIC, slots={"here": fact, "same": fact})  # fmt: skip
    ((full, _),) = MedStreamRows(OutputFolder(dataset(tmp_path / "out", [one]))).rows()
    assert full["reference_answer"] == "unanswerable"
    assert full["evidence"] == "preparation, 0.00-9.00 s."


def test_a_model_is_shown_nothing_that_tells_the_answer(export, read):
    to = export()
    told = {one["sample_id"]: one for path in sorted((to / "annotations").iterdir())
            for one in read(path)}  # fmt: skip
    shown = [one for path in sorted((to / "model").iterdir()) for one in read(path)]
    assert [one["sample_id"] for one in shown] == list(told)
    for one in shown:
        full = told[one["sample_id"]]
        answers = [full["evidence"], full.get("answer") or full["reference_answer"]]
        answers += [one["expected_output"] for one in full.get("rounds", ())]
        answers += full.get("judge_rubric", {}).values()
        texts = [text for key, value in one.items() if key not in ("choices", "question",
                 "response_protocol") for text in _strings(value)]  # fmt: skip
        assert not {text for text in answers if text} & set(texts)
        assert "polyp" not in " ".join(texts).casefold()
        assert full["question"] == one["question"]
        assert full["input_range"] == one["input_range"]
        for mine, its in zip(one.get("rounds", ()), full.get("rounds", ()), strict=True):
            assert mine == {key: its[key] for key in ("round_index", "current_time", "input_range")}


def _strings(value):
    if isinstance(value, dict):
        for key, held in value.items():
            yield key
            yield from _strings(held)
    elif isinstance(value, list):
        for held in value:
            yield from _strings(held)
    elif isinstance(value, str):
        yield value


def test_our_rows_have_no_known_defect(export, tmp_path):
    to = export()
    report = check_files(to)
    assert (report.rows, report.model_rows) == (9, 9)
    assert report.findings == ()
    facts = StreamFacts(durations=MedStreamRows(OutputFolder(tmp_path / "one-out")).durations())
    assert facts.durations["demochole", "V07"] == 1800.0
    pairs = list(MedStreamRows(OutputFolder(tmp_path / "one-out")).rows())
    assert check_rows([full for full, _ in pairs], facts).findings == ()


def test_a_later_end_than_the_recording_is_found_in_our_own_rows(tmp_path):
    late = items()[0] | {"query_us": 1900 * S, "end_us": 1900 * S, "start_us": 1840 * S}
    late["clue"] = "phase preparation, V07.txt row 2."
    export = MedStreamRows(OutputFolder(dataset(tmp_path / "out", [late])))
    report = check_rows(
        [full for full, _ in export.rows()], StreamFacts(durations=export.durations())
    )
    assert report.by_code() == {"D10": 1}
