"""With a real detector on rendered video: its mistakes are chosen, and ONNX measures it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import cv2
import numpy as np
import pytest

from surgqa.ontology.boxes import iou
from surgqa.pipeline.cli.app import run
from surgqa.transforms.evidence.detect import DetectSettings, Extractor
from surgqa.transforms.labelling.choose import HeldOut, choose
from surgqa.transforms.labelling.export import load
from surgqa.transforms.labelling.rounds import Project
from surgqa.transforms.labelling.settings import Choosing
from surgqa.transforms.labelling.signs import seen
from surgqa.transforms.labelling.view import StoreView
from surgqa.transforms.media import FrameBatch
from surgqa.transforms.store.evidence import stored_schema
from tests.fixtures.scenes.scenes import Scene
from tests.transforms.labelling.conftest import dhash, perfect, truth_rows, write_store

WEIGHTS = Path(__file__).parents[2] / "fixtures" / "detect" / "rendered.onnx"
FRAMES, VIDEOS = 30, 4


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Scenes that no training has seen, and a store of what the detector makes of them."""
    folder = tmp_path_factory.mktemp("world")
    scenes = {f"VID{n}": Scene(9200 + n, FRAMES, 1, busy=0.7) for n in range(VIDEOS)}
    boxes, hashes = {}, {}
    detector = Extractor(DetectSettings(WEIGHTS, device="cpu"))
    names = stored_schema("boxes").names
    for video_id, scene in scenes.items():
        pictures = np.stack([scene.picture(n) for n in range(scene.frames)])
        (folder / "media" / video_id).mkdir(parents=True)
        for n, picture in enumerate(pictures):
            cv2.imwrite(str(folder / "media" / video_id / f"{n:06d}.png"), picture[..., ::-1])
            hashes[video_id, n] = dhash(picture)
        times = scene.times_us()
        batch = FrameBatch(0, FRAMES, times, np.arange(FRAMES), pictures, np.ones(FRAMES, bool))
        boxes[video_id] = detector.look(batch).select(names).to_pylist()
    store = write_store(
        folder / "store", boxes, FRAMES, lambda v, s: hashes[v, s], media=folder / "media"
    )
    return store, scenes, boxes


def mistakes(found: list[dict], right: list[dict]) -> int:
    """Boxes missed, mislabelled or misplaced, and boxes of nothing, among the believed ones."""
    left = [row for row in found if row["score"] >= Choosing().threshold]
    missed = 0
    for row in right:
        hit = next((one for one in left if one["label"] == row["label"]
                    and iou(corners(one), corners(row)) >= 0.5), None)  # fmt: skip
        if hit is None:
            missed += 1
        else:
            left.remove(hit)
    return missed + len(left)


def corners(row: dict) -> np.ndarray:
    return np.array([row[c] for c in ("x1", "y1", "x2", "y2")])


def test_what_is_chosen_holds_more_mistakes_than_other_frames(world):
    store, scenes, boxes = world
    truth = {video_id: truth_rows(scene) for video_id, scene in scenes.items()}
    wrong = {
        (video_id, n): mistakes(
            [r for r in boxes[video_id] if r["frame"] == n],
            [r for r in truth[video_id] if r["frame"] == n],
        )
        for video_id in scenes
        for n in range(FRAMES)
    }
    chosen = choose(StoreView(store), 30, Choosing(), HeldOut(0.2, "video", 0, ()))
    mine = np.mean([wrong[one.video_id, one.frame] for one in chosen])
    rest = np.mean(list(wrong.values()))
    assert mine >= 1.1 * rest
    assert len({one.video_id for one in chosen}) == VIDEOS


def test_signs_are_told_alike_twice(world):
    store, _, _ = world
    for video_id in ("VID0", "VID1"):
        first = [asdict(one) for one in seen(StoreView(store), video_id, Choosing())]
        assert first == [asdict(one) for one in seen(StoreView(store), video_id, Choosing())]


def test_onnx_weights_are_measured_on_what_is_held_out(world, tmp_path, capsys):
    store, scenes, _ = world
    Project.begun(store, StoreView(store), 0.4)
    out = tmp_path / "m"
    line = ["label", "choose", str(store), "--part", "held-out", "--count", "24", "--out",
            str(out), "--as", "coco", "--no-blur"]  # fmt: skip
    assert run(line) == 0
    sheet = Project(store).round(1).sheet
    assert len(sheet.frames) == 24
    load("coco").write(perfect(sheet, scenes), out)
    signed = ["--reviewer", "ann", "--date", "2026-11-21"]
    assert run(["label", "import", str(store), str(out / "annotations.json"), *signed]) == 0
    capsys.readouterr()
    measure = ["label", "evaluate", str(store), "--weights", str(WEIGHTS), "--device", "cpu",
               "--json", str(tmp_path / "m.json")]  # fmt: skip
    assert run(measure) == 0
    told = json.loads((tmp_path / "m.json").read_text())
    step = told.pop("precision")
    assert step["held_out"]["before"]["map50"] > 0.4
    assert step["held_out"]["frames"] == step["held_out"]["of"] == 24
    (first,) = Project(store).round(1).done("evaluate")
    assert first == step
    assert Project(store).round(1).done("fitness") == [told]
    assert f"{first['held_out']['before']['map50']:.3f}" in capsys.readouterr().out
