"""Templates of no benchmark and the starting points of ``surgqa new`` through every command."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import duckdb
import orjson
import pytest

from surgqa.pipeline.cli.app import run as surgqa
from surgqa.pipeline.cli.scaffolds import STARTS
from surgqa.transforms.checks.proof.explain import script
from surgqa.transforms.language.load import templates_folder
from surgqa.transforms.registry import load_sample
from surgqa.transforms.store import OutputFolder
from tests.pipeline.made_operation import write
from tests.pipeline.whole import (
    Row,
    assert_jobs,
    assert_perfect,
    built,
    jobs_of,
    new,
    scores_of_gold,
)

EXAMPLES = sorted(file.stem for file in Path(str(templates_folder())).glob("examples/*.yaml"))
TEMPLATES = [*(f"examples.{name}" for name in EXAMPLES), *(f"mine.{name}" for name in STARTS)]
UNASKED = "examples.longest_pause"
"""Between two phases nobody says that there is none, so no reader's labels can tell a pause."""

UNITS = {
    "count": "clip", "box": "clip", "picture": "still", "state": "now", "past": "now",
    "next": "now", "alert": "stream", "chain": "chain", "recording": "recording",
}  # fmt: skip
"""Starting point -> its unit."""

ASKED = [name for name in TEMPLATES if name != UNASKED]
PREVIEWED = ("examples.bleeding_before_leaving", "examples.clips_so_far", "mine.chain", "mine.box")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Templates in one folder, an operation and pictures, and the questions about them."""
    desk = tmp_path_factory.mktemp("whole")
    for name in ("tables", "hyper_kvasir", "scratch"):
        (desk / name).mkdir()
    write(desk / "tables")
    load_sample("hyper_kvasir")(desk / "hyper_kvasir")
    for name in STARTS:
        new(desk / "templates", f"mine.{name}", name)
    shutil.copytree(str(templates_folder() / "examples"), desk / "templates" / "examples",
                    ignore=shutil.ignore_patterns("__pycache__"))  # fmt: skip
    roots = {name: desk / name for name in ("tables", "hyper_kvasir")}
    built(desk / "out", roots, desk / "templates", "examples", "mine")
    return desk


@pytest.fixture(scope="module")
def rows(desk: Path) -> list[Row]:
    return list(OutputFolder(desk / "out").rows())


def first(rows: list[Row], name: str) -> Row:
    return next(row for row in rows if row["template_id"] == name)


def test_all_are_linted_with_the_facts_that_they_were_made_by(desk: Path) -> None:
    assert surgqa(["lint", str(desk / "templates")]) == 0


def test_all_have_items_but_what_no_label_can_tell(desk: Path, rows: list[Row]) -> None:
    assert {row["template_id"] for row in rows} == set(ASKED)
    units = {row["template_id"]: row["unit"] for row in rows}
    assert {name: units[f"mine.{name}"] for name in STARTS} == UNITS
    kept = sorted(file.stem for file in (desk / "out" / "templates" / "mine").iterdir())
    assert kept == sorted(STARTS)
    assert any(row["key"].startswith(UNASKED) for row in OutputFolder(desk / "out").rejected("ask"))


def test_there_is_no_difference(
    desk: Path, rows: list[Row], capsys: pytest.CaptureFixture[str]
) -> None:
    report = desk / "scratch" / "report.json"
    assert surgqa(["check", str(desk / "out"), "--json", str(report)]) == 0
    assert "check passed" in capsys.readouterr().out
    told = orjson.loads(report.read_bytes())
    assert told["checked"] == sum(told["recomputed"].values()) == len(rows)
    assert "medstreambench" not in told  # the format's own checks are for its benchmark's rows


def test_their_own_answers_score_100(desk: Path, rows: list[Row]) -> None:
    assert_perfect(scores_of_gold(desk / "out", rows, desk / "scratch"), rows)


def test_every_window_and_round_is_asked(desk: Path, rows: list[Row]) -> None:
    assert_jobs(rows, jobs_of(desk / "out", desk / "scratch"))


@pytest.mark.parametrize(
    ("form", "taken"),
    [("medstreambench", {"now", "stream", "still", "recording"}), ("surgcot", {"chain"})],
)
def test_what_fits_is_exported(
    desk: Path, rows: list[Row], form: str, taken: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    to = desk / "scratch" / form
    assert surgqa(["export", str(desk / "out"), "--as", form, "--to", str(to)]) == 0
    units = Counter(row["unit"] for row in rows)
    if form == "surgcot":
        lines = (to / "chains.jsonl").read_bytes().splitlines()
        assert len(lines) == units["chain"] // 3
    else:
        files = (to / "annotations").iterdir()
        lines = [line for file in files for line in file.read_bytes().splitlines()]
        assert len(lines) == sum(units[name] for name in taken)
        assert f"{units['clip']} of unit clip" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["sapbench", "surgveo"])
def test_a_format_that_none_fits_says_which_one_has_a_place(
    desk: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    to = str(desk / "scratch" / form)
    assert surgqa(["export", str(desk / "out"), "--as", form, "--to", to]) == 2
    assert "--as medstreambench or --as surgcot" in capsys.readouterr().err


@pytest.mark.parametrize("name", PREVIEWED)
def test_it_is_previewed(desk: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = desk / "templates" / f"{name.replace('.', '/')}.yaml"
    line = ["preview", str(file), "--on", "tables", "--root", str(desk / "tables")]
    assert surgqa(line) == 0
    assert "tables/op1" in capsys.readouterr().out


@pytest.mark.parametrize("name", ASKED)
def test_it_is_explained(
    desk: Path, rows: list[Row], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    row = first(rows, name)
    assert surgqa(["explain", str(desk / "out"), row["item_id"]]) == 0
    said = capsys.readouterr().out
    assert f"unit      {row['unit']}" in said and row["rule"] in said
    assert all(one["value"] in said for one in row["options"])


@pytest.mark.parametrize("name", ASKED)
def test_the_query_that_it_prints_gives_the_answer(
    desk: Path, rows: list[Row], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the shell of DuckDB, in the output's folder."""
    row = first(rows, name)
    monkeypatch.chdir(desk / "out")
    con, tables = duckdb.connect(), []
    for statement in con.extract_statements(script(OutputFolder(desk / "out"), row["item_id"])):
        done = con.execute(statement)
        if statement.type == duckdb.StatementType.SELECT:
            tables.append(done.fetchall())
    if row["options"]:
        right = [key for key, *_, reason in tables[-1] if reason == "the answer"]
        assert right == [row["answer_key"]] and len(tables[-1]) == len(row["options"])
    else:
        ((answer,),) = tables[-1]
        assert answer["ok"]


