"""Train a test detector on rendered scenes and measure it on scenes of other seeds.

    python -m benchmarks.train_rendered OUT [--of rendered | worked_on]

This writes ``OUT/NAME.pt``, ``OUT/NAME.onnx`` and ``OUT/NAME.json``: ``rendered`` knows six
instruments, ``worked_on`` five of them and five structures.  It needs the extra ``detect`` and the
package ``onnx``, and uses one thread.  The detector finds drawings, not instruments in real videos.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.known_boxes import evaluate
from surgqa.transforms.evidence.detect import (
    DetectSettings,
    TrainSettings,
    export_onnx,
    train,
)
from surgqa.transforms.evidence.detect.measure import Measured

SCENES = Path(__file__).parent.parent / "tests" / "fixtures" / "scenes" / "scenes.py"
SETTINGS = TrainSettings(
    image_size=256, epochs=9, batch=8, learning_rate=2e-3, seed=0, whole_pictures=True,
    device="cpu",
)  # fmt: skip
INPUT_HW = (160, 256)
"""The smallest input that contains a frame of 320 x 192, scaled to 256 pixels."""

TRAIN_SEEDS, VAL_SEEDS = range(1000, 1450), range(5)
TRAIN_BUSY = 0.85
"""More instruments are visible at once than in test scenes, so that a frame teaches more."""

LEAST_VISIBLE = 0.25
"""Smallest visible share of a tip for it to be labelled."""

WORKING = ("grasper", "hook", "scissors", "clipper", "bipolar")
STRUCTURES = ("cystic_artery", "cystic_duct", "gallbladder", "peritoneum", "blood_vessel")
APART, SIZES = 0.22, (0.045, 0.09)
"""Structures are this far apart, so that none covers another; scripted operations use 0.06."""


def main() -> None:
    """Render the data, train, export and measure."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--of", choices=("rendered", "worked_on"), default="rendered")
    parser.add_argument("--epochs", type=int, default=SETTINGS.epochs)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    settings = TrainSettings(**{**asdict(SETTINGS), "epochs": asked.epochs})
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        render(data, asked.of == "worked_on")
        start, wall = time.process_time(), time.perf_counter()
        record = train(data, asked.out / f"{asked.of}.pt", settings)
        spent = time.process_time() - start, time.perf_counter() - wall
        onnx = export_onnx(record.weights, asked.out / f"{asked.of}.onnx", INPUT_HW)
        results = {
            name: told(evaluate(data, DetectSettings(path, image_size=256, confidence=0.01)))
            for name, path in (("torch", record.weights), ("onnx", onnx))
        }
    kept = {k: v for k, v in asdict(record).items() if k != "weights"}
    whole = {**kept, "cpu_s": round(spent[0], 1), "wall_s": round(spent[1], 1), "val": results}
    (asked.out / f"{asked.of}.json").write_text(
        json.dumps(whole, indent=2) + "\n", encoding="utf-8"
    )
    print(json.dumps(whole, indent=2))


def scenes() -> ModuleType:
    """Return the module that renders scenes for the tests."""
    spec = importlib.util.spec_from_file_location("rendered_scenes", SCENES)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def render(data: Path, worked_on: bool) -> None:
    """Write training and validation frames with labels, in YOLO's layout."""
    made = scenes()
    names = (*WORKING, *STRUCTURES) if worked_on else made.TOOLS
    for part, seeds, seconds, fps in (("train", TRAIN_SEEDS, 20, 0.1), ("val", VAL_SEEDS, 40, 1)):
        for seed in seeds:
            if worked_on:
                scene = operated(made, seed, seconds, fps)
            elif part == "train":
                scene = made.Scene(seed, seconds=seconds, fps=fps, busy=TRAIN_BUSY)
            else:
                scene = made.Scene(seed, seconds=seconds, fps=fps)
            write_scene(data, part, scene, names)
    told = ", ".join(names)
    (data / "data.yaml").write_text(f"names: [{told}]\n", encoding="utf-8")


def operated(made: ModuleType, seed: int, seconds: float, fps: float) -> Any:
    """Return a scene of three instruments over structures, most of them where a tool works."""
    dice = np.random.default_rng((seed, 11))
    tools = tuple(dice.permutation(WORKING)[:3].tolist())
    bare = made.Scene(seed, seconds, fps, tools=tools)
    near = [tool.home_xy / bare.size_wh + dice.normal(0, 0.05, 2) for tool in bare._tools]
    places: list[np.ndarray] = []
    for place in np.clip([*near, *dice.uniform(0.15, 0.85, (9, 2))], 0.12, 0.88):
        if all(np.abs(place - one).max() > APART for one in places):
            places.append(place)
    targets = tuple(dice.permutation(STRUCTURES).tolist())[: len(places)]
    scene = made.Scene(seed, seconds, fps, tools=tools, targets=targets, busy=TRAIN_BUSY)
    scene.tones = made.BRIGHT_RGB
    sizes = dice.uniform(*SIZES, (len(targets), 1))
    scene._places = np.hstack([places[: len(targets)], sizes])
    return scene


def write_scene(data: Path, part: str, scene: Any, names: tuple[str, ...]) -> None:
    """Write all frames of one scene as images with label files."""
    import cv2

    folders = [data / kind / part for kind in ("images", "labels")]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    truth = scene.truth.where(scene.truth.visible >= LEAST_VISIBLE)
    size = np.array(scene.size_wh, np.float64)
    for frame in range(scene.frames):
        stem = f"{scene.seed:06d}_{frame:05d}"
        cv2.imwrite(str(folders[0] / f"{stem}.png"), scene.picture(frame)[..., ::-1])
        here = truth.frame == frame
        lines = []
        for label, box in zip(truth.label[here], truth.box_px[here], strict=True):
            low, high = box[:2] / size, box[2:] / size
            row = np.concatenate([(low + high) / 2, high - low])
            lines.append(f"{names.index(label)} " + " ".join(f"{v:.5f}" for v in row))
        (folders[1] / f"{stem}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def told(measured: Measured) -> dict[str, Any]:
    """Return a measurement as a dictionary for JSON, with four decimals."""
    classes = {
        label: {"ap50": round(a, 4), "ap50_95": round(b, 4), "known": measured.known[label]}
        for label, (a, b) in measured.classes.items()
    }
    means = {"map50": round(measured.map50, 4), "map50_95": round(measured.map50_95, 4)}
    return {**means, "classes": classes}


if __name__ == "__main__":
    main()
