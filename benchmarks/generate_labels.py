"""Generate artificial CholecT50 label files as input of the benchmark, the same on every run.

    python -m benchmarks.generate_labels OUT [--videos 50] [--seconds 2000] [--scale 1]

This writes ``OUT/labels/VIDnnn.json`` and ``OUT/label_mapping.txt`` in the layout of the challenge
validation files: 15 numbers a row, boxes of instruments, the phase last.  Only the vocabulary and
the table of the 100 valid triplets are real; nothing comes from a real video.  The labels resemble
real ones in these properties:

* There are up to three hands: a holding grasper, the working instrument, an assistant.  Each is
  visible for 10-120 s and then absent for a while.  Most frames show 1-3 instruments, sometimes
  two graspers.
* Verb and target stay the same for 3-30 s, with idle periods.
* Motion is smooth between way-points a few seconds apart, with a rare jump.  Steps of one second
  have quartiles near those of real boxes (0.04, 0.07, 0.14 of the frame).
* Phases are in order.  Every few minutes, some seconds have no annotation.

Random numbers come only from ``Generator.random``, on a Philox stream with the key (seed, video).
The files are therefore the same on every machine, and no video depends on the others.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from surgqa.ontology.keys import h64
from surgqa.transforms.readers.base.triplets import (
    INSTRUMENTS,
    PHASES,
    TARGETS,
    TRIPLETS,
    VERBS,
    mapping_text,
)

WIDTH, HEIGHT = 854, 480

PUBLIC_IDS = (
    1, 2, 4, 5, 6, 8, 10, 12, 13, 14, 15, 18, 22, 23, 25, 26, 27, 29, 31, 32, 35, 36, 40, 42, 43,
    47, 48, 49, 50, 51, 52, 56, 57, 60, 62, 65, 66, 68, 70, 73, 74, 75, 78, 79, 80, 92, 96, 103,
    110, 111,
)  # fmt: skip
"""Numbers of CholecT50's videos; larger data sets continue after the last one."""

PHASE_SHARES = (0.05, 0.40, 0.10, 0.28, 0.05, 0.08, 0.04)

WORKING = (
    (0.20, 0.05, 0.70, 0.00, 0.00, 0.05),
    (0.05, 0.10, 0.75, 0.05, 0.00, 0.05),
    (0.05, 0.05, 0.20, 0.25, 0.40, 0.05),
    (0.05, 0.10, 0.75, 0.05, 0.00, 0.05),
    (0.75, 0.10, 0.05, 0.00, 0.00, 0.10),
    (0.10, 0.35, 0.05, 0.00, 0.00, 0.50),
    (0.80, 0.05, 0.00, 0.00, 0.00, 0.15),
)
"""Probability of each instrument in the working hand, by phase."""


@dataclass(frozen=True, slots=True)
class Hand:
    """One trocar: the usual position of its instrument, and how long it is visible and absent."""

    home_xy: tuple[float, float]
    stay_s: tuple[float, float]
    away_s: tuple[float, float]
    instruments: tuple[float, ...] | None = None


HANDS = (
    Hand((0.33, 0.40), (10, 120), (2, 40), (1.0, 0, 0, 0, 0, 0)),
    Hand((0.58, 0.55), (10, 120), (2, 48)),
    Hand((0.70, 0.35), (10, 60), (50, 320), (0.55, 0.05, 0, 0, 0, 0.40)),
)
BLOCK_S = (3.0, 30.0)
IDLE_SHARE = 0.2
JUMP_SHARE = 0.012


@dataclass(frozen=True, slots=True)
class Triplets:
    """(instrument, verb, target) ids of each triplet id, and each instrument's choices."""

    rows: np.ndarray
    of_instrument: tuple[np.ndarray, ...]
    cumulative: tuple[np.ndarray, ...]
    idle: np.ndarray


def triplet_choices() -> Triplets:
    """Return the table of valid triplets as ids, with the actions of each instrument."""
    rows = np.array(
        [(INSTRUMENTS.index(i), VERBS.index(v), TARGETS.index(t)) for i, v, t in TRIPLETS]
    )
    resting = rows[:, 1] == VERBS.index("null_verb")
    choice, cumulative, idle = [], [], []
    for code in range(len(INSTRUMENTS)):
        acting = np.flatnonzero((rows[:, 0] == code) & ~resting)
        weights = 1.0 / np.arange(1, len(acting) + 1)  # a few actions make up most of the work
        choice.append(acting)
        cumulative.append(np.cumsum(weights) / weights.sum())
        idle.append(int(np.flatnonzero((rows[:, 0] == code) & resting)[0]))
    return Triplets(rows, tuple(choice), tuple(cumulative), np.array(idle))


