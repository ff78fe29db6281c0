"""``surgqa study`` as it is typed: from an export to a report, by way of filled-in sheets."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from itertools import product

import av
import numpy as np
import pytest

from surgqa.ontology.continuations import DIMENSIONS, ERROR_TYPES, PROMPTS, TIMES_S
from surgqa.pipeline.cli.app import run
from surgqa.transforms.exports.surgveo.write import write as export
from surgqa.transforms.scoring.surgveo import write_rows
from surgqa.transforms.store import OutputFolder
from tests.pipeline.cli.typed import said_by
from tests.transforms.exports.surgveo.made import PLAIN, finished, generated, recordings, sample
from tests.transforms.media.conftest import number_in, write
from tests.transforms.scoring.surgveo.gold import ERRORS, gold_cells, gold_rows

said = said_by("study")

SAMPLES = [sample("autolaparo", "01", 0), sample("autolaparo", "02", 0), sample("pitvis", "04", 0)]
RATERS = ["--raters", "laparoscopic=anna,ben", "--raters", "neurosurgical=cleo,anna"]
NAMES = ("anna", "ben", "cleo")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("study")


@pytest.fixture(scope="module")
def samples(folder):
    """The export that a study is made of."""
    roots = recordings(folder / "films", SAMPLES)
    built = OutputFolder(finished(folder / "built", SAMPLES))
    (folder / "samples").mkdir()
    export(built, folder / "samples", {name: roots / name for name in ("autolaparo", "pitvis")})
    return folder / "samples"


@pytest.fixture(scope="module")
def videos(folder):
    return generated(folder / "generated", SAMPLES)


@pytest.fixture(scope="module")
def study(folder, samples, videos):
    line = ["study", "new", str(samples), "--videos", str(videos), *RATERS, "--name", "pilot"]
    assert run([*line, "--to", str(folder / "study")]) == 0
    return folder / "study"


@pytest.fixture(scope="module")
def sheets(study, folder):
    """Every rater's sheet, filled in: two as a spreadsheet saves it, one as the page does."""
    filled = folder / "filled"
    filled.mkdir()
    key = json.loads((study / "study.json").read_bytes())
    for name in ("anna", "ben"):
        fill(study / "sheets" / f"{name}.csv", filled / f"{name}.csv", key)
    saved(study / "sheets" / "cleo.csv", filled / "cleo.json", key)
    return filled


@pytest.fixture(scope="module")
def scores(study, sheets, folder):
    files = [sheets / "anna.csv", sheets / "ben.csv", sheets / "cleo.json"]
    line = ["study", "import", study, *files, "--to", folder / "scores.csv"]
    assert run([str(one) for one in line]) == 0
    return folder / "scores.csv"


def rows(path):
    text = path.read_bytes().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def score(prompt, time_s):
    """Baselines lose with time, videos that know the stage are one better."""
    return {1: 4, 3: 3, 8: 2}[time_s] + PROMPTS.index(prompt)


