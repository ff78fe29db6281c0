"""As ``benchmarks.active``, with a model on colours and edges that trains in seconds.

    python -m benchmarks.active_cheap DATA OUT.json [--pool VID68] [--test VID73] [--seeds 5]

The model is a softmax regression over a grid of fixed boxes in three sizes, with their position and
the linker's histograms as features.  It only compares which frames train this poor detector better.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from scipy.optimize import minimize

from benchmarks.active import NOTHING, ROUNDS, WAYS, Pool, opened, picture, report
from benchmarks.train_real import lay_out
from surgqa.ontology.boxes import iou
from surgqa.ontology.keys import Key
from surgqa.ontology.observed import KINDS
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.evidence.detect.measure import measure
from surgqa.transforms.evidence.detect.train import label_rows, read_data
from surgqa.transforms.evidence.link import LinkSettings, link_table
from surgqa.transforms.evidence.link.appearance import describe_all
from surgqa.transforms.labelling.choose import choose
from surgqa.transforms.labelling.settings import Choosing

SIZES = ((0.16, 0.25), (0.24, 0.38), (0.34, 0.55))
"""Width and height of boxes, as fractions of the frame."""
SAME, APART, LEAST = 0.4, 0.3, 0.05
EMPTY_WEIGHT, SHRINK, STEPS = 0.8, 1e-3, 40


def grid() -> np.ndarray:
    """Return the boxes as (A, 4) corners in [0, 1]; neighbours overlap by half or more."""
    boxes = []
    for width, height in SIZES:
        for x in np.linspace(0, 1 - width, round(2.5 / width)):
            boxes += [(x, y, x + width, y + height)
                      for y in np.linspace(0, 1 - height, round(2 / height))]  # fmt: skip
    return np.array(boxes)


GRID = grid()


@dataclass(frozen=True, eq=False)
class Frames:
    """Frames of one video by file name: features (A, F) and truth (N, 5: class, corners)."""

    features: Mapping[str, np.ndarray]
    truth: Mapping[str, np.ndarray]


def read(data: Path, part: str, names: Sequence[str]) -> Frames:
    """Return the features and the real labels of each frame."""
    features, truth = {}, {}
    for path in sorted((data / "images" / part).iterdir()):
        shown = picture(path)
        size = np.array([shown.shape[1], shown.shape[0]] * 2)
        looks = describe_all([shown], [GRID * size])[0] / 64.0
        features[path.name] = np.hstack([looks, GRID, GRID**2, np.ones((len(GRID), 1))])
        rows = label_rows(data / "labels" / part / f"{path.stem}.txt", len(names))
        low, high = rows[:, 1:3] - rows[:, 3:] / 2, rows[:, 1:3] + rows[:, 3:] / 2
        truth[path.name] = np.hstack([rows[:, :1], low, high])
    return Frames(features, truth)


def wanted_classes(truth: np.ndarray) -> np.ndarray:
    """Return the (A,) class of each grid box, 0 for none; a label also marks its nearest boxes."""
    found = np.zeros(len(GRID), np.int64)
    for label, *box in truth:
        overlap = iou(GRID, np.array(box))
        found[(overlap >= SAME) | (overlap == overlap.max())] = int(label) + 1
    return found


def fit(frames: Frames, known: Sequence[str], classes: int) -> np.ndarray:
    """Return the weights of the regression, (F, classes + 1)."""
    given = np.concatenate([frames.features[name] for name in known])
    right = np.concatenate([wanted_classes(frames.truth[name]) for name in known])
    # One in four of the empty boxes is sufficient, and four times as fast.
    taken = (right > 0) | (np.arange(len(right)) % 4 == 0)
    given, right = given[taken].astype(np.float32), right[taken]
    each = np.where(right == 0, EMPTY_WEIGHT, 1.0)[:, None] / len(right)
    each, truth = each.astype(np.float32), np.eye(classes + 1, dtype=np.float32)[right]

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        weights = flat.astype(np.float32).reshape(given.shape[1], -1)
        share = shares(given, weights)
        slope = given.T @ (each * (share - truth)) + SHRINK * weights
        told = -(each * truth * np.log(share + 1e-12)).sum() + SHRINK / 2 * (flat**2).sum()
        return float(told), slope.ravel().astype(np.float64)

    start = np.zeros(given.shape[1] * (classes + 1))
    done = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
    return done.x.reshape(given.shape[1], -1)


def shares(given: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the softmax."""
    values = given @ weights
    values = np.exp(values - values.max(axis=1, keepdims=True))
    return values / values.sum(axis=1, keepdims=True)


