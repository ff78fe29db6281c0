"""Measure whether chosen frames train a detector better than frames drawn at random.

    python -m benchmarks.active DATA OUT.json [--pool VID68] [--test VID73] [--seeds 5] [--jobs 15]

DATA is a folder of CholecT50's challenge validation set. The annotator is simulated: each frame
gets the boxes of its real labels. Ways of choosing frames are compared. All begin with the same
random frames and add frames in three rounds: ``chosen`` those that ``surgqa label choose`` selects
from the results of the previous round's detector, ``random`` frames drawn at random, ``spread``
(with ``--spread``) those that ``choose`` selects without any detector, which differ most in time
and appearance. After each round, a new detector is trained on all frames so far. Every training
has the same number of steps. The detector is measured on the other video (``map50``), and on held-
out stretches of the same video (``own50``), from which no frame is taken.

Each seed and way is a process; ``--jobs`` run at once.  Finished rounds are kept beside OUT and
are not run again.  The licence of the data is CC BY-NC-SA: no weights are kept.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pyarrow as pa

from benchmarks.known_boxes import evaluate
from benchmarks.train_real import lay_out
from surgqa.ontology.keys import Key
from surgqa.ontology.observed import KINDS
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.evidence.detect import (
    DetectSettings,
    Extractor,
    TrainSettings,
    train,
)
from surgqa.transforms.evidence.link import LinkSettings, link_table
from surgqa.transforms.evidence.quality import Extractor as Quality
from surgqa.transforms.labelling.choose import HeldOut, choose, hold_out
from surgqa.transforms.labelling.settings import Choosing
from surgqa.transforms.media import FrameBatch

SETTINGS = ("pool", "test", "count", "steps", "size", "own", "start")
ROUNDS = 3
WAYS = ("chosen", "random")
SPREAD = "spread"
NOTHING = HeldOut(0.0, "video", 0, ())
MEASURES = {"map50": "mAP50 on the other video", "own50": "mAP50 on the same video, held out"}

Part = dict[str, Any]
"""One curve: ``rounds`` (the results) and ``next`` (names of the frames of the next training)."""


@dataclass
class Pool:
    """The frames of one video, with the methods of a store that ``choose`` calls.

    Attributes:
        boxes: linked boxes from the previous round's detector; empty before the first round.
    """

    video: str
    files: list[Path]
    frames: pa.Table
    boxes: pa.Table
    dataset: str = "cholect50"

    def videos(self) -> list[str]:
        """Return the one video."""
        return [self.video]

    def table(self, _: str, kind: str) -> pa.Table:
        """Return the table of frames or boxes; the other tables are empty."""
        own = {"frames": self.frames, "boxes": self.boxes}
        return own[kind] if kind in own else KINDS[kind].empty_table()

    def facts(self, _: str) -> dict[str, Any]:
        """Return an empty dictionary: there are no facts about the video."""
        return {}

    def picture(self, _: str, time_us: int) -> np.ndarray:
        """Return the frame at a time, as RGB."""
        return picture(self.files[self.frames["time_us"].to_pylist().index(time_us)])


def main() -> None:
    """Run one process for each seed and way, and combine the curves."""
    asked = arguments().parse_args()
    if asked.seed is not None:
        run(asked, asked.seed, asked.way)
        return
    ways = (*WAYS, SPREAD) if asked.spread else WAYS
    # ``chosen`` trains once more than the others, so it begins first.
    each = [(seed, way) for way in ways for seed in range(asked.seeds)]
    with ThreadPoolExecutor(asked.jobs) as pool:
        failed = any(pool.map(lambda one: subprocess.call(command(asked, *one)), each))
    curves = merged(asked, ways)
    print(report(curves))
    if failed:
        sys.exit("a training failed, see its message above; finished rounds are kept")
    told = {name: getattr(asked, name) for name in ("seeds", *SETTINGS)}
    told["start"] = Path(asked.start).name
    asked.out.write_text(json.dumps({"asked": told, "seeds": curves}, indent=1) + "\n")
    for one in each:
        part_file(asked.out, *one).unlink()


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pool", default="VID68")
    parser.add_argument("--test", default="VID73")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--spread", action="store_true", help="measure this way too")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--count", type=int, default=30, help="frames a round")
    parser.add_argument("--steps", type=int, default=800, help="steps of every training")
    parser.add_argument("--size", type=int, default=256, help="longer side, pixels")
    parser.add_argument("--own", type=float, default=0.25, help="share of the pool held out")
    parser.add_argument("--start", default=TrainSettings().start, help="weights to start from")
    parser.add_argument("--seed", type=int, help="run this seed alone")
    parser.add_argument("--way", default=WAYS[0], help="with --seed: how frames are taken")
    return parser


def part_file(out: Path, seed: int, way: str) -> Path:
    """Return the file with the finished rounds of one seed and way."""
    return out.with_suffix(f".{seed}.{way}.json")


def command(asked: argparse.Namespace, seed: int, way: str) -> list[str]:
    """Return the command that runs one seed and way."""
    same = [f"--{name}={getattr(asked, name)}" for name in SETTINGS]
    module = [sys.executable, "-m", "benchmarks.active", str(asked.data), str(asked.out)]
    return [*module, *same, f"--seed={seed}", f"--way={way}"]


def merged(asked: argparse.Namespace, ways: Sequence[str]) -> list[dict[str, list[Part]]]:
    """Return the finished rounds by seed and way; the first round is that of ``chosen``."""
    curves = []
    for seed in range(asked.seeds):
        files = {way: part_file(asked.out, seed, way) for way in ways}
        rounds = {way: kept(file)["rounds"] for way, file in files.items()}
        for way in ways[1:]:
            rounds[way] = rounds[ways[0]][:1] + rounds[way]
        curves.append(rounds)
    return curves


def kept(file: Path) -> Part:
    """Return the finished rounds of a file, none if it does not exist."""
    return json.loads(file.read_text()) if file.is_file() else {"rounds": [], "next": []}


def run(asked: argparse.Namespace, seed: int, way: str) -> None:
    """Train and measure the rounds that are not finished, and write each to the part's file."""
    file = part_file(asked.out, seed, way)
    part = kept(file)
    first = 0 if way == WAYS[0] else 1
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        lay_out(asked.data, asked.pool, data, "pool")
        lay_out(asked.data, asked.test, data, "val")
        pool, held = opened(data / "images" / "pool", asked.pool), NOTHING
        if asked.own:
            held = hold_out(pool, asked.own)
        lot = Key("benchmark", "active", seed).ordered(set_apart(data, pool, held))
        known = part["next"] or lot[: asked.count]
        if way == SPREAD and not part["rounds"]:
            known = [*known, *wanted(pool, None, known, asked, seed, held)]
        for number in range(first + len(part["rounds"]), ROUNDS + 1):
            if way == WAYS[1]:
                known = lot[: asked.count * (number + 1)]
            weights = taught(data, known, asked, seed, f"round-{number}")
            part["rounds"].append(measured(data, weights, known, asked.size))
            print(seed, way, part["rounds"][-1], flush=True)
            if way != WAYS[1] and number < ROUNDS:
                by = weights if way == WAYS[0] else None
                known = [*known, *wanted(pool, by, known, asked, seed, held)]
            part["next"] = known
            written = file.with_suffix(".new")
            written.write_text(json.dumps(part), encoding="utf-8")
            written.replace(file)