def test_yes_and_no_are_options_in_this_order(rows: list[Row]) -> None:
    asked = [row for row in rows if row["form"] == "yes_no"]
    assert {row["template_id"] for row in asked} == {
        "examples.bleeding_before_leaving", "examples.touch_while_in_view",
    }  # fmt: skip
    for row in asked:
        (yes,) = orjson.loads(row["answer_value"]).values()
        assert [(one["key"], one["text"], one["value"], one["kind"]) for one in row["options"]] == [
            ("A", "Yes", "true", "answer" if yes else "opposite"),
            ("B", "No", "false", "opposite" if yes else "answer"),
        ]
        assert row["answer"] == ("A) Yes" if yes else "B) No")


def test_a_stream_counts_what_its_rounds_show(rows: list[Row]) -> None:
    row = first(rows, "examples.clips_so_far")
    said = {one["current_us"] // 1_000_000: int(one["expected_output"]) for one in row["rounds"]}
    began = row["start_us"] // 1_000_000
    assert len(said) >= 2
    assert all(n == sum(began < at <= time for at in (50, 60)) for time, n in said.items())


def test_they_are_reviewed_and_shown_in_the_report(desk: Path, rows: list[Row]) -> None:
    line = ["review", "sample", str(desk / "out"), "--to", str(desk / "scratch" / "sheets")]
    assert surgqa([*line, "--share", "1"]) == 0
    report = (desk / "out" / "report.html").read_text(encoding="utf-8")
    assert all(name in report for name in ASKED)
    assert surgqa(["diff", str(desk / "out"), str(desk / "out")]) == 0


def test_check_says_what_is_wrong_with_a_template(
    desk: Path, rows: list[Row], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that is not there, and one that cannot be read."""
    out = tmp_path / "out"
    shutil.copytree(desk / "out", out)
    folder = out / "templates" / "examples"
    (folder / "first_smoke.yaml").unlink()
    file = folder / "most_actions.yaml"
    file.write_text(file.read_text("utf-8").replace("answer: top", "answer: topp"), "utf-8")
    assert surgqa(["check", str(out)]) == 1
    said = capsys.readouterr().out
    assert "examples.first_smoke: not in any file of templates/" in said
    assert "most_actions.yaml:13:9: error T104" in said and "did you mean 'top'?" in said
    row = first(rows, "examples.first_smoke")
    assert surgqa(["explain", str(out), row["item_id"], "--sql"]) == 2
    assert "no query can be shown for this item" in capsys.readouterr().err
