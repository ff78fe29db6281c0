"""export, and check of such rows: what they print and how they end."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import surgqa.transforms.checks
from surgqa.ontology.rows import ITEM, VIDEOS
from surgqa.pipeline.cli.app import run
from surgqa.transforms.checks.report import CheckReport, Findings
from surgqa.transforms.registry import load_sample

S = 1_000_000


def _item(video: str, **more) -> dict:
    row = dict.fromkeys(ITEM.names)
    row |= {
        "item_id": video * 16, "benchmark": "medstream", "task": "present/phase_now",
        "form": "choice", "dataset": "demochole", "video_id": video, "split": "train",
        "start_us": 402 * S, "end_us": 412 * S, "query_us": 412 * S,
        "media": {"path": f"videos/{video}.mp4", "kind": "video"},
        "question": "Which phase does the last picture show?",
        "answer": "A) preparation",
        "options": [{"key": "A", "text": "preparation", "is_answer": True, "kind": ""},
                    {"key": "B", "text": "gallbladder dissection", "is_answer": False, "kind": ""}],
        "unit": "now", "rule": "only", "rule_args": json.dumps({
            "answer": {"here.label": {"type": "label", "of": "phase"}}, "fields": ["here.label"],
            "mode": "present", "pools": ["labels"], "scorer": "", "program": ""}),
        "answer_value": '{"here.label":"preparation"}', "slots": '{"here":null}',
        "certain": "worlds", "clue": "phase preparation, 301.0-471.0 s, a.txt.",
        "temporal_mode": "present", "task_mode": "single_turn", "rounds": [],
        "label_source": "original_annotation",
    }  # fmt: skip
    return row | more


@pytest.fixture
def out(tmp_path) -> Path:
    """A finished dataset of two items of two videos."""
    folder = tmp_path / "out"
    (folder / "data" / "medstream").mkdir(parents=True)
    (folder / "evidence").mkdir()
    _fill(folder, [_item("v1"), _item("v2")])
    videos = [
        {"dataset": "demochole", "video_id": name, "clock": "time", "period_us": S,
         "duration_us": 900 * S} for name in ("v1", "v2")
    ]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(videos, VIDEOS), folder / "evidence" / "videos.parquet")
    (folder / "manifest.json").write_text('{"digest": "d"}', encoding="utf-8")
    return folder


def _fill(folder: Path, rows: list[dict]) -> None:
    table = pa.Table.from_pylist(rows, ITEM)
    pq.write_table(table, folder / "data" / "medstream" / "train-00000-of-00001.parquet")


@pytest.fixture
def proven(monkeypatch):
    """The check against evidence finds one difference, or none."""

    def say(*codes: str) -> None:
        findings = Findings()
        for code in codes:
            findings.add(code, "a" * 32, "expected 1, found 2")
        report = CheckReport(2, 2, {}, {}, (), 2, findings.listed(), findings.counts)
        monkeypatch.setattr(surgqa.transforms.checks, "check_output", lambda out, **_: report)

    return say


def test_an_export_prints_what_it_wrote(out, tmp_path, capsys):
    to = tmp_path / "rows"
    assert run(["export", str(out), "--as", "medstreambench", "--to", str(to)]) == 0
    printed, said = capsys.readouterr()
    assert printed.splitlines() == [
        "dataset    items  retrospective  present  future  proactive  rounds",
        "demochole      2              0        2       0          0       0",
    ]
    assert str(to) in said
    assert (to / "annotations" / "demochole.jsonl").read_bytes().count(b"\n") == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "rows"]


def test_an_empty_folder_may_be_there(out, tmp_path):
    to = tmp_path / "rows"
    to.mkdir()
    assert run(["export", str(out), "--as", "medstreambench", "--to", str(to)]) == 0
    assert (to / "export.json").is_file()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param(lambda line, out: line.__setitem__(3, "surgery"),
                     ["no format is called 'surgery'", "medstreambench"], id="format"),
        pytest.param(lambda line, out: line.__setitem__(5, str(out)),
                     ["already exists", "--to"], id="folder in use"),
        pytest.param(lambda line, out: line.__setitem__(1, str(out.parent)),
                     ["not a finished dataset", "manifest.json"], id="no dataset"),
        pytest.param(lambda line, out: line.__setitem__(3, "surgcot"),
                     ["has no rows for the format surgcot", "2 of unit now", "--as medstreambench"],
                     id="no items"),
    ],
)  # fmt: skip
def test_mistakes_are_told(out, tmp_path, capsys, change, said):
    line = ["export", str(out), "--as", "medstreambench", "--to", str(tmp_path / "rows")]
    change(line, out)
    assert run(line) == 2
    error = capsys.readouterr().err
    assert error.startswith("error[")
    assert all(part in error for part in said), error
    assert not (tmp_path / "rows").exists()


def test_rows_are_checked_by_themselves(out, tmp_path, capsys):
    to, report = tmp_path / "rows", tmp_path / "report.json"
    run(["export", str(out), "--as", "medstreambench", "--to", str(to)])
    capsys.readouterr()
    file = to / "annotations" / "demochole.jsonl"
    assert run(["check", str(to)]) == 0
    assert "2 rows in MedStreamBench's format read, 2 for models" in capsys.readouterr().out
    lines = file.read_text(encoding="utf-8").splitlines()
    bad = json.loads(lines[0]) | {"answer": "suturing"}
    file.write_text("\n".join([json.dumps(bad), lines[1]]), encoding="utf-8")
    assert run(["check", str(file), "--json", str(report)]) == 1
    printed = capsys.readouterr().out
    assert "error: D12 (1): The answer is not a choice" in printed
    assert "check failed: 1 error(s)" in printed
    found = json.loads(report.read_text(encoding="utf-8"))
    assert (found["rows"], found["differences"], found["counts"]["D12"]) == (2, 1, 1)
    assert found["findings"][0]["sample_id"] == bad["sample_id"]


def test_a_dataset_with_such_items_is_checked_as_rows_too(out, tmp_path, capsys, proven):
    report = tmp_path / "report.json"
    proven()
    assert run(["check", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "2 of 2 items read" in printed
    assert "2 rows in MedStreamBench's format read, 2 for models" in printed
    assert "warning: D33 (1)" in printed  # both answers are the same
    assert printed.endswith("check passed: no errors\n")
    _fill(out, [_item("v1"), _item("v2", question="Which label is it?", end_us=990 * S,
                                   query_us=990 * S, start_us=980 * S)])  # fmt: skip
    proven("answer_differs")
    assert run(["check", str(out), "--json", str(report)]) == 1
    printed = capsys.readouterr().out
    for code in ("answer_differs", "D10", "D14", "D15"):
        assert f"error: {code} (1)" in printed
    assert "check failed: 4 error(s)" in printed
    found = json.loads(report.read_text(encoding="utf-8"))
    assert (found["differences"], found["warnings"]) == (4, 1)
    assert found["medstreambench"]["rows"] == 2
    assert found["counts"] == {"answer_differs": 1, "D10": 1, "D14": 1, "D15": 1, "D33": 1}
    assert {one["code"] for one in found["findings"]} == set(found["counts"])


def test_a_limit_holds_for_rows_as_well(out, tmp_path, capsys, proven):
    proven()
    assert run(["check", str(out), "--limit", "1"]) == 0
    assert "1 rows in MedStreamBench's format" in capsys.readouterr().out


def test_what_is_built_has_no_known_defect(tmp_path, capsys):
    """The real thing: a made-up sample, built, exported and checked."""
    root, built, to = tmp_path / "sample", tmp_path / "built", tmp_path / "rows"
    root.mkdir()
    load_sample("bern_bypass70")(root)
    line = ["build", "--dataset", "bern_bypass70", "--root", str(root), "--benchmark", "medstream"]
    assert run([*line, "--out", str(built)]) == 0
    assert run(["export", str(built), "--as", "medstreambench", "--to", str(to)]) == 0
    capsys.readouterr()
    assert run(["check", str(to)]) == 0, capsys.readouterr().out
    files = {path.parent.name: path for path in to.rglob("bern_bypass70.jsonl")}
    rows = [json.loads(line) for line in files["annotations"].read_bytes().splitlines()]
    assert {row["temporal_mode"] for row in rows} == {
        "retrospective", "present", "future", "proactive",
    }  # fmt: skip
    assert {row["question_type"] for row in rows} == {"closed", "open"}
    assert {row["task_mode"] for row in rows} == {"single_turn", "streaming"}
    assert len(files["model"].read_bytes().splitlines()) == len(rows)


@pytest.mark.parametrize("text", ["", "nothing here", "[1, 2]"])
def test_a_file_without_rows_is_told(tmp_path, capsys, text):
    file = tmp_path / "x.jsonl"
    file.write_text(text, encoding="utf-8")
    assert run(["check", str(file)]) == 2
    assert "holds no row" in capsys.readouterr().err


def test_a_folder_of_nothing_is_no_dataset(tmp_path, capsys):
    assert run(["check", str(tmp_path)]) == 2
    assert "not a finished dataset" in capsys.readouterr().err
