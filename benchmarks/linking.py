"""Measure how well the linker and packaged trackers link the same boxes into tracks.

    python -m benchmarks.linking [--seeds 4] [--first 100] [--rates 25 5 1] [--packages]

The true tracks are the boxes of rendered scenes, without the images, and boxes that wander at
random.  Both get the same noise.  IDF1 is implemented here, and a test compares it with
TrackEval's; HOTA is TrackEval's own, if it is installed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from surgqa.transforms.evidence.link import LinkSettings, bridge, link

SECOND_US = 1_000_000
WORLD_FPS = 25
SAME = 0.5
"""Lowest IoU at which a box counts as a true box, as in TrackEval."""

FIVE = ("grasper", "grasper", "hook", "bipolar", "clipper")
CASES: Mapping[str, Mapping[str, Any]] = {
    "in view": {"tools": FIVE, "busy": 1.0},
    "in view, three alike": {"tools": ("grasper", "grasper", "grasper", "hook"), "busy": 1.0},
    "come and go": {"tools": FIVE, "busy": 0.55},
    "come and go, two pairs": {"tools": (*FIVE[:3], "hook", "bipolar"), "busy": 0.8},
    "wandering": {},
}
"""Scenes of 60 s by name; "wandering" is not a scene.  At a pace of 1, a tip moves by 5 % of the
diagonal in a second (median), as in real videos."""


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """The true tracks of a scene, with R boxes in total.

    Attributes:
        times_us: int64 (T,), the times of all frames.
        sample: int64 (R,), index into ``times_us``, ascending.
        track: int64 (R,), number of the track, from 0.
        label: int64 (R,), class codes.
        box: float64 (R, 4), normalised corners.
        aspect: width of the frame divided by its height.
    """

    times_us: np.ndarray
    sample: np.ndarray
    track: np.ndarray
    label: np.ndarray
    box: np.ndarray
    aspect: float


@dataclass(frozen=True, slots=True)
class Noise:
    """The errors that a detector makes on true boxes.

    Attributes:
        missed: share of true boxes that are not found, independently of each other.
        jitter: standard deviation of each side's position, as a fraction of the box's size.
        wrong: share of found boxes with a wrong class.
        false: mean number of false boxes in a frame; their scores are 0.15 to 0.65.
        weak: share of found boxes whose score is lowered by 0.25 from about 0.8.
    """

    missed: float
    jitter: float
    wrong: float
    false: float
    weak: float = 0.1


MILD = Noise(missed=0.05, jitter=0.02, wrong=0.02, false=0.05)
HARD = Noise(missed=0.10, jitter=0.03, wrong=0.05, false=0.2)


@dataclass(frozen=True, slots=True, eq=False)
class Detected:
    """N noisy boxes, ascending by ``sample``; see :class:`Known`."""

    sample: np.ndarray
    label: np.ndarray
    box: np.ndarray
    score: np.ndarray


@cache
def known(name: str, seed: int, fps: float, seconds: float = 60.0) -> Known:
    """Return the true tracks of a case."""
    if name == "wandering":
        return _wandering(seed, fps, seconds)
    from tests.fixtures.scenes.scenes import Scene

    scene = Scene(seed, seconds=seconds, fps=fps, **CASES[name])
    truth = scene.truth.where(scene.truth.visible >= 0.25)
    width, height = scene.size_wh
    _, label = np.unique(truth.label, return_inverse=True)
    _, track = np.unique(truth.track, return_inverse=True)
    box = truth.box_px / np.array([width, height, width, height])
    return Known(scene.times_us(), truth.frame, track, label, box, width / height)


def _wandering(seed: int, fps: float, seconds: float) -> Known:
    """Return five boxes, two of them of one class, that are pulled to targets which change.

    Their speeds are Ornstein-Uhlenbeck processes.  About every ten seconds, a box is hidden for
    0.3-2 s and then has no truth.  Centres move by 0.049 of the diagonal in a second (median).
    """
    dice = np.random.default_rng(seed)
    aspect, step = 16 / 9, 1 / WORLD_FPS
    steps, every = round(seconds * WORLD_FPS), round(WORLD_FPS / fps)
    parts = []
    for number, label in enumerate((0, 0, 1, 2, 3)):
        way = _way(dice, steps, step, aspect)
        swell = 1 + 0.25 * np.sin(
            np.arange(steps) * step * dice.uniform(0.3, 1.2) + dice.uniform(0, 6)
        )
        half = dice.uniform(0.18, 0.36, 2) * swell[:, None] / 2
        box = np.concatenate([way - half, way + half], axis=1) / np.array([aspect, 1, aspect, 1])
        at = np.arange(0, steps, every)
        at = at[~_covered(dice, steps, step, seconds)[at]]
        codes = np.full((2, len(at)), [[number], [label]])
        parts.append((at // every, *codes, *box[at].clip(0, 1).T))
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    order = np.argsort(columns[0], kind="stable")
    times = np.arange(0, steps, every) * round(SECOND_US * step)
    sample, track, label = (column[order].astype(np.int64) for column in columns[:3])
    return Known(times, sample, track, label, np.stack(columns[3:], axis=1)[order], aspect)


def _way(dice: np.random.Generator, steps: int, step: float, aspect: float) -> np.ndarray:
    """Return (steps, 2) centres, in units of the frame's height."""
    fade, force, pull = 0.8, 0.096, 0.5
    low, high = np.array([0.2 * aspect, 0.2]), np.array([0.8 * aspect, 0.8])
    home = dice.uniform(low, high)
    at, speed, way = home.copy(), np.zeros(2), np.empty((steps, 2))
    for index in range(steps):
        kick = force * np.sqrt(2 * step / fade) * dice.normal(size=2)
        speed += (-speed / fade - pull * (at - home)) * step + kick
        at = np.clip(at + speed * step, 0.03, (aspect - 0.03, 0.97))
        way[index] = at
        if dice.uniform() < step / 8:
            home = dice.uniform(low, high)
    return way


