"""A build that asks nothing says so, and whatever comes after it does, too."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from surgqa.ontology.errors import EXIT_NOTHING_ASKED
from surgqa.ontology.records import Code
from surgqa.pipeline.cli.app import run
from surgqa.pipeline.cli.nothing import CHANGES
from surgqa.transforms.registry import card, load_sample

ONE = ("--only", "surgstu.window")
READING = tuple(Code)[: tuple(Code).index(Code.NO_CLOCK)]


@pytest.fixture(scope="module")
def unclocked(sample: Callable[..., Path]) -> Path:
    """A dataset that tells the order of its pictures and no times."""
    return sample("cadis")


def line(root: Path, out: Path, benchmark: str = "surgstu", dataset: str = "cadis") -> list[str]:
    return ["build", "--dataset", dataset, "--root", str(root), "--benchmark", benchmark, "--out",
            str(out)]  # fmt: skip


@pytest.fixture(scope="module")
def empty(unclocked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("empty") / "out"
    assert run(line(unclocked, out)) == EXIT_NOTHING_ASKED == 5
    return out


def test_the_reasons_and_what_would_change_them_are_told(
    unclocked: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*line(unclocked, tmp_path / "out"), "--allow-empty"]) == 0
    said = capsys.readouterr()
    rows = [text.split(maxsplit=2) for text in said.out.splitlines()]
    assert ["items", "0"] in [row[:2] for row in rows]
    assert not any(row[:1] == ["next"] for row in rows), "nothing comes next"
    (alike,) = (text for text in said.out.splitlines() if text.startswith("surgstu."))
    asked = len(json.loads((tmp_path / "out" / "manifest.json").read_bytes())["templates"])
    assert f" and {asked - 1} more  " in alike and "  no_clock: " in alike, "one line for all"
    assert "no_clock  pass --rate FPS" in said.out
    assert "cadis: the frame rate of" in said.err and "--rate FPS" in said.err


@pytest.fixture
def older(tmp_path: Path, built: Path) -> Path:
    """An output with items, which a build of one template is to replace."""
    return shutil.copytree(built, tmp_path / "out")


def files(folder: Path) -> dict[str, bytes]:
    """Bytes of each file below a folder."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def test_an_older_output_with_items_stays_where_the_new_one_has_none(
    unclocked: Path, older: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (older / "notes.txt").write_text("mine", encoding="utf-8")
    before = files(older)
    for _ in range(2):  # the second finds the first one's folder
        assert run([*line(unclocked, older), *ONE]) == EXIT_NOTHING_ASKED
        assert files(older) == before
        (aside,) = (path for path in older.parent.iterdir() if path != older)
        assert aside.name.startswith("out-") and (aside / "rejected").is_dir()
        said = capsys.readouterr()
        assert f"{older} was not replaced" in said.err and str(aside / "rejected") in said.err
        assert f"output  {aside}" in said.out and "no_clock: " in said.out
    assert run(["check", str(aside)]) == 0


def test_an_empty_output_that_is_wanted_replaces_an_older_one(unclocked: Path, older: Path) -> None:
    assert run([*line(unclocked, older), *ONE, "--allow-empty"]) == 0
    assert not (older / "data").exists()
    assert [path.name for path in older.parent.iterdir()] == ["out"]
    assert run([*line(unclocked, older), *ONE]) == EXIT_NOTHING_ASKED, (
        "an empty one may be replaced"
    )
    assert [path.name for path in older.parent.iterdir()] == ["out"]


def test_it_is_whole_and_holds_no_data(empty: Path) -> None:
    assert not (empty / "data").exists()
    manifest = json.loads((empty / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["items"] == {}
    assert "\n# Surgical question" in (empty / "README.md").read_text(encoding="utf-8")


def test_check_finds_nothing_wrong_and_says_that_nothing_was_asked(
    empty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check", str(empty)]) == 0
    assert "has no items" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command",
    [
        ["jobs", "OUT", "--to", "NEW"],
        ["score", "OUT", "PREDICTIONS"],
        ["export", "OUT", "--as", "medstreambench", "--to", "NEW"],
        ["export", "OUT", "--as", "unified", "--to", "NEW"],
        ["review", "sample", "OUT", "--to", "NEW"],
        ["actions", "OUT"],
        ["judge", "OUT", "PREDICTIONS", "--base-url", "http://localhost:1", "--model", "m", "--to",
         "NEW"],
    ],
    ids=lambda command: " ".join(command[:4]),
)  # fmt: skip
def test_what_needs_an_item_says_that_there_is_none(
    empty: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    (tmp_path / "predictions.jsonl").write_text("", encoding="utf-8")
    words = {"OUT": str(empty), "NEW": str(tmp_path / "new"),
             "PREDICTIONS": str(tmp_path / "predictions.jsonl")}  # fmt: skip
    assert run([words.get(word, word) for word in command]) == EXIT_NOTHING_ASKED
    assert f"{empty} has no items" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_one_benchmark_without_items_is_told_beside_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A rate that the dataset publishes is taken, and that it is, is said."""
    (tmp_path / "data").mkdir()
    load_sample("prostatd")(tmp_path / "data")
    shutil.rmtree(tmp_path / "data" / "psiv14")
    given = line(tmp_path / "data", tmp_path / "out", "surgstu,sapbench", "prostatd")
    assert run(given) == 0
    said = capsys.readouterr()
    assert "no item of sapbench" in said.out
    assert "action_clip is made by a rule with shortest: 5, reach: 1" in said.out
    assert card("prostatd").rate == "1"
    assert "prostatd: its files state no times; the published rate of 1 frame(s)" in said.err
    assert run([*given, "--dry-run"]) == 0
    assert "the published rate of 1 frame(s)" in capsys.readouterr().err
    assert run([*given, "--rate", "2"]) in (0, EXIT_NOTHING_ASKED)
    assert "are taken" not in capsys.readouterr().err


def test_labels_far_apart_name_the_setting_that_bridges_them(
    real_dataset, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = real_dataset("cholect50-challenge-val")
    assert run(line(root, tmp_path / "out", "sapbench", "cholect50")) == EXIT_NOTHING_ASKED
    said = capsys.readouterr().out
    assert "action_clip is made by a rule with shortest: 5, reach: 1" in said
    assert "set others under observers in the run file" in said


def test_every_reason_of_asking_says_what_would_change_it() -> None:
    assert {code for code in Code if code not in READING} <= set(CHANGES)
