"""lint, schema, new, verify, doctor, check, score: what they print and how they end."""

from __future__ import annotations

import dataclasses
import json
from importlib import metadata

import pytest

import surgqa.transforms.checks
import surgqa.transforms.scoring
from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.records import Books, Span
from surgqa.pipeline.cli import doctor
from surgqa.pipeline.cli.app import run
from surgqa.pipeline.cli.contract import problems_of, shared_groups, verify_dataset
from surgqa.transforms.checks.report import CheckReport, Findings
from surgqa.transforms.registry import load_reader, load_sample
from surgqa.transforms.samples.pictures import film
from tests.pipeline.cli.conftest import ID_A, item


def test_shipped_templates_have_no_errors(capsys):
    assert run(["lint"]) == 0
    out, err = capsys.readouterr()
    assert "0 error(s)" in err


def test_lint_finds_what_is_wrong(tmp_path, capsys):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "bad.yaml").write_text("schema: template/v1\nid: mine.bad\n", encoding="utf-8")
    assert run(["lint", str(tmp_path), "--json"]) == 1
    findings = json.loads(capsys.readouterr().out)
    assert {one["code"] for one in findings} >= {"T102"}
    assert {one["path"] for one in findings} == {(folder / "bad.yaml").as_posix()}


def test_lint_of_a_file_that_is_not_there(capsys):
    assert run(["lint", "nowhere.yaml"]) == 3
    assert "found     nowhere.yaml" in capsys.readouterr().err


def test_schema_to_a_file_is_what_it_prints(tmp_path, capsys):
    assert run(["schema"]) == 0
    printed = capsys.readouterr().out
    assert run(["schema", "--out", str(tmp_path / "s.json")]) == 0
    assert (tmp_path / "s.json").read_text(encoding="utf-8") == printed
    assert json.loads(printed)["properties"]["ask"]


def test_schema_into_a_folder_that_is_not_there(tmp_path, capsys):
    assert run(["schema", "--out", str(tmp_path / "no" / "s.json")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_preview_by_id_and_by_path(tmp_path, capsys):
    assert run(["preview", "surgstu.locate", "-n", "1"]) == 0
    by_id = capsys.readouterr().out
    assert by_id.startswith("surgstu.locate v")
    assert by_id.count("\n  Q  ") == 1
    run(["new", "template", "mine.how_many", "--templates", str(tmp_path)])
    capsys.readouterr()
    assert run(["preview", str(tmp_path / "mine" / "how_many.yaml")]) == 0
    assert capsys.readouterr().out.startswith("mine.how_many v1: asked ")


def test_preview_of_a_misspelt_template(capsys):
    assert run(["preview", "surgstu.lcate"]) == 2
    assert "did you mean surgstu.locate?" in capsys.readouterr().err


def test_a_new_template_is_clean_from_the_start(tmp_path, capsys):
    assert run(["new", "template", "mine.how_many", "--templates", str(tmp_path)]) == 0
    written = tmp_path / "mine" / "how_many.yaml"
    assert capsys.readouterr().out.split() == [str(written)]
    assert run(["lint", str(tmp_path)]) == 0
    assert (tmp_path / "schema" / "question-v1.json").is_file()


def test_new_overwrites_nothing(tmp_path, capsys):
    run(["new", "template", "mine.how_many", "--templates", str(tmp_path)])
    written = tmp_path / "mine" / "how_many.yaml"
    written.write_text("mine", encoding="utf-8")
    capsys.readouterr()
    assert run(["new", "template", "mine.how_many", "--templates", str(tmp_path)]) == 2
    assert "exist already" in capsys.readouterr().err
    assert written.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param(["template", "Mine"], "not a template id", id="template"),
        pytest.param(["reader", "My-Data"], "not a dataset's name", id="reader"),
        pytest.param(["reader", "cholect50"], "a dataset of that name exists", id="taken"),
    ],
)
def test_new_refuses_names_and_places(tmp_path, monkeypatch, capsys, line, said):
    monkeypatch.chdir(tmp_path)
    assert run(["new", *line]) == 2
    assert said in capsys.readouterr().err


@pytest.fixture
def sample(tmp_path):
    root = tmp_path / "data" / "cholect50"
    root.mkdir(parents=True)
    load_sample("cholect50")(root)
    return root


