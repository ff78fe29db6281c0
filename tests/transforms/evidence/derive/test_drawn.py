"""Whole drawn videos give the evidence of this version.

Times and places are drawn from coarse grids, so that limits are often met exactly.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from surgqa.ontology.keys import digest
from surgqa.transforms.evidence.derive import DeriveSettings, derive

VIDEOS, SECONDS = 60, 24
STEPS = np.array([0, 0, 0, 0, 0.005, -0.005, 0.01, -0.01, 0.02, -0.02, 0.05])
TOOLS, TISSUES = ("grasper", "hook", "grasper"), ("liver", "cystic_duct")
STATES, VISIBLE = ("intact", "clipped", "divided", None), ("full", "occluded", None)
KINDS = {
    "approach", "camera_in", "camera_out", "contact", "contact_switch", "cut", "enters",
    "illumination", "intent", "leaves", "onset", "positioned", "speed_peak", "stop",
    "tissue_state", "tissue_visibility", "segment", "shot",
}  # fmt: skip


def held(dice: np.random.Generator, values: tuple, count: int) -> list:
    """Values that each stay for a while."""
    return [values[n] for n in np.repeat(dice.integers(0, len(values), count), dice.integers(1, 12))
            ][:count]  # fmt: skip


def path(dice: np.random.Generator, count: int, start: np.ndarray) -> np.ndarray:
    """(N, 2) places of something that rests, creeps, and sometimes goes far in one direction."""
    steps = STEPS[dice.integers(0, len(STEPS), (count, 2))]
    for first in dice.integers(0, count, 4):
        steps[first : first + 8] = dice.choice([-0.04, -0.02, -0.005, 0, 0.005, 0.02, 0.04], 2)
    return np.clip(np.round(start + np.cumsum(steps, axis=0), 3), 0.04, 0.96)


def video(make, seed: int) -> dict:
    """Boxes, frames, masks and anchors of one drawn video at 5 samples per second or fewer."""
    dice = np.random.default_rng(seed)
    time = make.ticks(SECONDS, (5, 5, 2, 1)[seed % 4])
    zoom = 1.02 ** np.cumsum(np.array(held(dice, (0, 0, 1, -1, 4, -4), len(time))))
    rows, outlines = [], []
    for number, label in enumerate((*TOOLS, *TISSUES)):
        tool = number < len(TOOLS)
        seen = np.array(held(dice, (True, True, True, not tool), len(time)))
        seen &= dice.random(len(time)) > 0.04
        middle = path(dice, len(time), dice.integers(3, 8, 2) / 10)
        if not tool:
            middle = np.broadcast_to(middle[0], middle.shape)
        half = np.round(0.04 * (1 + number % 3) * zoom[:, None] ** (not tool or seed % 2), 4)
        box = np.clip(np.concatenate([middle - half, middle + half], axis=1), 0, 1).round(3)
        if tool and dice.random() < 0.5:  # a whole instrument, which comes from one side
            box[:, dice.integers(0, 2)] = dice.choice([0.0, 0.01])
        more = {} if tool else {"state": held(dice, STATES, len(time)),
                                "visibility": held(dice, VISIBLE, len(time))}  # fmt: skip
        kept = {name: [one for one, there in zip(values, seen, strict=True) if there]
                for name, values in more.items()}  # fmt: skip
        kind = "instrument" if tool else "tissue"
        rows.append(make.box_rows(number, kind, label, time[seen], box[seen], **kept))
        if dice.random() < 0.4:
            there = seen & (dice.random(len(time)) > 0.1)
            outlines.append(make.mask_rows(number, label, time[there], shapes(box[there])))
    looks = np.array(held(dice, (0, 1, 2), len(time))), held(dice, (1.0, 1.0, 0.7, 1.2), len(time))
    pictures = [make.thumb(int(n), light) for n, light in zip(*looks, strict=True)]
    frames = make.frames(time, pictures, [make.histogram(int(n)) for n in looks[0]],
                         (dice.random(len(time)) > 0.03).tolist())  # fmt: skip
    starts = np.sort(dice.integers(0, 2 * SECONDS, 8)) * 500_000
    said = [(start, start + int(dice.integers(0, 5)) * 500_000, *told, bool(dice.integers(0, 2)))
            for start, told in zip(starts.tolist(), held(dice, SAID, 8), strict=True)]  # fmt: skip
    return {"boxes": make.boxes(*rows), "frames": frames, "anchors": make.anchors(*said),
            "masks": make.masks(*outlines)}  # fmt: skip


SAID = (("clipping", "clip"), ("clipping", None), (None, "clip"), ("cleaning", "clip"),
        (None, None))  # fmt: skip


def shapes(boxes: np.ndarray) -> np.ndarray:
    """Bool (N, 36, 64): the lower left half of each box, at least a pixel of it."""
    y, x = (np.mgrid[:36, :64] + 0.5) / np.array([36, 64])[:, None, None]
    x1, y1, x2, y2 = boxes.T[:, :, None, None]
    inside = (x >= x1) & (x <= x2) & (y >= y1) & (y <= y2)
    half = inside & ((x - x1) * (y2 - y1) <= (y - y1) * (x2 - x1))
    return np.where(half.any(axis=(1, 2), keepdims=True), half, (x < 0.02) & (y < 0.03))


def test_drawn_videos_give_the_evidence_of_this_version(make):
    """Ids of happenings are digests of all else in their rows."""
    kinds: Counter[str] = Counter()
    told = []
    for seed in range(VIDEOS):
        out = derive(video(make, seed), SECONDS * 1_000_000, DeriveSettings())
        for table in out.values():
            kinds.update(table["kind"].to_pylist())
        told += [out["happenings"]["happening_id"].to_pylist(), out["stretches"].to_pylist()]
    assert set(kinds) == KINDS and min(kinds.values()) >= 5, kinds
    assert digest(str(told))[:12] == "e4614dffd3c9", "evidence changes: say so in CHANGELOG"