def look(features: np.ndarray, weights: np.ndarray) -> list[tuple[int, float, np.ndarray]]:
    """Return class, score and box of each detection; of overlapping ones, only the best is kept."""
    share = shares(features, weights)[:, 1:]
    out = []
    for label in range(share.shape[1]):
        left = np.argsort(-share[:, label])
        left = left[share[left, label] >= LEAST]
        while len(left):
            best = left[0]
            out.append((label, float(share[best, label]), GRID[best]))
            left = left[iou(GRID[left], GRID[best]) < APART]
    return out


def measured(frames: Frames, weights: np.ndarray, known: int) -> dict[str, float]:
    """Return the average precision over a video."""
    found, truth = [], []
    for number, name in enumerate(sorted(frames.features)):
        found += [(number, *one) for one in look(frames.features[name], weights)]
        truth += [(number, int(row[0]), 1.0, row[1:]) for row in frames.truth[name]]
    result = measure(*([(picture, str(label), box, score) for picture, label, score, box in rows]
                       for rows in (found, truth)))  # fmt: skip
    return {"frames": known, "map50": round(result.map50, 4), "map50_95": round(result.map50_95, 4)}


def chosen(
    pool: Pool, frames: Frames, names: Sequence[str], weights: np.ndarray, known: Sequence[str],
    count: int, seed: int,
) -> list[str]:  # fmt: skip
    """Return the frames that ``choose`` selects next from the detections on the pool."""
    rows = []
    for path in pool.files:
        second = int(path.stem)
        for label, score, (x1, y1, x2, y2) in look(frames.features[path.name], weights):
            rows.append({
                "time_us": second * SECOND_US, "frame": second, "kind": "instrument",
                "label": names[label], "x1": x1, "y1": y1, "x2": x2, "y2": y2,
                "score": round(score, 4), "origin": "detector",
            })  # fmt: skip
    boxes = pa.Table.from_pylist(rows, schema=KINDS["boxes"])
    times = np.array(pool.frames["time_us"].to_pylist(), np.int64)
    pool.boxes = link_table(boxes, times, times // SECOND_US, LinkSettings(), 16 / 9)
    by_time = {int(path.stem) * SECOND_US: path.name for path in pool.files}
    done = [(pool.video, int(Path(name).stem) * SECOND_US) for name in known]
    return [by_time[one.time_us]
            for one in choose(pool, count, Choosing(seed=seed), NOTHING, done)]  # fmt: skip


def run(
    pool: Pool, frames: Frames, test: Frames, names: Sequence[str], count: int, seed: int
) -> dict[str, list[dict[str, float]]]:
    """Return both curves of one seed."""
    lot = Key("benchmark", "active", seed).ordered([path.name for path in pool.files])
    curves: dict[str, list[dict[str, float]]] = {}
    begun = fit(frames, lot[:count], len(names))
    start = measured(test, begun, count)
    for way in WAYS:
        known, weights = list(lot[:count]), begun
        curves[way] = [start]
        for _ in range(ROUNDS):
            known += (
                chosen(pool, frames, names, weights, known, count, seed) if way == WAYS[0]
                else [name for name in lot if name not in known][:count]
            )  # fmt: skip
            weights = fit(frames, known, len(names))
            curves[way].append(measured(test, weights, len(known)))
            print(seed, way, curves[way][-1], flush=True)
    return curves


def main() -> None:
    """Run all seeds and print the means."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pool", default="VID68")
    parser.add_argument("--test", default="VID73")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--count", type=int, default=20, help="frames a round")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        for part, video in (("train", asked.pool), ("val", asked.test)):
            lay_out(asked.data, video, data, part)
        names, _ = read_data(data, "train")
        pool = opened(data / "images" / "train", asked.pool)
        frames, test = (read(data, part, names) for part in ("train", "val"))
        curves = [run(pool, frames, test, names, asked.count, seed) for seed in range(asked.seeds)]
    told = {"pool": asked.pool, "test": asked.test, "count": asked.count}
    asked.out.write_text(json.dumps({**told, "seeds": curves}, indent=1) + "\n", encoding="utf-8")
    print(report(curves))


if __name__ == "__main__":
    main()
