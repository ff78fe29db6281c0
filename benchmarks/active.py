"""Measure whether chosen frames train a detector better than frames drawn at random.

    python -m benchmarks.active DATA OUT.json [--pool VID68] [--test VID73] [--seeds 5] [--jobs 5]

DATA is a folder of CholecT50's challenge validation set.  The annotator is simulated: each frame
gets the boxes of its real labels.  Both ways start with the same randomly drawn frames and then add
frames in three rounds.  One way takes the frames that ``surgqa label choose`` selects from the
results of the previous round's detector on the pool.  The other way takes as many at random.  After
each round, a new detector is trained on all frames so far and measured on the other video.  Every
training has the same number of steps.  Finished seeds are not run again.  The licence of the data
is CC BY-NC-SA: no weights are kept.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pyarrow as pa

from benchmarks.train_real import lay_out
from surgqa.ontology.keys import Key
from surgqa.ontology.observed import KINDS
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.evidence.detect import (
    DetectSettings,
    Extractor,
    TrainSettings,
    evaluate,
    train,
)
from surgqa.transforms.evidence.link import LinkSettings, link_table
from surgqa.transforms.evidence.quality import Extractor as Quality
from surgqa.transforms.labelling.choose import HeldOut, choose
from surgqa.transforms.labelling.settings import Choosing
from surgqa.transforms.media import FrameBatch

SETTINGS = ("pool", "test", "count", "steps", "size")
ROUNDS = 3
WAYS = ("chosen", "by lot")
NOTHING = HeldOut(0.0, "video", 0, ())


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
    """Run one process for each seed and combine the curves."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pool", default="VID68")
    parser.add_argument("--test", default="VID73")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--count", type=int, default=30, help="frames a round")
    parser.add_argument("--steps", type=int, default=800, help="steps of every training")
    parser.add_argument("--size", type=int, default=256, help="longer side, pixels")
    parser.add_argument("--seed", type=int, help="run this seed alone")
    asked = parser.parse_args()
    if asked.seed is not None:
        asked.out.write_text(json.dumps(run(asked, asked.seed)), encoding="utf-8")
        return
    parts = [asked.out.with_suffix(f".{seed}.json") for seed in range(asked.seeds)]
    for first in range(0, asked.seeds, asked.jobs):
        numbers = range(first, min(first + asked.jobs, asked.seeds))
        numbers = [seed for seed in numbers if not parts[seed].is_file()]
        ended = [one.wait() for one in [begun(asked, seed, parts[seed]) for seed in numbers]]
        if any(ended):
            sys.exit("a seed failed; see its message above")
    curves = [json.loads(part.read_text(encoding="utf-8")) for part in parts]
    for part in parts:
        part.unlink()
    asked.out.write_text(json.dumps({"asked": told(asked), "seeds": curves}, indent=1) + "\n")
    print(report(curves))


def begun(asked: argparse.Namespace, seed: int, out: Path) -> subprocess.Popen[bytes]:
    """Start one seed in a separate process."""
    same = [f"--{name}={getattr(asked, name)}" for name in SETTINGS]
    command = [sys.executable, "-m", "benchmarks.active", str(asked.data), str(out), *same]
    return subprocess.Popen([*command, f"--seed={seed}"])


def told(asked: argparse.Namespace) -> dict[str, Any]:
    """Return the settings of the run, without paths."""
    return {name: getattr(asked, name) for name in ("seeds", *SETTINGS)}


def run(asked: argparse.Namespace, seed: int) -> dict[str, list[dict[str, float]]]:
    """Return both curves of one seed: frames reviewed, mAP50 and mAP50-95 on the other video."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        lay_out(asked.data, asked.pool, data, "pool")
        lay_out(asked.data, asked.test, data, "val")
        pool = opened(data / "images" / "pool", asked.pool)
        lot = Key("benchmark", "active", seed).ordered([path.name for path in pool.files])
        beginning = lot[: asked.count]
        first = taught(data, beginning, asked, seed)
        start = measured(data, first, beginning, asked.size)
        curves: dict[str, list[dict[str, float]]] = {}
        for way in WAYS:
            known, weights = list(beginning), first
            curves[way] = [start]
            for number in range(1, ROUNDS + 1):
                known += (
                    wanted(pool, weights, known, asked, seed) if way == WAYS[0]
                    else [name for name in lot if name not in known][: asked.count]
                )  # fmt: skip
                weights = taught(data, known, asked, seed, f"{way}-{number}")
                curves[way].append(measured(data, weights, known, asked.size))
                print(seed, way, curves[way][-1], flush=True)
    return curves


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
    pool: Pool, weights: Path, known: Sequence[str], asked: argparse.Namespace, seed: int
) -> list[str]:
    """Return the names of the frames that ``choose`` selects next."""
    detector = Extractor(DetectSettings(weights, image_size=asked.size))
    boxes = pa.concat_tables([detector.look(batch) for batch in batches(pool.files)])
    times = np.array(pool.frames["time_us"].to_pylist(), np.int64)
    wide = picture(pool.files[0])
    aspect = wide.shape[1] / wide.shape[0]
    pool.boxes = link_table(boxes, times, times // SECOND_US, LinkSettings(), aspect)
    by_time = {int(path.stem) * SECOND_US: path.name for path in pool.files}
    done = [(pool.video, int(Path(name).stem) * SECOND_US) for name in known]
    chosen = choose(pool, asked.count, Choosing(seed=seed), NOTHING, done)
    return [by_time[one.time_us] for one in chosen]


def taught(
    data: Path, known: Sequence[str], asked: argparse.Namespace, seed: int, name: str = "first"
) -> Path:
    """Return the weights of a detector trained on the real labels of these frames."""
    place = data / f"part-{name.replace(' ', '-')}"
    for kind, ending in (("images", ".png"), ("labels", ".txt")):
        folder = place / kind / "train"
        folder.mkdir(parents=True)
        for stem in sorted(Path(one).stem for one in known):
            source = data / kind / "pool" / f"{stem}{ending}"
            (folder / source.name).symlink_to(source.resolve())
    (place / "data.yaml").write_text((data / "data.yaml").read_text(encoding="utf-8"))
    epochs = max(1, round(asked.steps / -(-len(known) // 8)))
    settings = TrainSettings(
        image_size=asked.size, epochs=epochs, batch=8, learning_rate=1e-3, seed=seed, device="auto"
    )
    return train(place, place / "weights.pt", settings).weights


def measured(data: Path, weights: Path, known: Sequence[str], size: int) -> dict[str, float]:
    """Return the average precision on the other video."""
    found = evaluate(data, DetectSettings(weights, image_size=size, confidence=0.01), "val")
    return {
        "frames": len(known),
        "map50": round(found.map50, 4),
        "map50_95": round(found.map50_95, 4),
    }


def report(curves: Sequence[dict[str, list[dict[str, float]]]]) -> str:
    """Return the means by round, and the number of seeds in which the chosen frames were better."""
    lines = ["frames   chosen   by lot   difference   chosen better in"]
    for number in range(ROUNDS + 1):
        one, two = (np.array([seed[way][number]["map50"] for seed in curves]) for way in WAYS)
        better = f"{int((one > two).sum())} of {len(one)}"
        frames = int(curves[0][WAYS[0]][number]["frames"])
        spread = (one - two).std(ddof=1) if len(one) > 1 else float("nan")
        lines.append(
            f"{frames:>6} {one.mean():8.4f} {two.mean():8.4f} "
            f"{(one - two).mean():+8.4f} ± {spread:.4f}   {better}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
