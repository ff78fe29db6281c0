"""Held-out datasets and specialties: planned by surgery, built, and proved by the check."""

from __future__ import annotations

import json

import pytest

from surgqa.ontology.errors import UserError
from surgqa.pipeline.cli.app import run
from surgqa.pipeline.plan import held_out
from surgqa.transforms.steps.tasks import VideoTask
from surgqa.transforms.store import OutputFolder
from tests.transforms.checks.forgeries.sealing import Sealed


def tasks(*keys):
    return [VideoTask(*key.split("/"), root="nowhere") for key in keys]


def held(found):
    return [one.key for one in found if one.split == "held_out"]


def test_a_surgery_is_held_out_under_each_of_its_names():
    videos = tasks("cholect50/VID07", "cholec80/video07", "cholec80/video08", "cadis/1")
    assert held(held_out(videos, {"dataset": ["cholect50"]})) == [
        "cholect50/VID07", "cholec80/video07"]  # fmt: skip
    assert held(held_out(videos, {"specialty": ["Ophthalmology"]})) == ["cadis/1"]
    assert held(held_out(videos, {})) == []


@pytest.mark.parametrize("wrong", [{"specialty": ["ophtalmology"]}, {"dataset": ["cadis"]}])
def test_a_value_that_is_of_no_dataset(wrong):
    with pytest.raises(UserError, match="no dataset of the run"):
        held_out(tasks("cholect50/VID07"), wrong)


def test_a_key_by_which_nothing_is_held_out(capsys):
    assert run(["build", "--hold-out", "colour=red"]) == 2
    assert "specialty=VALUE" in capsys.readouterr().err


def test_build_and_check(tmp_path, sample):
    line = ["build", "--benchmark", "surgstu", "--out", str(tmp_path / "out"),
            "--hold-out", "specialty=urology", "--only", "surgstu.window"]  # fmt: skip
    for name in ("cholect50", "prostatd"):
        line += ["--dataset", name, "--root", str(sample(name))]
    assert run(line) == 0
    rows = OutputFolder(tmp_path / "out").rows()
    split = {(one["specialty"], one["split"] == "held_out") for one in rows}
    assert split == {("general surgery", False), ("urology", True)}
    assert run(["check", str(tmp_path / "out")]) == 0
    manifest = tmp_path / "out" / "manifest.json"
    told = json.loads(manifest.read_bytes())
    assert told["settings"]["hold_out"] == {"specialty": ["urology"]}
    assert "- urology" in (tmp_path / "out" / "config.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "by",
    ["procedure=laparoscopic hysterectomy",
     pytest.param("dataset=autolaparo", marks=pytest.mark.nightly)],
)  # fmt: skip
def test_what_is_held_out_and_in_training_is_found(tmp_path, sample, capsys, by):
    line = ["build", "--benchmark", "medstream", "--out", str(tmp_path / "out"), "--hold-out", by,
            "--format", "parquet", "--only", "medstream.state_now.phase"]  # fmt: skip
    for name in ("cholect50", "autolaparo"):
        line += ["--dataset", name, "--root", str(sample(name))]
    assert run(line) == 0
    rows = list(OutputFolder(tmp_path / "out").rows())
    assert {(one["dataset"], one["split"] == "held_out") for one in rows} == {
        ("cholect50", False), ("autolaparo", True)}  # fmt: skip
    assert run(["check", str(tmp_path / "out")]) == 0
    sealed = Sealed(tmp_path / "out")
    forged = {one["item_id"]: one | {"split": "train"} for one in sealed.rows
              if one["split"] == "held_out"}  # fmt: skip
    sealed.with_rows(tmp_path / "forged", forged)
    capsys.readouterr()
    assert run(["check", str(tmp_path / "forged")]) == 1
    assert "hold_out_leak" in capsys.readouterr().out