def set_apart(data: Path, pool: Pool, held: HeldOut) -> list[str]:
    """Lay out the held-out frames as the part ``own``; return the names of those for training."""
    free = []
    for kind in ("images", "labels"):
        (data / kind / "own").mkdir()
    for path in pool.files:
        instant = pool.video, int(path.stem) * SECOND_US
        if held.allows(*instant):
            free.append(path.name)
        if held.holds(*instant):
            label = data / "labels" / "pool" / f"{path.stem}.txt"
            (data / "images" / "own" / path.name).symlink_to(path.resolve())
            (data / "labels" / "own" / label.name).symlink_to(label.resolve())
    return free


def picture(path: Path) -> np.ndarray:
    """Return an image as uint8 (H, W, 3), RGB."""
    import cv2

    return cv2.imread(str(path), cv2.IMREAD_COLOR)[..., ::-1]


def opened(folder: Path, video: str) -> Pool:
    """Return the frames of a folder, one a second, with the quality that ``observe`` measures."""
    files = sorted(folder.iterdir())
    pool = Pool(video, files, KINDS["frames"].empty_table(), KINDS["boxes"].empty_table())
    pool.frames = pa.concat_tables([Quality().look(batch) for batch in batches(files)])
    return pool


def batches(files: Sequence[Path]) -> list[FrameBatch]:
    """Return frames in batches of eight; the number of a frame is its second."""
    found = []
    for number, start in enumerate(range(0, len(files), 8)):
        part = files[start : start + 8]
        frames = np.array([int(path.stem) for path in part], np.int64)
        shown = [picture(path) for path in part]
        sure = np.ones(len(part), bool)
        found.append(FrameBatch(number, 8, frames * SECOND_US, frames, shown, sure))
    return found