def test_verify_counts_a_good_dataset(sample, tmp_path, capsys):
    report = tmp_path / "report.json"
    line = ["verify", "cholect50", "--root", str(sample), "--json", str(report)]
    assert run(line) == 0
    assert "the contract holds" in capsys.readouterr().out
    found = json.loads(report.read_text(encoding="utf-8"))
    truth = load_reader("cholect50")(sample).read("VID01").instruments
    assert found["videos"][0]["instants"] == truth.instants_us.size
    assert found["videos"][0]["instances"] == truth.label.size
    assert all(v["read"] == v["kept"] + v["rejected"] for v in found["videos"])


def test_verify_reports_a_broken_video_and_reads_on(sample, capsys):
    (sample / "labels" / "VID01.json").write_text("{", encoding="utf-8")
    assert run(["verify", "cholect50", "--root", str(sample)]) == 1
    out = capsys.readouterr().out
    assert "problem: VID01: " in out
    assert "1 videos read" in out


def test_verify_of_an_empty_folder_is_3(tmp_path, capsys):
    assert run(["verify", "cholect50", "--root", str(tmp_path)]) == 3
    assert "labels/VID01.json is missing" in capsys.readouterr().err


OWN = """
videos: {file: videos.csv, columns: {video: v, duration: s}}
tables:
  phases: {holds: segments, file: p.csv, columns: {video: v, start: s, phase: p},
    time: {unit: UNIT}}
  tools: {holds: events, file: t.csv, columns: {video: v, at: s, instrument: i}, time: {unit: UNIT}}
labels: {phase: {Prep: preparation, Calot: calot_triangle_dissection}, instrument: same}
"""
TIMES = {
    # unit: (last time of an instrument, its share of the length, warnings)
    "seconds": (90.0, 0.9, []),
    "milliseconds": (0.09, 0.0009, ["no instrument starts", "no phase starts"]),
    "clock": (90.0, 0.9, []),
    "frames": (None, None, ["6 of 10 labels have no time inside their video"]),
}


@pytest.mark.parametrize("unit", TIMES)
def test_verify_shows_the_times_of_labels_and_doubts_a_wrong_unit(unit, tmp_path, capsys):
    clock = unit == "clock"
    times = ["00:00", "00:50", "01:30"] if clock else ["0", "50", "90"]
    rate = "rate: 0.5\n" if unit == "frames" else ""
    lines = {"p.csv": "v,s,p\n", "t.csv": "v,s,i\n"}
    for video in "ab":
        lines["p.csv"] += f"{video},{times[0]},Prep\n{video},{times[1]},Calot\n"
        lines["t.csv"] += "".join(f"{video},{time},hook\n" for time in times)
    files = {"surgqa.yaml": rate + OWN.replace("UNIT", unit), "videos.csv": "v,s\na,100\nb,100\n"}
    for name, text in (files | lines).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    report = tmp_path / "report.json"
    assert run(["verify", "tables", "--root", str(tmp_path), "--json", str(report)]) == 0
    found = json.loads(report.read_text(encoding="utf-8"))
    last, reach, warnings = TIMES[unit]
    if last is not None:
        instrument = found["times"]["instrument"]
        assert (instrument["videos"], instrument["last_s"], instrument["reach"]) == (2, last, reach)
    assert len(found["warnings"]) == len(warnings)
    out = capsys.readouterr().out
    assert all(f"warning: {one}" in out for one in warnings)
    assert "times of labels" in out and found["videos"][0]["seconds"] == 100


def test_verify_gives_examples_of_what_is_left_out(tmp_path, capsys):
    files = {"surgqa.yaml": OWN.replace("UNIT", "seconds"), "videos.csv": "v,s\na,100\n",
             "p.csv": "v,s,p\na,0,Prep\na,9,Callot\na,20,Callot\na,50,Calot\na,60,Xyz\n",
             "t.csv": "v,s,i\na,soon,hook\n"}  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    report = tmp_path / "report.json"
    assert run(["verify", "tables", "--root", str(tmp_path), "--json", str(report)]) == 0
    examples = json.loads(report.read_text(encoding="utf-8"))["examples"]
    assert examples == {
        "unknown_label (rejected)": [
            "p.csv:3: phase 'Callot' is not in labels.phase of surgqa.yaml; near: Calot",
            "p.csv:6: phase 'Xyz' is not in labels.phase of surgqa.yaml",
        ],
        "bad_time (rejected)": ["t.csv:2: at 'soon' is not a time in seconds from 0"],
    }
    out = capsys.readouterr().out
    assert all(one in out for some in examples.values() for one in some)
    assert "1 of 1 videos without a video file or images: a" in out


