"""Train a detector on the boxes of one real video and measure it on another.

    python -m benchmarks.train_real DATA OUT --train VID68 --test VID73

DATA is a folder of CholecT50's challenge validation set with ``labels`` and ``videos``.  Its
licence is CC BY-NC-SA: the weights in OUT may fall under its terms, so do not distribute them.
Frames without an annotation are unknown, not empty, and are left out.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from benchmarks.known_boxes import evaluate
from benchmarks.train_rendered import told
from surgqa.transforms.evidence.detect import DetectSettings, TrainSettings, train
from surgqa.transforms.readers.cholect50.reader import Reader

SIZE = 256
SETTINGS = TrainSettings(image_size=SIZE, epochs=24, batch=8, learning_rate=1e-3, device="cpu")


def main() -> None:
    """Lay out the data, train, and measure on both videos."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--train", default="VID68")
    parser.add_argument("--test", default="VID73")
    parser.add_argument("--epochs", type=int, default=SETTINGS.epochs)
    parser.add_argument("--minutes", type=float, help="stop training after this many minutes")
    parser.add_argument("--start", type=Path, help="weights to continue training from")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    settings = replace(SETTINGS, epochs=asked.epochs, minutes=asked.minutes)
    if asked.start:
        settings = replace(settings, start=asked.start)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        for part, video in (("train", asked.train), ("val", asked.test)):
            lay_out(asked.data, video, data, part)
        start, wall = time.process_time(), time.perf_counter()
        record = train(data, asked.out / f"{asked.train}.pt", settings)
        spent = time.process_time() - start, time.perf_counter() - wall
        look = DetectSettings(record.weights, image_size=SIZE, confidence=0.01)
        results = {
            video: told(evaluate(data, look, part))
            for part, video in (("train", asked.train), ("val", asked.test))
        }
    kept = {k: v for k, v in asdict(record).items() if k != "weights"}
    whole = {**kept, "cpu_s": round(spent[0], 1), "wall_s": round(spent[1], 1), "video": results}
    name = f"{asked.train}-{asked.test}.json"
    (asked.out / name).write_text(json.dumps(whole, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(whole, indent=2))


def lay_out(source: Path, video: str, data: Path, part: str) -> None:
    """Write the annotated frames of one video in YOLO's layout."""
    evidence = Reader(source).read(video)
    names, table = evidence.video.vocabulary, evidence.instruments
    folders = [data / kind / part for kind in ("images", "labels")]
    for folder in folders:
        folder.mkdir(parents=True)
    for sample, frame in enumerate(table.frames.tolist()):
        picture = source.resolve() / "videos" / video / f"{frame:06d}.png"
        if not picture.is_file():
            continue
        (folders[0] / picture.name).symlink_to(picture)
        here = (table.sample == sample) & ~np.isnan(table.box_xyxy[:, 0])
        # A box has one row for each of its actions.
        boxes = {
            (table.labels[table.label[n]], tuple(table.box_xyxy[n])) for n in np.nonzero(here)[0]
        }
        lines = []
        for label, (x1, y1, x2, y2) in sorted(boxes):
            row = ((x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1)
            lines.append(f"{names.index(label)} " + " ".join(f"{v:.5f}" for v in row))
        (folders[1] / f"{picture.stem}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (data / "data.yaml").write_text(f"names: [{', '.join(names)}]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