def _covered(dice: np.random.Generator, steps: int, step: float, seconds: float) -> np.ndarray:
    covered, now = np.zeros(steps, bool), 0.0
    while True:
        now += dice.exponential(10.0)
        if now >= seconds:
            return covered
        length = dice.uniform(0.3, 2.0)
        covered[int(now / step) : int((now + length) / step)] = True
        now += length


@cache
def detected(truth: Known, seed: int, noise: Noise) -> Detected:
    """Return the true boxes as a detector with this noise might report them."""
    dice = np.random.default_rng((seed, 99))
    classes = int(truth.label.max()) + 1
    keep = dice.uniform(size=len(truth.sample)) >= noise.missed
    sample, label, box = truth.sample[keep], truth.label[keep].copy(), truth.box[keep]
    size = np.tile(box[:, 2:] - box[:, :2], 2)
    box = (box + dice.normal(size=box.shape) * noise.jitter * size).clip(0, 1)
    wrong = dice.uniform(size=len(sample)) < noise.wrong
    label[wrong] = (label[wrong] + dice.integers(1, classes, wrong.sum())) % classes
    score = 0.85 - 0.1 * np.abs(dice.normal(size=len(sample)))
    score -= 0.25 * (dice.uniform(size=len(sample)) < noise.weak)
    nothing = np.repeat(
        np.arange(len(truth.times_us)), dice.poisson(noise.false, len(truth.times_us))
    )
    centre = dice.uniform(0.1, 0.9, (len(nothing), 2))
    half = dice.uniform(0.03, 0.12, centre.shape)
    sample = np.concatenate([sample, nothing])
    label = np.concatenate([label, dice.integers(0, classes, len(nothing))])
    false = np.concatenate([centre - half, centre + half], axis=1).clip(0, 1)
    box = np.concatenate([box, false]).round(5)
    score = np.concatenate([score.clip(0.1, 0.99), dice.uniform(0.15, 0.65, len(nothing))]).round(4)
    order = np.argsort(sample, kind="stable")
    order = order[(box[order, 2:] > box[order, :2] + 0.005).all(axis=1)]
    return Detected(sample[order], label[order], box[order], score[order])


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The output of a tracker: ``sample``, ``track`` and ``box`` of M boxes."""

    sample: np.ndarray
    track: np.ndarray
    box: np.ndarray


def own(truth: Known, seen: Detected, settings: LinkSettings | None = None) -> Answer:
    """Return the output of surgqa's linker, including bridging."""
    settings = settings or LinkSettings()
    kind = np.zeros(len(seen.sample), np.int64)
    out = link(
        truth.times_us, seen.sample, seen.label, kind, seen.box, seen.score, None, settings,
        truth.aspect,
    )  # fmt: skip
    between = bridge(truth.times_us, seen.sample, out.track, seen.box, settings.bridge_us)
    return Answer(
        np.concatenate([seen.sample[out.kept], between.sample]),
        np.concatenate([out.track[out.kept], between.track]),
        np.concatenate([seen.box[out.kept], between.box_xyxy]),
    )


