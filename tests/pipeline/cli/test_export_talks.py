"""``surgqa export`` of dialogues: what it prints, on two workers, and how it ends."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import orjson
import pytest

from surgqa.ontology.continuations import CONTINUATION
from surgqa.pipeline import talks
from surgqa.pipeline.cli.app import run
from surgqa.pipeline.cutting import CutRun
from surgqa.transforms.store import OutputFolder
from tests.transforms.exports.talked import write_media, write_output


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    write_output(tmp_path / "out")
    write_media(tmp_path / "root")
    return tmp_path


def export(desk: Path, to: str, *more: str) -> int:
    return run(["export", str(desk / "out"), "--as", "ms-swift", "--to", str(desk / to), *more])


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}  # fmt: skip


def test_clips_are_cut_by_default_where_a_root_is_named(desk, capsys):
    assert export(desk, "a", "--root", f"made={desk / 'root'}", "--size", "64") == 0
    printed, said = capsys.readouterr()
    assert printed.splitlines() == [
        "split  dialogues  questions  pictures  clips",
        "train          5         10         1      8",
    ]
    assert "3 questions are left out" in said
    assert (desk / "out.media").is_dir()


def test_two_workers_and_another_store_give_the_same_bytes(desk):
    root = f"made={desk / 'root'}"
    assert export(desk, "a", "--root", root, "--size", "64") == 0
    more = ("--workers", "2", "--media-store", str(desk / "other"))
    assert export(desk, "b", "--root", root, "--size", "64", *more) == 0
    assert files(desk / "a") == files(desk / "b")


def test_options_of_the_engine_reach_the_cutting(desk, monkeypatch):
    seen, whole = [], talks.cut
    monkeypatch.setattr(talks, "cut", lambda requests, store, run: (
        seen.append(run), whole(requests, store, CutRun()))[1])  # fmt: skip
    line = ("--root", f"made={desk / 'root'}", "--size", "64", "--workers", "3")
    assert export(desk, "a", *line, "--", "--job_name=cuts") == 0
    assert seen == [CutRun("direct", 3, ["--job_name=cuts"])]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (("--media", "clips"), ["the folder of made is not named", "--media none"]),
        (("--root", "made={desk}"), ["no video of made was found", "--root"]),
        (("--root", "made={desk}/root", "--fps", "0"), ["not a frame rate", "--fps"]),
        (("--every", "0"), ["distance between frames", "--every"]),
    ],
    ids=["no root", "an empty root", "no rate", "no step"],
)
def test_mistakes_are_told(desk, capsys, line, said):
    assert export(desk, "a", *(one.format(desk=desk) for one in line)) != 0
    error = capsys.readouterr().err
    assert error.startswith("error[") and all(part in error for part in said), error
    assert not (desk / "a").exists()


def test_a_model_is_trained_on_the_reply_that_the_turn_asks_for(all_benchmarks, tmp_path):
    """A reply that is a letter follows a turn that offers this letter and asks for it."""
    to = tmp_path / "messages"
    assert run(["export", str(all_benchmarks), "--as", "messages", "--to", str(to)]) == 0
    keys = {(row["benchmark"], row["answer_key"]): f"\n{row['answer_key']}) "
            for row in OutputFolder(all_benchmarks).rows() if row["answer_key"]}  # fmt: skip
    asked = Counter[str]()
    for line in (to / "train.jsonl").read_bytes().splitlines():
        dialogue = orjson.loads(line)
        said = [part["text"] for one in dialogue["messages"] for part in one["content"]]
        for question, answer in pairwise(said):
            letter = keys.get((dialogue["metadata"]["benchmark"], answer))
            if letter:
                asked[dialogue["metadata"]["benchmark"]] += 1
                assert letter in question and "reply with its letter: " in question, question
    assert set(asked) >= {"surgstu", "surgcot", "sapbench", "medstream"}
    left = [orjson.loads(line) for line in (to / "left_out.jsonl").read_bytes().splitlines()]
    assert {one["item_id"] for one in left} == {
        row["item_id"] for row in OutputFolder(all_benchmarks).rows() if row["form"] == CONTINUATION
    }
    assert {one["code"] for one in left} == {"no_place"}