@pytest.mark.parametrize(("frames", "warned"), [
    (500, []), (480, []), (200, ["a.mp4 ends at 40.00 s, but by the labels a lasts 100.00 s"]),
    (0, ["a.mp4 is not a video that can be opened"]),
])  # fmt: skip
def test_verify_warns_of_a_video_file_that_is_too_short(frames, warned, tmp_path, capsys):
    files = {"surgqa.yaml": 'rate: 5\nmedia: "{video}.mp4"\n' + OWN.replace("UNIT", "seconds"),
             "videos.csv": f"v,s\na,{96.5 if frames == 480 else 100}\n",
             "p.csv": "v,s,p\na,0,Prep\na,50,Calot\n", "t.csv": "v,s,i\na,60,hook\n"}  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "a.mp4").write_bytes(film(frames, 5) if frames else b"no video")
    assert run(["verify", "tables", "--root", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert out.count("warning: ") == len(warned)
    assert all(f"warning: {one}" in out for one in warned)


def test_broken_promises_are_named(sample):
    good = load_reader("cholect50")(sample).read("VID01")
    assert list(problems_of(good)) == []
    late = Span("phase", "preparation", 5, 10**12, "labels/VID01.json", "")
    table = dataclasses.replace(good.instruments, box_xyxy=good.instruments.box_xyxy + 1)
    bad = dataclasses.replace(
        good,
        video=dataclasses.replace(good.video, sources=(), vocabulary=("spoon",)),
        instruments=dataclasses.replace(table, instants_us=table.instants_us[::-1]),
        spans=(late,),
        books=(Books("read", "rows", 3, 1, 1),),
    )
    text = "\n".join(problems_of(bad))
    for said in (
        "names no source file",
        "read 3 rows, but kept 1",
        "phase preparation from 5",
        "does not know: spoon",
        "ascending",
        "leave the frame",
        "outside the video's vocabulary",
    ):
        assert said in text


def test_a_surgery_on_two_sides_of_a_split():
    splits = {"official": {"a": "train", "b": "test", "c": "test"}}
    assert shared_groups(splits, {"a": "g", "b": "g", "c": "h"}) == [
        "split official: g is in test and train"
    ]
    assert shared_groups(splits, {"a": "g", "b": "h", "c": "h"}) == []


def test_a_reader_that_fails_is_a_problem_and_not_the_end(sample):
    reader = load_reader("cholect50")(sample)
    read = reader.read

    def fail(video_id):
        if video_id == "VID01":
            raise SourceBroken("torn", where="labels/VID01.json")
        return read(video_id)

    reader.read = fail
    found = verify_dataset(reader)
    assert found.problems == ["VID01: torn\n  where     labels/VID01.json"]
    assert [one.video_id for one in found.videos] == ["VID02"]


def test_an_error_that_several_videos_share_is_one_problem(sample):
    reader = load_reader("cholect50")(sample)

    def fail(video_id):
        raise SourceBroken("torn", where="labels.csv:1")

    reader.read = fail
    assert verify_dataset(reader).problems == ["VID01, VID02: torn\n  where     labels.csv:1"]


def test_doctor_names_what_lacks(monkeypatch):
    versions = {"surgqa": "0.1.0", "right": "2.0", "old": "1.0"}

    def version(name):
        if name not in versions:
            raise metadata.PackageNotFoundError(name)
        return versions[name]

    needs = {
        "surgqa": [
            "right>=2",
            "old>=2",
            "gone==1",
            'big; extra == "models"',
            'right[more]; extra == "cloud"',
        ],
        "right": ['farther; extra == "more"', "plain"],
    }
    monkeypatch.setattr(metadata, "version", version)
    monkeypatch.setattr(metadata, "requires", needs.__getitem__)
    monkeypatch.setattr(
        metadata,
        "metadata",
        lambda name: type("M", (), {"get_all": lambda *_: ["models", "cloud"]})(),
    )
    lines = {line.what: line for line in doctor.packages()}
    assert lines["right"].state == "ok"
    assert (lines["old"].state, lines["old"].fix) == ("problem", "pip install 'old>=2'")
    assert (lines["gone"].state, lines["gone"].found) == ("problem", "not installed")
    assert (lines["extra models"].state, lines["extra models"].fix) == (
        "absent",
        "pip install 'surgqa[models]'",
    )
    assert lines["extra cloud"].found == "without farther"


def test_doctor_ends_with_3_when_the_core_lacks(monkeypatch, capsys):
    problem = doctor.DoctorLine("gone", "problem", "not installed", "pip install gone")
    monkeypatch.setattr(doctor, "packages", lambda: [problem])
    assert run(["doctor"]) == 3
    assert "pip install gone" in capsys.readouterr().out
    monkeypatch.setattr(doctor, "packages", lambda: [])
    assert run(["doctor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["what"] == "python"


def test_doctor_finds_datasets(sample):
    found = {line.what: line for line in doctor.datasets(sample.parent)}
    assert f"2 of 50 videos in {sample}" in found["cholect50"].found
    assert doctor.datasets(sample / "labels" / "none")[0].state == "absent"


def _report(findings: Findings) -> CheckReport:
    return CheckReport(9, 9, {"surgstu/locate": 8}, {}, {}, 1, findings.listed(), findings.counts)


def test_check_prints_findings_and_ends_with_1(monkeypatch, capsys, tmp_path):
    findings = Findings()
    for number in range(5):
        findings.add("answer_differs", f"id{number}", "expected 1, found 2")
    monkeypatch.setattr(
        surgqa.transforms.checks, "check_output", lambda out, **_: _report(findings)
    )
    report = tmp_path / "r.json"
    assert run(["check", "out", "--json", str(report)]) == 1
    out = capsys.readouterr().out
    assert "error: answer_differs (5)" in out
    assert "and 2 more" in out
    assert "check failed: 5 error(s)" in out
    assert json.loads(report.read_text(encoding="utf-8"))["differences"] == 5


def test_check_with_warnings_alone_ends_with_0(monkeypatch, capsys):
    findings = Findings()
    findings.add("answer_modal", "", "surgstu.locate: 0.6")
    seen = {}
    monkeypatch.setattr(
        surgqa.transforms.checks,
        "check_output",
        lambda out, **asked: seen.update(asked) or _report(findings),
    )
    assert run(["check", "out", "--limit", "9"]) == 0
    assert seen["limit"] == 9
    assert "warning: answer_modal (1)" in capsys.readouterr().out


def test_score_of_the_gold_answer_is_whole(dataset, tmp_path, capsys):
    out = dataset([item(ID_A)])
    predictions = tmp_path / "p.jsonl"
    lines = [{"item_id": ID_A, "response": "A"}, {"item_id": "f" * 32, "response": "B"}]
    predictions.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    scores = tmp_path / "s.json"
    assert run(["score", str(out), str(predictions), "--json", str(scores)]) == 0
    printed, said = capsys.readouterr()
    assert "100.00" in printed
    assert f"1 responses belong to no item or round of the dataset, such as {'f' * 32}" in said
    assert json.loads(scores.read_text(encoding="utf-8"))["counts"]["scored"] == 1


@pytest.mark.parametrize("lines", [[], [{"item_id": "f" * 32, "response": "B"}]])
def test_responses_of_another_dataset_are_not_scored(dataset, tmp_path, capsys, lines):
    predictions = tmp_path / "p.jsonl"
    predictions.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert run(["score", str(dataset([item(ID_A)])), str(predictions)]) == 2
    assert "no response belongs to an item of this dataset" in capsys.readouterr().err


def test_score_without_a_predictions_file(dataset, capsys):
    assert run(["score", str(dataset([item(ID_A)])), "none.jsonl"]) == 3
    assert "none.jsonl is missing" in capsys.readouterr().err
