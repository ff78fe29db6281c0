"""Frames are added as each way says, finished rounds are kept, and seeds are combined."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from benchmarks import active

FRAMES, COUNT = 30, 5


def lay_out(_: Path, video: str, data: Path, part: str) -> None:
    """Write frames two seconds apart, each of other noise, without boxes."""
    for kind in ("images", "labels"):
        (data / kind / part).mkdir(parents=True)
    for second in range(0, 2 * FRAMES, 2):
        noise = np.random.default_rng(second).integers(0, 255, (36, 64, 3), np.uint8)
        cv2.imwrite(str(data / "images" / part / f"{second:06d}.png"), noise)
        (data / "labels" / part / f"{second:06d}.txt").write_text("")


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """Arguments of a run in which nothing is trained, and the list of trainings it asks for."""
    trained: list[list[str]] = []
    monkeypatch.setattr(active, "lay_out", lay_out)
    monkeypatch.setattr(active, "taught", lambda data, known, *_: trained.append(known) or data)
    monkeypatch.setattr(active, "measured", lambda *given: {"frames": len(given[2]), "map50": 0.5})
    options = ["data", str(tmp_path / "out.json"), "--own", "0.25", "--count", str(COUNT)]
    found = active.arguments().parse_args([*options, "--seeds", "1"])
    found.trained = trained
    return found


@pytest.mark.parametrize("way", ["random", "spread"])
def test_each_round_adds_frames_to_those_of_the_last(asked, way):
    active.run(asked, 0, way)
    assert [len(known) for known in asked.trained] == [10, 15, 20]
    assert all(len(set(known)) == len(known) for known in asked.trained)
    first, second, third = map(set, asked.trained)
    assert first < second < third


def test_both_ways_begin_with_the_same_frames_and_take_none_that_is_held_out(asked, tmp_path):
    active.run(asked, 0, "random")
    active.run(asked, 0, "spread")
    assert asked.trained[0][:COUNT] == asked.trained[3][:COUNT]
    assert asked.trained[2] != asked.trained[5]
    data = tmp_path / "laid"
    lay_out(data, "VID68", data, "pool")
    pool = active.opened(data / "images" / "pool", "VID68")
    held = active.hold_out(pool, asked.own)
    free = set(active.set_apart(data, pool, held))
    own = {path.name for path in (data / "images" / "own").iterdir()}
    assert own and not own & free
    assert set().union(*asked.trained) <= free


@pytest.mark.parametrize("way", ["random", "spread"])
def test_a_run_that_was_cut_off_goes_on_after_the_last_finished_round(asked, way, monkeypatch):
    active.run(asked, 0, way)
    whole, part = list(asked.trained), active.part_file(asked.out, 0, way)
    rounds = json.loads(part.read_text())["rounds"]
    part.unlink()
    asked.trained.clear()
    whole_measure = active.measured

    def cut(*given):
        if len(given[2]) > 15:
            raise KeyboardInterrupt
        return whole_measure(*given)

    monkeypatch.setattr(active, "measured", cut)
    with pytest.raises(KeyboardInterrupt):
        active.run(asked, 0, way)
    monkeypatch.setattr(active, "measured", whole_measure)
    asked.trained.clear()
    active.run(asked, 0, way)
    assert asked.trained == whole[2:]
    assert json.loads(part.read_text())["rounds"] == rounds


def test_seeds_are_combined_and_only_finished_rounds_are_compared(asked):
    values = {"chosen": [0.1, 0.3, 0.2, 0.4], "random": [0.2, 0.4]}
    for way, found in values.items():
        rounds = [{"frames": 5, "map50": value} for value in found]
        active.part_file(asked.out, 0, way).write_text(json.dumps({"rounds": rounds, "next": []}))
    (curves,) = active.merged(asked, active.WAYS)
    assert [one["map50"] for one in curves["random"]] == [0.1, 0.2, 0.4]
    lines = active.report([curves]).splitlines()
    assert "chosen better in" in lines[1]
    differences = [float(line.split()[3]) for line in lines[2:5]]
    assert differences == [0.0, 0.1, -0.2]
    assert [line.split("   ")[-1] for line in lines[2:5]] == ["0 of 1", "1 of 1", "0 of 1"]
    assert lines[5:] == [""] or lines[5:] == []