def wanted(
    pool: Pool, weights: Path | None, known: Sequence[str], asked: argparse.Namespace, seed: int,
    held: HeldOut,
) -> list[str]:  # fmt: skip
    """Return the names of the frames that ``choose`` selects next; None for no detector."""
    if weights is not None:
        detector = Extractor(DetectSettings(weights, image_size=asked.size))
        boxes = pa.concat_tables([detector.look(batch) for batch in batches(pool.files)])
        times = np.array(pool.frames["time_us"].to_pylist(), np.int64)
        wide = picture(pool.files[0])
        aspect = wide.shape[1] / wide.shape[0]
        pool.boxes = link_table(boxes, times, times // SECOND_US, LinkSettings(), aspect)
    by_time = {int(path.stem) * SECOND_US: path.name for path in pool.files}
    done = [(pool.video, int(Path(name).stem) * SECOND_US) for name in known]
    chosen = choose(pool, asked.count, Choosing(seed=seed), held, done)
    return [by_time[one.time_us] for one in chosen]


def taught(
    data: Path, known: Sequence[str], asked: argparse.Namespace, seed: int, name: str
) -> Path:
    """Return the weights of a detector trained on the real labels of these frames."""
    place = data / f"part-{name}"
    for kind, ending in (("images", ".png"), ("labels", ".txt")):
        folder = place / kind / "train"
        folder.mkdir(parents=True)
        for stem in sorted(Path(one).stem for one in known):
            source = data / kind / "pool" / f"{stem}{ending}"
            (folder / source.name).symlink_to(source.resolve())
    (place / "data.yaml").write_text((data / "data.yaml").read_text(encoding="utf-8"))
    epochs = max(1, round(asked.steps / -(-len(known) // 8)))
    settings = TrainSettings(
        start=asked.start, image_size=asked.size, epochs=epochs, batch=8, learning_rate=1e-3,
        seed=seed, device="auto",
    )  # fmt: skip
    return train(place, place / "weights.pt", settings).weights


def measured(data: Path, weights: Path, known: Sequence[str], size: int) -> Part:
    """Return the average precision on the other video, and on the held-out part of the same."""
    look = DetectSettings(weights, image_size=size, confidence=0.01)
    found: Part = {"frames": len(known)}
    for name, part in (("map", "val"), ("own", "own")):
        if any((data / "images" / part).iterdir()):
            result = evaluate(data, look, part)
            found[f"{name}50"] = round(result.map50, 4)
            found[f"{name}50_95"] = round(result.map50_95, 4)
    return found


def report(curves: Sequence[dict[str, list[Part]]]) -> str:
    """Return the means by round, and the number of seeds in which each way beat random frames."""
    lines = []
    for measure, title in MEASURES.items():
        for way in (one for one in curves[0] if one != WAYS[1]):
            lines += compared(curves, way, measure, title)
    return "\n".join(lines)


def compared(
    curves: Sequence[dict[str, list[Part]]], way: str, measure: str, title: str
) -> list[str]:
    """Return lines that compare one way with random frames, by round; only finished rounds."""
    lines = []
    for number in range(ROUNDS + 1):
        both = [
            [curve[name][number] for name in (way, WAYS[1])]
            for curve in curves
            if min(len(curve[way]), len(curve[WAYS[1]])) > number
        ]
        both = [pair for pair in both if all(measure in one for one in pair)]
        if not both:
            continue
        one, two = (np.array([pair[n][measure] for pair in both]) for n in (0, 1))
        frames = "/".join(str(round(np.mean([p[n]["frames"] for p in both]))) for n in (0, 1))
        spread = (one - two).std(ddof=1) if len(one) > 1 else float("nan")
        lines.append(
            f"{frames:>9} {one.mean():8.4f} {two.mean():8.4f} {(one - two).mean():+8.4f} "
            f"± {spread:.4f}   {int((one > two).sum())} of {len(one)}"
        )
    head = f"{title}\n   frames {way:>8}   random  difference          {way} better in"
    return [head, *lines, ""] if lines else []


if __name__ == "__main__":
    main()
