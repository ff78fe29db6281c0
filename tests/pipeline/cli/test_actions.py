"""surgqa actions: figures of clips, and the threshold that gives a wanted number."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from surgqa.ontology.kinds import kind
from surgqa.ontology.next_actions import display
from surgqa.pipeline.cli.actions import actions
from surgqa.pipeline.cli.app import run
from surgqa.pipeline.config import load_run
from surgqa.pipeline.run import build
from surgqa.transforms.evidence.action_clips import ActionLimits

CLIPS = """video,start,end,action
VID01,0,9,Dissection
VID01,10,13,Vessel Clipping
VID01,14,29,Dissection
VID02,5,14,Aspiration
"""


@pytest.fixture(scope="module")
def root(sample: Callable[..., Path]) -> Path:
    return sample("cholect50", procedures=4, pictures=None)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "clips.csv"
    path.write_text(CLIPS)
    return path


def told(tmp_path: Path, *command: str) -> dict:
    path = tmp_path / "figures.json"
    assert run(["actions", *command, "--json", str(path)]) == 0
    return json.loads(path.read_text())


def test_a_table_in_figures(table: Path, tmp_path: Path, capsys) -> None:
    found = told(tmp_path, str(table))
    one = found["figures"]["clips.csv"]
    assert (one["videos"], one["clips"], one["samples"], one["frames"]) == (2, 4, 2, 40)
    assert one["context_s"] == {"n": 2, "frames": 40, "mean": 20.0, "sd": 10.0}
    assert one["actions"]["dissection"] == {"n": 2, "frames": 26, "mean": 13.0, "sd": 3.0}
    assert found["videos"] == {"clips.csv": {"VID01": 3, "VID02": 1}}
    printed = capsys.readouterr().out
    assert "20.00 ± 10.00" in printed and "13.00 ± 3.00" in printed
    assert all(display(action) in printed for action in one["actions"])


def test_the_least_threshold_is_found_and_told(root: Path, tmp_path: Path, capsys) -> None:
    options = ("cholect50", "--root", str(root))
    tried = {s: told(tmp_path, *options, "--shortest", str(s))["figures"]["cholect50"]["clips"]
             for s in (1, 5, 8)}  # fmt: skip
    assert tried[1] > tried[5] > tried[8]
    found = told(tmp_path, *options, "--target", str(tried[5]))["calibration"]
    assert found["clips"] == tried[5] and found["shortest"] <= 5
    assert found["tried"][0] == {"shortest": 1, "clips": tried[1]}
    assert all(one["clips"] != tried[5] for one in found["tried"][:-1])
    printed = capsys.readouterr()
    assert f"shortest: {found['shortest']}, the least that gives" in printed.out
    assert f"observers: {{action_clip: {{shortest: {found['shortest']}}}}}" in printed.err


def test_clips_of_people_go_before_derived_ones(root: Path, table: Path, tmp_path: Path) -> None:
    found = told(tmp_path, "cholect50", "--root", str(root), "--clips", str(table))
    assert found["videos"]["cholect50"]["VID01"] == 3
    assert "of people: 2 videos" in found["clips"]


def test_an_output_tells_the_clips_of_its_samples(root: Path, tmp_path: Path, table: Path) -> None:
    dataset = {"name": "cholect50", "root": root, "videos": ["VID01"], "action_clips": table}
    config = {"datasets": [dataset], "out": tmp_path / "out", "benchmarks": ["sapbench"]}
    build(load_run(None, config))
    found = told(tmp_path, str(tmp_path / "out"))
    assert found["videos"] == {"cholect50": {"VID01": 3}}
    assert found["figures"]["cholect50"]["clip_s"]["mean"] == 10.0


@pytest.mark.parametrize("option", [("--target", "729"), ("--clips", "clips.csv")])
def test_what_needs_labels_says_so(table: Path, capsys, option: tuple[str, str]) -> None:
    assert run(["actions", str(table), *option]) == 2
    assert f"{option[0]} needs the labels" in capsys.readouterr().err


def test_no_threshold_gives_so_many(root: Path, capsys) -> None:
    assert run(["actions", "cholect50", "--root", str(root), "--target", "729"]) == 2
    assert "no threshold" in capsys.readouterr().err


def test_an_output_without_such_items(built: Path, capsys) -> None:
    assert run(["actions", str(built)]) == 2
    assert "has no items about action clips" in capsys.readouterr().err


@pytest.mark.parametrize(("reach", "samples"), [(1, 0), (7, 15)])
def test_a_build_asks_for_the_samples(
    real_dataset, tmp_path: Path, reach: int, samples: int
) -> None:
    """Labels up to seven seconds apart; what a hole leaves open is what follows, at most."""
    root = real_dataset("cholect50-challenge-val")
    found = told(tmp_path, "cholect50", "--root", str(root), "--reach", str(reach))
    config = {"datasets": [{"name": "cholect50", "root": root}], "out": tmp_path / "out",
              "benchmarks": ["sapbench"], "only": ["sapbench.next_action"],
              "observers": {"action_clip": {"reach": reach}}}  # fmt: skip
    assert found["figures"]["cholect50"]["samples"] == samples
    assert build(load_run(None, config)).items == samples


def test_the_options_and_the_kind_have_one_default() -> None:
    limits, stated = ActionLimits(), kind("action_clip").observer
    assert stated["by"] == "action_clips"
    options = inspect.signature(actions).parameters
    for name in ("shortest", "reach"):
        assert options[name].default == stated[name] == getattr(limits, name)


def test_the_three_real_videos(real_dataset, tmp_path: Path) -> None:
    """Labels seven seconds apart: single frames where nothing is assumed in between."""
    root = real_dataset("cholect50-challenge-val")
    found = told(tmp_path, "cholect50", "--root", str(root), "--reach", "7")
    one = found["figures"]["cholect50"]
    assert one["videos"] == 3 and sum(a["n"] for a in one["actions"].values()) == one["clips"]
    assert sum(found["videos"]["cholect50"].values()) == one["clips"] == 98
