"""Drawn boxes get the tracks of this version.

Everything is drawn from coarse grids, so that limits are met exactly and costs are equal.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from surgqa.ontology.keys import digest
from surgqa.transforms.evidence.link.appearance import BYTES

LABELS = (("grasper", "instrument"), ("hook", "instrument"), ("liver", "tissue"))


def test_drawn_boxes_get_the_tracks_of_this_version(film, tracked: Callable[..., pa.Table]):
    told = []
    for seed in range(120):
        dice = np.random.default_rng(seed)
        made = film(fps=(1, 5, 25)[seed % 3], instants=int(dice.integers(2, 40)))
        looks = [bytes(dice.integers(0, 3, BYTES).astype(np.uint8) * 40) for _ in range(3)]
        for _ in range(int(dice.integers(1, 6))):
            place, step = dice.integers(1, 9, 2) / 10, dice.integers(-2, 3, 2) / 50
            label, kind = LABELS[dice.integers(0, 3)]
            for at in range(made.instants):
                place = np.clip(place + step * dice.integers(0, 2), 0.05, 0.95).round(3)
                step = np.where(dice.random(2) < 0.1, -step, step)
                for _ in range(int(dice.choice([0, 1, 1, 1, 1, 2]))):
                    other = dice.random() < 0.1 and kind == "instrument"
                    made.add(at, *place.tolist(), "scissors" if other else label, kind=kind,
                             score=float(dice.choice([0.05, 0.1, 0.3, 0.5, 0.8])),
                             size=float(dice.choice([0.1, 0.1, 0.12])),
                             origin="manual" if dice.random() < 0.03 else "detector",
                             looks=looks[dice.integers(0, 3)] if seed % 4 else None)  # fmt: skip
        rows = tracked(made).drop_columns(["appearance"]).to_pylist()
        told.append([[round(one, 4) if isinstance(one, float) else one for one in row.values()]
                     for row in rows])  # fmt: skip
    assert {row[-1] for rows in told for row in rows} == {"detector", "interpolated", "manual"}
    assert digest(str(told))[:12] == "b4c10eda744b", "tracks change: say so in CHANGELOG"
