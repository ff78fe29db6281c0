"""Drawn stores show the signs, and drawn reviews give the fitness, of this version."""

from __future__ import annotations

import numpy as np

from surgqa.ontology.keys import digest
from surgqa.transforms.labelling.choose import choose, draw, hold_out
from surgqa.transforms.labelling.fitness import Entitling, ReviewedVideo, fitness_of
from surgqa.transforms.labelling.settings import Choosing
from surgqa.transforms.labelling.signs import seen
from surgqa.transforms.labelling.view import StoreView
from tests.transforms.labelling.conftest import SECOND, Row, box, spaced_hash, write_store

LABELS = (("grasper", "instrument"), ("hook", "instrument"), ("liver", "tissue"))
SCORES = (0.05, 0.3, 0.45, 0.5, 0.55, 0.8, 0.95)


def drawn_boxes(dice: np.random.Generator, seconds: int) -> list[Row]:
    """Up to three boxes a second; tracks that end, change their label or jump to another place."""
    rows = []
    for second in range(seconds):
        for track in range(3):
            if dice.random() < 0.35:
                continue
            label, kind = LABELS[track if dice.random() < 0.85 else dice.integers(0, 3)]
            left, top = dice.choice([0.1, 0.2, 0.4], 2).tolist()
            rows.append(box(second, label, float(dice.choice(SCORES)), kind=kind, x1=left, y1=top,
                            x2=left + 0.25, y2=top + 0.25,
                            track=None if dice.random() < 0.2 else track + 3 * (second // 7),
                            origin=str(dice.choice(["detector", "detector", "mask"]))))  # fmt: skip
    return rows


def test_drawn_stores_show_the_signs_of_this_version(tmp_path):
    told = []
    for seed in range(12):
        dice = np.random.default_rng(seed)
        seconds = int(dice.integers(4, 60))
        videos = {f"V{k}": drawn_boxes(dice, seconds) for k in range(1 + seed % 4)}
        bits = dice.integers(0, 4, seconds).tolist()
        looks = [spaced_hash(second // 3) ^ bit for second, bit in enumerate(bits)]
        folder = write_store(tmp_path / str(seed), videos, seconds,
                             lambda video, second, looks=looks: looks[second],
                             {"V1": {"metadata": {"surgery": "s"}}})  # fmt: skip
        view, settings = StoreView(folder), Choosing(seed=seed)
        held = hold_out(view, 0.2)
        told += [held, [seen(view, video, settings) for video in view.videos()],
                 choose(view, 9, settings, held), draw(view, 9, settings, held)]  # fmt: skip
    assert digest(str(told))[:12] == "2387fbfd0a0b", "other frames are chosen: say so in CHANGELOG"


def test_drawn_reviews_give_the_fitness_of_this_version():
    told = []
    for seed in range(80):
        dice = np.random.default_rng(seed)
        videos = []
        for k in range(int(dice.integers(1, 4))):
            times = np.cumsum(dice.choice([SECOND, SECOND, SECOND // 2, 4 * SECOND], 300))
            there = {label: np.repeat(dice.integers(0, 3, 60) * (dice.random(60) < 0.3), 5)
                     for label, _ in LABELS[:2]}  # fmt: skip
            reviewed = np.flatnonzero(np.repeat(dice.random(30) < dice.choice([0.5, 1]), 10))
            wrong = dice.choice([0, 0.002, 0.05])
            found = {label: np.where(dice.random(300) < wrong, dice.integers(0, 3, 300), many)
                     for label, many in there.items()}  # fmt: skip
            true = {label: many[reviewed] for label, many in there.items()}
            videos.append(ReviewedVideo(f"V{k}", times, found, reviewed, true))
        settings = Entitling(risk=float(dice.choice([0.05, 0.2])), block_us=8 * SECOND)
        told.append(fitness_of(videos, ["grasper", *["hook"] * (seed % 2)], "x", settings))
    assert digest(str(told))[:12] == "270148493b49", (
        "silence is believed elsewhere: say so in CHANGELOG"
    )