def overlaps(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the IoU (N, M) of (N, 4) boxes with (M, 4) boxes."""
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:], b[None, :, 2:])
    inner = (high - low).clip(min=0).prod(axis=2)
    whole = (a[:, 2:] - a[:, :2]).prod(axis=1)[:, None] + (b[:, 2:] - b[:, :2]).prod(axis=1)[None]
    return inner / np.maximum(whole - inner, 1e-12)


def compared(truth: Known, answer: Answer) -> dict[str, Any]:
    """Return truth and output frame by frame, in the format that TrackEval takes."""
    order = np.argsort(answer.sample, kind="stable")
    _, track = np.unique(answer.track, return_inverse=True)
    rows = np.arange(len(truth.times_us) + 1)
    cut = np.searchsorted(truth.sample, rows), np.searchsorted(answer.sample[order], rows)
    ids: tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray]] = ([], [], [])
    for n in rows[:-1]:
        true, told = slice(*cut[0][n : n + 2]), order[slice(*cut[1][n : n + 2])]
        ids[0].append(truth.track[true])
        ids[1].append(track[told])
        ids[2].append(overlaps(truth.box[true], answer.box[told]))
    return {
        "gt_ids": ids[0], "tracker_ids": ids[1], "similarity_scores": ids[2],
        "num_gt_ids": int(truth.track.max()) + 1, "num_tracker_ids": len(np.unique(track)),
        "num_gt_dets": len(truth.sample), "num_tracker_dets": len(track),
        "num_timesteps": len(rows) - 1,
    }  # fmt: skip


def idf1(truth: Known, answer: Answer) -> float:
    """Return IDF1: 2 x correctly identified / (true + predicted) boxes (Ristani et al., 2016)."""
    from scipy.optimize import linear_sum_assignment

    data = compared(truth, answer)
    shared = np.zeros((data["num_gt_ids"], max(data["num_tracker_ids"], 1)))
    for true, told, overlap in zip(
        data["gt_ids"], data["tracker_ids"], data["similarity_scores"], strict=True
    ):
        rows, columns = np.nonzero(overlap >= SAME)
        np.add.at(shared, (true[rows], told[columns]), 1)
    best = shared[linear_sum_assignment(-shared)].sum()
    return float(2 * best / (data["num_gt_dets"] + data["num_tracker_dets"]))


def hota(truth: Known, answer: Answer) -> float:
    """Return HOTA, the mean over TrackEval's thresholds."""
    from trackeval.metrics import HOTA

    return float(HOTA().eval_sequence(compared(truth, answer))["HOTA"].mean())


Tracker = Callable[[Known, Detected], Answer]


def mean_of(
    measure: Callable[[Known, Answer], float], tracker: Tracker, name: str, fps: float,
    noise: Noise, seeds: range, seconds: float = 60.0,
) -> float:  # fmt: skip
    """Return the mean of a measure over seeds."""
    told = []
    for seed in seeds:
        truth = known(name, seed, fps, seconds)
        told.append(measure(truth, tracker(truth, detected(truth, seed, noise))))
    return float(np.mean(told))


def speed(tracker: Tracker, fps: float = 25) -> float:
    """Return frames per second on a scene with about four boxes in each; the best of three."""
    truth = known("in view", 1, fps)
    seen = detected(truth, 1, MILD)
    took = []
    for _ in range(3):
        start = time.perf_counter()
        tracker(truth, seen)
        took.append(time.perf_counter() - start)
    return len(truth.times_us) / min(took)


def main() -> None:
    """Run the command line of this module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--first", type=int, default=100)
    parser.add_argument("--rates", type=int, nargs="+", default=[25, 5, 1])
    parser.add_argument("--packages", action="store_true", help="also run packaged trackers")
    parser.add_argument("--hota", action="store_true")
    asked = parser.parse_args()
    seeds = range(asked.first, asked.first + asked.seeds)
    trackers: dict[str, Callable[[float], Tracker]] = {"own": lambda fps: own}
    if asked.packages:
        from benchmarks.linking_packages import PACKAGED

        trackers |= PACKAGED
    for name in CASES:
        for noise in (MILD, HARD):
            for fps in asked.rates:
                print(f"{name}, {'mild' if noise is MILD else 'hard'}, {fps}/s")
                for label, make in trackers.items():
                    row = f"{mean_of(idf1, make(fps), name, fps, noise, seeds):.3f}"
                    if asked.hota:
                        row += f" ({mean_of(hota, make(fps), name, fps, noise, seeds):.3f})"
                    print(f"  {row}  {label}", flush=True)
    print(f"own: {speed(own):.0f} instants/s at 25/s")


if __name__ == "__main__":
    main()