def fill(blank, to, key, change=lambda row: None):
    prompts = {one["code"]: one["prompt"] for one in key["clips"]}
    found = rows(blank)
    for k, row in enumerate(found):
        row["score"] = str(score(prompts[row["video"]], int(row["time_s"])))
        if k % 12 == 0 and prompts[row["video"]] == "baseline":
            row["error_types"] = "instrument; intent"
        change(row)
    sink = io.StringIO()
    writer = csv.DictWriter(sink, list(found[0]), delimiter=";", lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(row for row in found if not row.get("gone"))
    to.write_text(sink.getvalue(), encoding="utf-8")


def saved(blank, to, key):
    prompts = {one["code"]: one["prompt"] for one in key["clips"]}
    codes = dict.fromkeys(row["video"] for row in rows(blank))
    found = {
        code: {"scores": {str(t): {d: score(prompts[code], t) for d in DIMENSIONS}
                          for t in TIMES_S}, "errors": ["feedback"], "comment": "stiff"}
        for code in codes
    }  # fmt: skip
    text = {"format": "surgqa/surgveo-sheet-v1", "sheet": "pilot-cleo", "videos": found}
    to.write_text(json.dumps(text), encoding="utf-8")


def test_a_study_has_a_key_and_blinded_sheets(study, samples):
    key = json.loads((study / "study.json").read_bytes())
    assert set(key["stages"].values()) == {"preparation", "nasal_corridor_creation"}
    assert sorted(one.name for one in study.iterdir()) == ["sheets", "study.json"]
    names = sorted(one.name for one in (study / "sheets").iterdir())
    assert names == [*(f"{n}.{end}" for n, end in product(NAMES, ("csv", "html"))), "videos"]
    assert len(list((study / "sheets" / "videos").iterdir())) == 9
    for name in NAMES:
        for text in (
            rows(study / "sheets" / f"{name}.csv"),
            (study / "sheets" / f"{name}.html").read_text(encoding="utf-8"),
        ):
            told = str(text)
            assert not any(one.sample_id in told for one in SAMPLES)
            assert "stage_aware" not in told and "autolaparo" not in told
    assert len(rows(study / "sheets" / "anna.csv")) == 3 * 2 * 3 * 4
    assert len(rows(study / "sheets" / "cleo.csv")) == 1 * 2 * 3 * 4


def test_behind_each_code_is_the_video_of_its_prompt(study):
    key = json.loads((study / "study.json").read_bytes())
    cuts = {one.sample_id: one for one in SAMPLES}
    for one in key["clips"]:
        with av.open(str(study / "sheets" / one["generated"])) as box:
            numbers = [number_in(f.to_ndarray(format="rgb24")) for f in box.decode(video=0)]
        first = 1000 + PROMPTS.index(one["prompt"])
        assert numbers == list(range(first, first + cuts[one["sample_id"]].frames))
        with av.open(str(study / "sheets" / one["reference"])) as box:
            assert box.streams.video[0].frames == cuts[one["sample_id"]].frames


def test_copies_keep_pictures_and_no_word_or_sound(tmp_path):
    from surgqa.transforms.exports.surgveo.study.videos import copy_pictures

    path = tmp_path / "a.mp4"
    with av.open(str(path), "w") as box:
        box.metadata["comment"] = "prompt: the stage is suturing"
        stream = box.add_stream("libx264", rate=25, options=PLAIN | {"bf": "2"})
        stream.width, stream.height, stream.pix_fmt = 96, 96, "yuv420p"
        sound = box.add_stream("aac", rate=16_000, layout="mono")
        for _ in range(50):
            box.mux(stream.encode(av.VideoFrame(96, 96, "yuv420p")))
        quiet = np.zeros((1, 1024), np.float32)
        silence = av.AudioFrame.from_ndarray(quiet, format="fltp", layout="mono")
        silence.sample_rate = 16_000
        box.mux(sound.encode(silence))
        box.mux(stream.encode(None))
        box.mux(sound.encode(None))
    copy_pictures(path, tmp_path / "b.mp4")
    with av.open(str(path)) as source, av.open(str(tmp_path / "b.mp4")) as box:
        assert [one.type for one in box.streams] == ["video"]
        times = [[f.pts * f.time_base for f in one.decode(video=0)] for one in (source, box)]
        assert times[0] == times[1] and len(times[1]) == 50
    assert b"suturing" in path.read_bytes()
    assert b"suturing" not in (tmp_path / "b.mp4").read_bytes()


def test_the_same_study_has_the_same_bytes(study, samples, videos, tmp_path, capsys):
    said(capsys, 0, "new", samples, "--videos", videos, *RATERS, "--name", "pilot",
         "--to", tmp_path / "again")  # fmt: skip
    for path in study.rglob("*"):
        if path.is_file():
            other = tmp_path / "again" / path.relative_to(study)
            assert path.read_bytes() == other.read_bytes(), path.name


def test_scores_come_back_under_their_samples(scores):
    found = rows(scores)
    assert len(found) == 3 * 2 * 2 * 12
    for row in found:
        assert int(row["score"]) == score(row["prompt"], int(row["time_s"]))
    assert {row["comment"] for row in found if row["rater_id"] == "cleo"} == {"", "stiff"}
    marks = {row["error_types"] for row in found if row["prompt"] == "stage_aware"}
    assert marks == {"", "feedback"}


def test_a_report_has_tables_charts_and_a_page(scores, study, tmp_path, capsys):
    to = tmp_path / "report"
    out, err = said(capsys, 0, "report", scores, "--study", study, "--to", to)
    for words in ("Scores (mean", "4.00 ± 0.00", "5.00 ± 0.00", "50 %", "Agreement", "1.000",
                  "Stage-aware against baseline", "Errors"):  # fmt: skip
        assert words in out, words
    assert "report.html" in err
    names = ["errors-baseline.svg", "errors-stage_aware.svg", "report.html", "report.json",
             "scores-laparoscopic.svg", "scores-neurosurgical.svg"]  # fmt: skip
    assert sorted(one.name for one in to.iterdir()) == names
    data = json.loads((to / "report.json").read_bytes())
    assert (data["name"], data["rows"], data["missing"]) == ("pilot", 144, [])
    assert len(data["cells"]) == 48
    assert data["cells"][0]["stages"] == {"preparation": {"mean": 4.0, "samples": 2}}
    drops = {(one["prompt"], one["share"]) for one in data["drop"]}
    assert drops == {("baseline", 0.5), ("stage_aware", 0.4)}
    lap = next(one for one in data["errors"] if one["marks"])
    assert lap["counts"] == dict.fromkeys(ERROR_TYPES, 0) | {"instrument": 4, "intent": 4}
    page = (to / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 4 and "Means by stage" in page and "preparation" in page
    assert "http://www.w3.org/2000/svg" in page and "https://" not in page
    said(capsys, 0, "report", scores, "--study", study, "--to", tmp_path / "again")
    for name in names:
        assert (to / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


def test_without_the_study_a_report_knows_no_stages(scores, tmp_path, capsys):
    said(capsys, 0, "report", scores, "--to", tmp_path / "report")
    data = json.loads((tmp_path / "report" / "report.json").read_bytes())
    assert data["name"] == "scores" and data["cells"][0]["stages"] == {}


def test_the_published_table_comes_out_of_its_scores(tmp_path, capsys):
    (tmp_path / "gold.csv").write_bytes(write_rows(gold_rows()))
    out, _ = said(capsys, 0, "report", tmp_path / "gold.csv", "--to", tmp_path / "report")
    printed = [re.findall(r"\d\.\d\d ± \d\.\d\d", line) for line in out.splitlines()]
    cells = [one for line in printed for one in line]
    assert cells == [text for text, _, _ in gold_cells().values()] and len(cells) == 48
    data = json.loads((tmp_path / "report" / "report.json").read_bytes())
    for one in data["errors"]:
        if one["prompt"] == "baseline":
            known = ERRORS[one["track"]]
            assert one["counts"] == {name: count for name, (count, _) in known.items()}
            assert one["percent"] == {name: percent for name, (_, percent) in known.items()}


def test_missing_scores_are_named_and_nothing_is_averaged(scores, study, tmp_path, capsys):
    lines = scores.read_text(encoding="utf-8").splitlines(keepends=True)
    part = tmp_path / "part.csv"
    part.write_text("".join(lines[:-3]), encoding="utf-8")
    out, _ = said(capsys, 1, "verify", part, "--study", study, "--list", tmp_path / "gone.csv")
    assert "neurosurgical  cleo         3  24  " in out
    gone = rows(tmp_path / "gone.csv")
    assert [(one["rater_id"], one["time_s"]) for one in gone] == [("cleo", "8")] * 3
    _, err = said(capsys, 2, "report", part, "--study", study, "--to", tmp_path / "report")
    assert "3 score(s) of rater 'cleo' in track 'neurosurgical' are missing" in err
    assert not (tmp_path / "report").exists()
    out, err = said(capsys, 0, "verify", scores, "--study", study)
    assert "all 144 scores are there" in err


def test_sheets_of_all_raters_are_needed_once(study, sheets, tmp_path, capsys):
    line = ["import", study, sheets / "anna.csv", sheets / "ben.csv"]
    _, err = said(capsys, 2, *line, "--to", tmp_path / "s.csv")
    assert "the sheet of rater 'cleo' is missing" in err
    shutil.copy(sheets / "ben.csv", tmp_path / "again.csv")
    _, err = said(capsys, 2, *line, tmp_path / "again.csv", sheets / "cleo.json", "--to",
                  tmp_path / "s.csv")  # fmt: skip
    assert "the sheet of rater 'ben' is given twice" in err


def test_all_videos_that_will_not_do_are_told_together(samples, videos, tmp_path, capsys):
    mine = tmp_path / "generated"
    shutil.copytree(videos, mine)
    names = [f"{one.sample_id}.baseline.mp4" for one in SAMPLES]
    (mine / names[0]).unlink()
    (mine / names[1]).write_bytes(b"no video")
    write(mine / names[2], count=190, rate=24, options=PLAIN, size=(96, 96))
    _, err = said(capsys, 2, "new", samples, "--videos", mine, *RATERS, "--name", "pilot",
                  "--to", tmp_path / "study")  # fmt: skip
    assert "3 of the videos cannot be rated" in err
    assert all(name in err for name in names), err
    assert "is missing" in err and "too short" in err and "7.92 s, 190 frames" in err
    assert not (tmp_path / "study").exists()


def test_a_video_may_lack_one_frame(samples, videos, tmp_path, capsys):
    mine = tmp_path / "generated"
    shutil.copytree(videos, mine)
    name = f"{SAMPLES[2].sample_id}.baseline.mp4"
    write(mine / name, count=191, rate=24, options=PLAIN, size=(96, 96))
    said(capsys, 0, "new", samples, "--videos", mine, *RATERS, "--name", "pilot",
         "--to", tmp_path / "study")  # fmt: skip


NOT_RATERS = [
    (["laparoscopic=anna,ben"], "the tracks of raters and samples differ"),
    (["laparoscopic=anna", "neurosurgical=cleo,dan"], "different numbers of raters"),
    (["laparoscopic=anna,ben", "neurosurgical=../x,y"], "a name cannot be used as a file name"),
    (["laparoscopic=anna,ben", "neurosurgical=Anna,y"], "differ only in capitals"),
    (["laparoscopic=anna,anna", "neurosurgical=x,y"], "track 'laparoscopic' needs"),
    (["laparoscopic"], "not a track's raters"),
    (["laparoscopic=a,b", "laparoscopic=c,d"], "names laparoscopic twice"),
]


@pytest.mark.parametrize(("raters", "words"), NOT_RATERS, ids=[words for _, words in NOT_RATERS])
def test_raters_have_to_fit(raters, words, samples, videos, tmp_path, capsys):
    given = [part for one in raters for part in ("--raters", one)]
    _, err = said(capsys, 2, "new", samples, "--videos", videos, *given, "--name", "pilot",
                  "--to", tmp_path / "study")  # fmt: skip
    assert words in err


def test_an_export_without_references_is_no_beginning(samples, videos, tmp_path, capsys):
    bare = tmp_path / "bare"
    bare.mkdir()
    told = [json.loads(line) | {"reference": None} for line in
            (samples / "samples.jsonl").read_text(encoding="utf-8").splitlines()]  # fmt: skip
    text = "".join(f"{json.dumps(one)}\n" for one in told)
    (bare / "samples.jsonl").write_text(text, encoding="utf-8")
    _, err = said(capsys, 2, "new", bare, "--videos", videos, *RATERS, "--name", "pilot",
                  "--to", tmp_path / "study")  # fmt: skip
    assert "the export has no references" in err and "--root" in err
    _, err = said(capsys, 3, "new", tmp_path, "--videos", videos, *RATERS, "--name", "pilot",
                  "--to", tmp_path / "study")  # fmt: skip
    assert "samples.jsonl is missing" in err


def test_what_is_no_study_or_no_score_is_told(tmp_path, capsys):
    (tmp_path / "study.json").write_text("{}", encoding="utf-8")
    (tmp_path / "x.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    _, err = said(capsys, 3, "import", tmp_path, tmp_path / "x.csv", "--to", tmp_path / "s.csv")
    assert "not the file of a study" in err
    _, err = said(capsys, 3, "report", tmp_path / "x.csv", "--to", tmp_path / "report")
    assert "holds no scores" in err