def video_numbers(count: int) -> list[int]:
    """Return the first ``count`` distinct video numbers."""
    further = range(PUBLIC_IDS[-1] + 1, PUBLIC_IDS[-1] + 1 + max(count - len(PUBLIC_IDS), 0))
    return [*PUBLIC_IDS[:count], *further]


def _between(rng: np.random.Generator, bounds: tuple[float, float], count: int) -> np.ndarray:
    """Return whole numbers between the bounds, denser near the lower one."""
    low, high = bounds
    return np.floor(low + (high - low + 1) * rng.random(count) ** 2).astype(np.int64)


def _bell(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Return nearly normal values with deviation 1; sums of uniforms are portable."""
    return 2.0 * (rng.random((3, *shape)).sum(axis=0) - 1.5)


def annotated_seconds(rng: np.random.Generator, count: int) -> np.ndarray:
    """Return int64 (count,) ascending seconds; every 1-7 minutes, 3-20 s are missing."""
    pieces = _between(rng, (60, 420), count // 60 + 2)
    jumps = np.zeros(count, dtype=np.int64)
    at = np.cumsum(pieces)
    at = at[at < count]
    jumps[at] = _between(rng, (3, 20), len(at))
    return np.arange(count) + np.cumsum(jumps)


def phase_of(rng: np.random.Generator, count: int) -> np.ndarray:
    """Return int64 (count,) phase ids in order."""
    shares = np.array(PHASE_SHARES) * (0.5 + rng.random(len(PHASE_SHARES)))
    edges = np.cumsum(shares / shares.sum())[:-1] * count
    return np.searchsorted(edges, np.arange(count), side="right")


def visits(rng: np.random.Generator, hand: Hand, seconds: int) -> tuple[np.ndarray, np.ndarray]:
    """Return, each (seconds,): the index of the visit, and whether the hand is visible."""
    most = int(seconds / (hand.stay_s[0] + hand.away_s[0])) + 2
    lengths = np.empty(2 * most, dtype=np.int64)
    lengths[0::2] = _between(rng, hand.away_s, most)
    lengths[1::2] = _between(rng, hand.stay_s, most)
    index = np.repeat(np.arange(2 * most), lengths)[:seconds]
    return index // 2, index % 2 == 1


def motion(rng: np.random.Generator, hand: Hand, seconds: int) -> np.ndarray:
    """Return float64 (seconds, 4): centre x, y, width and height as fractions of the frame."""
    gaps = 1.0 + 3.5 * rng.random(seconds)
    times = np.cumsum(gaps) - gaps[0]
    home = np.array([*hand.home_xy, 0.20, 0.22])
    spread = np.array([0.20, 0.18, 0.05, 0.05])
    points = home + spread * _bell(rng, (seconds, 4))
    rests = np.concatenate([[False], rng.random(seconds - 1) < 0.25])
    held = np.maximum.accumulate(np.where(rests, 0, np.arange(seconds)))
    points = points[held]
    grid = np.arange(seconds)
    path = np.stack([np.interp(grid, times, points[:, k]) for k in range(4)], axis=1)
    path += np.array([0.012, 0.012, 0.004, 0.004]) * _bell(rng, (seconds, 4))
    jump = rng.random(seconds) < JUMP_SHARE
    path[jump, :2] = 0.1 + 0.8 * rng.random((seconds, 2))[jump]
    return np.clip(path, [0.02, 0.02, 0.06, 0.06], [0.98, 0.98, 0.40, 0.40])


def boxes_xywh(path: np.ndarray) -> np.ndarray:
    """Return boxes clipped to the frame and set on whole pixels, as annotation tools do."""
    size = np.array([WIDTH, HEIGHT])
    low = np.clip(np.rint((path[:, :2] - path[:, 2:] / 2) * size), 0, size - 2)
    high = np.clip(np.rint((path[:, :2] + path[:, 2:] / 2) * size), low + 2, size)
    return np.concatenate([low / size, (high - low) / size], axis=1)


def triplet_of(
    rng: np.random.Generator, triplets: Triplets, visit: np.ndarray, instrument: np.ndarray
) -> np.ndarray:
    """Return int64 (seconds,) triplet ids, constant for 3-30 s within a visit."""
    seconds = len(visit)
    block = np.repeat(np.arange(seconds), _between(rng, BLOCK_S, seconds))[:seconds]
    changes = np.concatenate([[True], (np.diff(block) != 0) | (np.diff(visit) != 0)])
    number = np.cumsum(changes) - 1
    pick, rest = rng.random(seconds)[number], (rng.random(seconds) < IDLE_SHARE)[number]
    out = triplets.idle[instrument]
    for code, (choice, cumulative) in enumerate(
        zip(triplets.of_instrument, triplets.cumulative, strict=True)
    ):
        here = (instrument == code) & ~rest
        out[here] = choice[np.searchsorted(cumulative[:-1], pick[here], side="right")]
    return out


def instrument_of(
    rng: np.random.Generator, hand: Hand, visit: np.ndarray, phase: np.ndarray
) -> np.ndarray:
    """Return int64 (seconds,) instrument ids, constant in a visit, chosen by its first phase."""
    first = np.searchsorted(visit, np.arange(visit[-1] + 1))
    chances = np.array(WORKING)[phase[first]]
    if hand.instruments is not None:
        chances = np.tile(hand.instruments, (len(first), 1))
    draws = rng.random(len(first))
    edges = np.cumsum(chances, axis=1)[:, :-1]
    return (draws[:, None] >= edges).sum(axis=1)[visit]


@dataclass(frozen=True, slots=True)
class HandLabels:
    """Labels of one hand at each of T seconds; arrays (T,), boxes (T, 4)."""

    seen: np.ndarray
    triplet: np.ndarray
    box_xywh: np.ndarray


def video_labels(
    number: int, seconds: int, seed: int, triplets: Triplets
) -> tuple[np.ndarray, np.ndarray, list[HandLabels]]:
    """Return the annotated seconds (T,), the phase at each (T,), and the labels of each hand."""
    rng = np.random.Generator(np.random.Philox(key=h64("benchmark-labels", seed, number)))
    times = annotated_seconds(rng, seconds)
    span = int(times[-1]) + 1
    phase = phase_of(rng, span)
    hands = []
    for hand in HANDS:
        visit, seen = visits(rng, hand, span)
        instrument = instrument_of(rng, hand, visit, phase)
        triplet = triplet_of(rng, triplets, visit, instrument)
        box = boxes_xywh(motion(rng, hand, span))
        hands.append(HandLabels(seen[times], triplet[times], box[times]))
    return times, phase[times], hands


def label_file(number: int, seconds: int, seed: int, triplets: Triplets) -> bytes:
    """Return one label file as JSON."""
    times, phase, hands = video_labels(number, seconds, seed, triplets)
    codes = triplets.rows.tolist()
    frames: dict[str, list] = {str(t): [] for t in times.tolist()}
    for hand in hands:
        rows = np.flatnonzero(hand.seen)
        for t, p, k, box in zip(
            times[rows].tolist(), phase[rows].tolist(), hand.triplet[rows].tolist(),
            hand.box_xywh[rows].tolist(), strict=True,
        ):  # fmt: skip
            i, v, o = codes[k]
            frames[str(t)].append([k, i, 1.0, *box, v, o, 1.0, -1.0, -1.0, -1.0, -1.0, p])
    for t, p in zip(times.tolist(), phase.tolist(), strict=True):
        if not frames[str(t)]:
            frames[str(t)].append([-1] * 14 + [p])
    head = {
        "info": {"description": "made-up labels for measuring speed; no real video"},
        "licenses": {"id": 1, "name": "none: made up"},
        "categories": _categories(),
        "video": number,
        "fps": 1,
        "num_frames": len(times),
    }
    return json.dumps(head | {"annotations": frames}).encode()


def _categories() -> dict[str, dict[str, str]]:
    names = [",".join(triplet) for triplet in TRIPLETS]
    lists = {
        "instrument": INSTRUMENTS, "verb": VERBS, "target": TARGETS, "triplet": names,
        "phase": PHASES,
    }  # fmt: skip
    return {kind: {str(k): name for k, name in enumerate(rows)} for kind, rows in lists.items()}


def generate(out: Path, videos: int, seconds: int, seed: int = 0) -> int:
    """Write the label files of ``videos`` videos and return the number of bytes written.

    Args:
        out: dataset root, which is created if needed.
        seconds: number of annotated seconds per video, at least 60.
    """
    triplets = triplet_choices()
    (out / "labels").mkdir(parents=True, exist_ok=True)
    total = (out / "label_mapping.txt").write_text(mapping_text())
    for number in video_numbers(videos):
        data = label_file(number, seconds, seed, triplets)
        total += (out / "labels" / f"VID{number:02d}.json").write_bytes(data)
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--videos", type=int, default=50)
    parser.add_argument("--seconds", type=int, default=2000, help="annotated seconds per video")
    parser.add_argument("--scale", type=int, default=1, help="factor for the number of videos")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    if args.videos < 1 or args.scale < 1 or args.seconds < 60:
        parser.error("needs at least 1 video, scale 1 and 60 seconds")
    total = generate(args.out, args.videos * args.scale, args.seconds, args.seed)
    print(f"{args.videos * args.scale} videos, {total / 1e6:.1f} MB in {args.out}")


if __name__ == "__main__":
    main()
