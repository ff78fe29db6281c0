"""``surgqa export --as surgstu`` of a build: a style comes back whole through the score."""

from __future__ import annotations

import json

import pytest

from surgqa.pipeline.cli.app import run
from tests.transforms.exports.talked import lines_of

STYLE = ("--set", "times=fraction", "--set", "boxes=bbox_2d", "--set", "answers=sentences")


@pytest.fixture(scope="module")
def dataset(sample, built_once):
    """A built dataset: the miniature of CholecT50."""
    datasets = [{"name": "cholect50", "root": sample("cholect50")}]
    return built_once("surgstu", {"datasets": datasets, "benchmarks": ["surgstu"]}).out


def test_right_answers_in_another_style_score_as_right(dataset, tmp_path, capsys):
    to, scores = tmp_path / "surgstu", tmp_path / "scores.json"
    line = ["export", str(dataset), "--as", "surgstu", "--to", str(to)]
    assert run([*line, *STYLE, "--set", "context=example"]) == 0
    questions = [one for path in sorted(to.glob("*.jsonl")) if path.stem in ("train", "val", "test")
                 for one in lines_of(path)]  # fmt: skip
    assert questions and all("0 to 1000" in one["prompt"] for one in questions)
    clips = {one["clip"] for one in lines_of(to / "clips.jsonl")}
    assert {one["clip"] for one in questions} == clips
    assert sum(len(one["events"]) for one in lines_of(to / "clips.jsonl")) > 0
    said = tmp_path / "said.jsonl"
    said.write_text("".join(json.dumps({"item_id": one["id"], "response": one["answer"]}) + "\n"
                            for one in questions), encoding="utf-8")  # fmt: skip
    capsys.readouterr()
    line = ["score", str(dataset), str(said), "--json", str(scores)]
    assert run([*line, "--times", "fraction"]) == 0
    told = json.loads(scores.read_bytes())
    assert told["headlines"]["surgstu"] > 0.98
    assert told["counts"]["unparsed"] == 0
    assert run(line) == 0
    assert json.loads(scores.read_bytes())["headlines"]["surgstu"] < told["headlines"]["surgstu"]


@pytest.mark.parametrize("form", ["surgstu", "messages"])
def test_a_setting_that_a_format_lacks(form, dataset, tmp_path, capsys):
    line = ["export", str(dataset), "--as", form, "--to", str(tmp_path / "x"), "--set", "a=b"]
    assert run(line) == 2
    assert f"{form} has no setting" in capsys.readouterr().err


def test_boxes_from_the_command_line(dataset, tmp_path, capsys):
    assert run(["export", str(dataset), "--as", "coco", "--to", str(tmp_path / "coco")]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].split() == ["frames", "pictures", "boxes", "masks"]
    whole = json.loads((tmp_path / "coco" / "annotations.json").read_bytes())
    assert len(whole["annotations"]) == int(printed[1].split()[2]) > 0
