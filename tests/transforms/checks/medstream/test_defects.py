"""Each defect, made in a good row by one change, is found by its own check and by no other."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from surgqa.transforms.checks import Severity
from surgqa.transforms.checks.medstream import CODES, StreamFacts, check_files
from surgqa.transforms.checks.medstream.run import RowChecks, _check_file
from tests.each import cases

from . import good
from .good import GOOD, NOTE, Row
from .rows import check_rows, row_problems

Change = Callable[[Row], object]


def codes(row: Row) -> set[str]:
    return {code for code, _, _ in row_problems(row)}


def setting(**fields) -> Change:
    """Give fields another value, in their places."""
    return lambda row: row.update(fields)


def asking(stem: str) -> Change:
    """Another question above the same note."""

    def change(row: Row) -> None:
        note = row["question"].partition("\n\n")[2]
        row["question"] = f"{stem}\n\n{note}"

    return change


def in_round(place: int, **fields) -> Change:
    return lambda row: row["rounds"][place].update(fields)


def moved(key: str) -> Change:
    """Put a key at the end."""
    return lambda row: row.update({key: row.pop(key)})


def dropping(place: int) -> Change:
    """Take a round out, and say all that follows from the others anew."""

    def change(row: Row) -> None:
        del row["rounds"][place]
        _restate(row)

    return change


def later(place: int, seconds: float) -> Change:
    """Hold one round later, and say all that follows anew."""

    def change(row: Row) -> None:
        one = row["rounds"][place]
        one["current_time"] += seconds
        one["input_range"] = [row["query_time"], one["current_time"]]
        _restate(row)

    return change


def _restate(row: Row) -> None:
    times = [one["current_time"] for one in row["rounds"]]
    event, start, last = row["expected_response_time"], row["query_time"], times[-1]
    step = min(b - a for a, b in zip(times, times[1:], strict=False))
    row.update(input_range=[start, last], context_window_sec=last - start,
               early_horizon_sec=event - 2 - times[0],
               late_horizon_sec=last - event - 2 + step)  # fmt: skip
    for place, one in enumerate(row["rounds"]):
        one["round_index"] = place


BAD = [
    ("D01", good.present_closed, asking("Phase?")),
    ("D02", good.retrospective_open, setting(evidence="No evidence is available.")),
    ("D03", good.retrospective_open, setting(evidence="the clip applier left after clipping")),
    ("D04", good.whole_rating,
     setting(query_time=0.0, context_window_sec=0.0, input_range=[0.0, 0.0],
             sample_id="demochole.v07.video_skill.retrospective.closed.000000000.5b1e0c9b")),
    ("D04", good.still, setting(context_window_sec=2.0, input_range=[0.0, 2.0], query_time=2.0)),
    ("D05", good.present_closed, setting(sample_id="demochole.v07.phase_now.none")),
    ("D08", good.present_closed, moved("evidence")),
    ("D08", good.present_closed, lambda row: row.pop("label_source")),
    ("D08", good.present_closed, lambda row: row.update(rationale="a label")),
    ("D09", good.whole_rating, setting(input_range=[0.001, 304.805], context_window_sec=304.804)),
    ("D10", good.present_closed, setting(context_window_sec=30.0)),
    ("D10", good.present_closed, setting(input_range=[-8.0, 412.0], context_window_sec=420.0,
                                         task="video_phase")),
    ("D11", good.present_closed, setting(input_range=[352.0, 420.0], context_window_sec=68.0)),
    ("D11", good.proactive, in_round(1, input_range=[20.0, 44.0])),
    ("D12", good.present_closed, setting(answer="suturing")),
    ("D13", good.retrospective_closed, asking("Which phase is currently going on?")),
    ("D13", good.retrospective_closed,
     setting(evidence="phase preparation, 501.0-571.0 s, labels/v07.txt.")),
    ("D14", good.present_closed,
     setting(evidence="phase gallbladder dissection, 71.0-155.0 s, labels/v07.txt.")),
    ("D15", good.present_closed, asking("Which phase label does the picture have?")),
    ("D16", good.present_closed,
     setting(sample_id="demochole.gallbladder-dissection-v07.present.closed")),
    ("D18", good.present_closed, setting(evidence="The folder name gives the phase.")),
    ("D19", good.present_yes_no,
     setting(choices=["grasper", "hook"], answer="grasper", task="tool_now",
             question=f"Which instrument does the last picture show?\n\n{NOTE}",
             evidence="instruments grasper, hook at 412.0 s, labels/v07.txt.")),
    ("D20", good.present_closed, setting(task="phase_mcq")),
    ("D21", good.present_closed, setting(sample_id="demochole.v07.gemini.present.closed")),
    ("D22", good.present_closed, setting(input_range=[411.0, 412.0], context_window_sec=1.0)),
    ("D23", good.present_closed, setting(input_range=[212.0, 412.0], context_window_sec=200.0)),
    ("D24", good.whole_rating, setting(evidence="rating 12.0, scores.csv row 3.")),
    ("D25", good.present_open,
     setting(evidence="instrument hook, verb dissect, at 412.00000001 s, labels/v07.txt.")),
    ("D26", good.retrospective_closed,
     setting(choices=["preparation", "Gallbladder_Packaging", "gallbladder dissection"])),
    ("D27", good.present_open,
     lambda row: row["judge_rubric"].update(safety="1: no unsupported claim")),
    ("D28", good.present_open, asking("What does the surgeon do at the yellowish membrane?")),
    ("D29", good.present_closed, setting(media_path="demo/demo/v07.mp4")),
    ("D30", good.present_closed, setting(sample_id="demochole.V07.phase_now(2)")),
    ("D31", good.present_closed, setting(sample_id="demochole_demochole_v07_phase_now")),
    ("D32", good.present_closed,
     setting(response_protocol="no_alert | uncertain | alert: <reason>")),
    ("D32", good.future_unanswerable,
     setting(choices=["preparation", "Unanswerable"], answer="Unanswerable")),
    ("D32", good.future_open, setting(reference_answer="Unanswerable")),
    ("S01", good.future_stream, in_round(1, round_index=5)),
    ("S02", good.future_stream, in_round(1, input_range=[605.0, 630.0])),
    ("S03", good.never_alert, lambda row: row["rounds"][3].update(answerable=True,
        expected_output="alert: lesion", accepted_outputs=["alert: lesion"])
        or row.update(reference_answer="alert: lesion")),
    ("S04", good.proactive, dropping(4)),
    ("S05", good.proactive, later(2, 3.0)),
    ("S06", good.future_stream, in_round(0, accepted_outputs=["no idea"])),
    ("S06", good.proactive, in_round(1, expected_output="nothing", accepted_outputs=["nothing"])),
    ("S06", good.future_stream,
     in_round(1, expected_output="preparation", accepted_outputs=["preparation"])),
    ("S07", good.future_stream,
     in_round(3, expected_output="preparation", accepted_outputs=["preparation"])),
    ("S07", good.proactive, setting(reference_answer="alert: another finding")),
    ("S08", good.future_stream, lambda row: _shift(row, -700.0)),
    ("S09", good.future_stream, setting(tolerance_sec=0.0)),
    ("S10", good.future_stream,
     in_round(0, accepted_outputs=["unanswerable", "preparation"])),
]  # fmt: skip


def _shift(row: Row, seconds: float) -> None:
    """Move the whole stream; what its texts say of times is left out."""
    row["query_time"] += seconds
    row["expected_response_time"] += seconds
    row["input_range"] = [one + seconds for one in row["input_range"]]
    row["evidence"] = "phase gallbladder dissection, labels/v07.txt row 3."
    row["sample_id"] = "demochole.v07.phase_begins"
    for one in row["rounds"]:
        one["current_time"] += seconds
        one["input_range"] = [time + seconds for time in one["input_range"]]


@cases("make", GOOD, ids=lambda make: make.__name__)
def test_a_good_row_has_no_defect(make):
    assert list(row_problems(make())) == []


def test_names_with_humps_may_stand_in_lists():
    row = good.present_yes_no() | {
        "choices": ["ProGrasp forceps, clip applier", "LigaSure vessel sealer, hook", "grasper"],
        "answer": "grasper", "task": "tools_now",
        "question": f"Which instruments does the last picture show?\n\n{NOTE}",
    }  # fmt: skip
    assert codes(row) == set()


def test_good_rows_together_have_no_defect():
    rows = [make() for make in GOOD]
    for place, one in enumerate(rows):
        one["sample_id"] = f"{one['sample_id'][:-8]}{place:08x}"
    assert check_rows(rows).findings == ()


@cases(("code", "make", "change"), BAD, ids=[f"{c}-{m.__name__}" for c, m, _ in BAD])
def test_a_defect_is_found_by_its_own_check(code, make, change):
    row = make()
    change(row)
    assert codes(row) == {code}, list(row_problems(row))


def test_every_code_is_shown_to_be_found():
    rest = {"D06", "D07", "D17", "D33"}  # of files and of rows together; below
    assert {code for code, _, _ in BAD} | rest == set(CODES)


def test_d06_finds_repeated_ids_and_questions():
    once, again = good.present_closed(), good.present_closed()
    again["question"] = again["question"].replace("does the", "is in the")
    report = check_rows([once, again])
    assert report.by_code() == {"D06": 1, "D33": 1}
    assert "the id" in report.findings[0].detail
    again = good.present_closed() | {"sample_id": once["sample_id"][:-1] + "f"}
    report = check_rows([once, again])
    assert report.by_code() == {"D06": 1, "D33": 1}
    assert "same question" in report.findings[0].detail


def test_d06_lets_the_same_question_about_another_window_be():
    once, other = good.present_closed(), good.present_closed()
    other |= {"sample_id": once["sample_id"][:-1] + "f", "input_range": [342.0, 412.0],
              "context_window_sec": 70.0}  # fmt: skip
    assert check_rows([once, other]).differences == 0


def test_d33_warns_of_one_answer_in_most_rows():
    rows = [
        good.present_yes_no() | {"sample_id": f"a.b{i}.c", "video_id": f"v{i}"} for i in range(20)
    ]
    for one in rows[:8]:
        one["answer"] = "no"
    assert check_rows(rows).by_code() == {}  # 12 of 20 are not above 60 %
    rows[0]["answer"] = "yes"
    report = check_rows(rows)
    assert report.by_code() == {"D33": 1}
    assert (report.differences, report.count(Severity.WARNING)) == (0, 1)
    assert report.findings[0].detail == "demochole/tool_presence: 'yes' in 13 of 20"
    assert report.answers["demochole/tool_presence"] == {"yes": 13, "no": 7}


LAYOUTS: dict[str, tuple[Callable[[list[str]], str], int, bool]] = {
    "a line each": (lambda lines: "\n".join(lines) + "\n", 3, True),
    "no last line end": ("\n".join, 3, True),
    "over many lines": (lambda lines: "\n".join(_spread(lines)), 3, False),
    "back to back": (lambda lines: "".join(_spread(lines)), 3, False),
    "one list": (lambda lines: "[" + ",\n".join(lines) + "]", 3, False),
    "one line": ("".join, 3, False),
    "empty lines": ("\n\n".join, 3, False),
    "other line ends": ("\r\n".join, 3, False),
    "cut off": (lambda lines: "\n".join(_spread(lines))[:-40], 2, False),
    "rubbish": (lambda lines: "\n".join([*lines, "what is this"]), 3, False),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_d07_finds_other_layouts_and_reads_them_all_the_same(tmp_path, name):
    layout, rows, fine = LAYOUTS[name]
    report = check_files(_written(tmp_path, layout))
    assert (report.rows, report.by_code()) == (rows, {} if fine else {"D07": 1})


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 3000 + "]" * 3000])
def test_a_value_without_end_is_no_object(tmp_path, value):
    row = json.dumps(good.present_closed())
    (tmp_path / "a.jsonl").write_text(f'{row}\n{{"a": {value}}}\n')
    report = check_files(tmp_path)
    assert report.rows == 1 and report.by_code()["D07"] == 1


def _written(folder: Path, layout: Callable[[list[str]], str]) -> Path:
    rows = [good.present_closed(), good.present_open(), good.proactive()]
    path = folder / "demochole.jsonl"
    path.write_bytes(layout([json.dumps(one) for one in rows]).encode())
    return path


def _spread(lines: list[str]) -> list[str]:
    return [json.dumps(json.loads(line), indent=2) for line in lines]


@pytest.mark.parametrize(
    "secret",
    [{"evidence": "x"}, {"answer": "x"}, {"judge_rubric": {}}, {"expected_response_time": 1.0},
     {"tolerance_sec": 2.0}, {"late_horizon_sec": 2.0}, {"event_time": 3.0},
     {"rounds": [{"round_index": 0, "answerable": True}]},
     {"rounds": [{"round_index": 0, "accepted_outputs": []}]}],
    ids=str,
)  # fmt: skip
def test_d17_finds_what_tells_the_answer_in_rows_for_models(tmp_path, secret):
    shown = {"sample_id": "a.b.c", "question": "Which phase is it?", "choices": ["x", "y"]}
    assert check_rows([], shown=[shown]).by_code() == {}
    assert check_rows([], shown=[shown | secret]).by_code() == {"D17": 1}
    path = tmp_path / "model" / "demo.jsonl"
    path.parent.mkdir()
    path.write_text(json.dumps(shown | secret), encoding="utf-8")
    (tmp_path / "media_map.jsonl").write_text("{}\n", encoding="utf-8")
    report = check_files(tmp_path)
    assert (report.rows, report.model_rows, report.by_code()) == (0, 1, {"D17": 1})


@pytest.mark.parametrize(("limit", "rows"), [(None, 3), (0, 0), (1, 1), (2, 2), (3, 3), (4, 3)])
def test_so_many_rows_of_a_file_are_read(tmp_path, limit, rows):
    checks = RowChecks()
    _check_file(checks, _written(tmp_path, "\n".join), limit)
    assert checks.report().rows == rows


def test_a_media_path_that_is_not_told_is_a_warning():
    row = good.present_closed() | {"media_path": ""}
    assert list(row_problems(row)) == [
        ("D29", "media_path is empty, expected a path or 'media: absent'", Severity.WARNING)
    ]
    assert codes(row | {"media_path": "media: absent"}) == set()


def test_media_that_is_not_there_is_a_warning():
    facts = StreamFacts(is_there=lambda dataset, path: path == "videos/v07.mp4")
    assert list(row_problems(good.present_closed(), facts)) == []
    row = good.present_closed() | {"media_path": "videos/v08.mp4"}
    assert [(c, s) for c, _, s in row_problems(row, facts)] == [("D29", Severity.WARNING)]


def test_lengths_of_recordings_are_held_against_the_rows():
    facts = StreamFacts(durations={("demochole", "v07"): 400.0})
    assert {c for c, _, _ in row_problems(good.present_closed(), facts)} == {"D10"}
    assert {c for c, _, _ in row_problems(good.future_stream(), facts)} == {"S08"}
    facts = StreamFacts(durations={("demochole", "v07"): 675.0})
    assert list(row_problems(good.future_stream(), facts)) == []


@pytest.mark.parametrize("make", [good.future_stream, good.proactive], ids=lambda m: m.__name__)
def test_other_names_of_stream_fields_are_taken(make):
    row = {}
    for key, value in make().items():
        if key == "rounds":
            names = {"round_index": "round", "current_time": "t_c", "expected_output": "expected",
                     "answerable": "is_answerable"}  # fmt: skip
            value = [{names.get(k, k): v for k, v in one.items()} for one in value]
        row[{"rounds": "turns", "expected_response_time": "event_time",
             "tolerance_sec": "tolerance"}.get(key, key)] = value  # fmt: skip
    assert codes(row) == set()
    row["turns"][3]["is_answerable"] = None
    assert "S03" in codes(row)


def test_fields_that_only_we_have_may_lack():
    row = good.future_stream()
    for key in ("time_unit", "question_source", "early_horizon_sec", "late_horizon_sec"):
        del row[key]
    assert codes(row) == set()


@cases("value", [None, 3, "x", [], {}, [None], True, float("nan")], ids=repr)
@cases("make", [good.present_closed, good.present_open, good.proactive],
                         ids=lambda make: make.__name__)  # fmt: skip
def test_rows_of_any_types_are_read(make, value):
    for key in make():
        assert all(code in CODES for code in codes(make() | {key: value}))
    assert codes(dict.fromkeys(make(), value))
