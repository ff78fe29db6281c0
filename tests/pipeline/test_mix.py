"""A published mix is a choice: without any a video's items depend on that video alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from surgqa.pipeline.cli.app import run
from surgqa.pipeline.run import build
from surgqa.transforms.store import OutputFolder
from tests.pipeline.conftest import BuiltOnce, configure


def items(out: Path) -> dict[str, set[str]]:
    """Item ids by video."""
    found: dict[str, set[str]] = {}
    for row in OutputFolder(out).rows():
        found.setdefault(row["video_id"], set()).add(row["item_id"])
    return found


@pytest.fixture(scope="module")
def whole(sample_root: Path, built_once: BuiltOnce) -> Path:
    datasets = [{"name": "cholect50", "root": sample_root}]
    return built_once("mix", {"datasets": datasets, "benchmarks": ["medstream"],
                              "formats": ["jsonl"], "balance": "none"}).out  # fmt: skip


def test_other_videos_never_change_what_a_video_is_asked(
    sample_root: Path, whole: Path, tmp_path: Path
) -> None:
    every, first = items(whole), sorted(items(whole))[0]
    build(configure(sample_root, tmp_path / "out", benchmarks=["medstream"],
                    dataset={"videos": [first]}, formats=["jsonl"], balance="none"))  # fmt: skip
    assert items(tmp_path / "out") == {first: every[first]}
    books = json.loads((whole / "manifest.json").read_text(encoding="utf-8"))["books"]
    (chosen,) = (one for one in books if one["stage"] == "choose")
    assert chosen["kept"] == chosen["read"] == sum(map(len, every.values()))


def test_a_mix_that_is_asked_for_tells_what_it_left_out(
    sample_root: Path, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ["--dataset", "cholect50", "--root", str(sample_root), "--benchmark", "medstream",
            "--format", "jsonl", "--balance", "none"]  # fmt: skip
    out = tmp_path / "out"
    assert run(["build", *line, "--out", str(out), "--mix", "medstreambench"]) == 0
    said = capsys.readouterr()
    left = list(OutputFolder(out).rejected("choose"))
    kept = sum(map(len, items(out).values()))
    assert kept + len(left) == sum(map(len, items(whole).values())) > kept
    assert ["choose", str(len(left)), "over_mix"] in [one.split() for one in said.out.splitlines()]
    told = [one for one in said.err.splitlines() if "the mix of modes has room for" in one]
    assert sum(int(one.split()[2]) for one in told) == len(left)
    assert run(["build", *line, "--out", str(tmp_path / "no"), "--mix", "medstream"]) == 2
    assert "medstreambench" in capsys.readouterr().err
