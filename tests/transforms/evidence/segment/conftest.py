"""A small drawn world with known masks, a predictor that follows colours, the whole way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from surgqa.ontology.observed import BOXES
from surgqa.transforms.evidence.segment import (
    Extractor,
    MaskPrompt,
    SegmentSettings,
    plan_windows,
    prompts,
    stitch,
)
from surgqa.transforms.evidence.segment.masks import tight_box
from surgqa.transforms.evidence.segment.predictor import PredictedMask
from surgqa.transforms.media import Samples

SECOND_US = 1_000_000
HEIGHT, WIDTH = 72, 96
GROUND = (90, 40, 40)


@dataclass(frozen=True)
class Thing:
    """A disc or a square of one colour; ``where`` gives its centre or None at a sample."""

    track: int
    label: str
    colour: tuple[int, int, int]
    radius: float
    where: Callable[[int], tuple[float, float] | None]
    round: bool = True


@dataclass(frozen=True)
class World:
    """Things over a plain ground, one sample a second; later things are in front."""

    samples: int
    things: Sequence[Thing]

    @property
    def at(self) -> Samples:
        index = np.arange(self.samples, dtype=np.int64)
        return Samples(index * SECOND_US, index * 25)

    def masks(self, sample: int) -> dict[int, np.ndarray]:
        """What is seen of each thing, by track; things that are not seen are left out."""
        seen: dict[int, np.ndarray] = {}
        y, x = np.mgrid[0:HEIGHT, 0:WIDTH] + 0.5
        for thing in self.things:
            centre = thing.where(sample)
            if centre is None:
                continue
            dx, dy = x - centre[0], y - centre[1]
            away = np.hypot(dx, dy) if thing.round else np.maximum(abs(dx), abs(dy))
            shape = away <= thing.radius
            seen = {track: mask & ~shape for track, mask in seen.items()}
            seen[thing.track] = shape
        return {track: mask for track, mask in seen.items() if mask.any()}

    def picture(self, sample: int) -> np.ndarray:
        image = np.full((HEIGHT, WIDTH, 3), GROUND, np.uint8)
        colours = {thing.track: thing.colour for thing in self.things}
        for track, mask in self.masks(sample).items():
            image[mask] = colours[track]
        return image

    def boxes(self, tracked: bool = True) -> pa.Table:
        labels = {thing.track: thing.label for thing in self.things}
        rows = [
            boxed(sample, track if tracked else None, tight_box(mask), labels[track])
            for sample in range(self.samples)
            for track, mask in self.masks(sample).items()
        ]
        return box_table(rows)


def boxed(sample, track, corners, label="grasper", score=0.9, origin="detector"):
    """A row of BOXES at a sample of a second each."""
    x1, y1, x2, y2 = corners
    kind = "tissue" if label in ("liver", "gallbladder") else "instrument"
    return {
        "time_us": sample * SECOND_US, "frame": sample * 25, "kind": kind, "label": label,
        "x1": x1, "y1": y1, "x2": x2, "y2": y2, "score": score, "track": track,
        "origin": origin,
    }  # fmt: skip


def box_table(rows: list[dict]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=BOXES)


@dataclass
class ColourPredictor:
    """Takes the commonest colour inside the prompt that is not the ground's, and follows it.

    Stands in for SAM2: same calls, same answers in form; it sees pictures and prompts only.
    """

    noise: bool = False
    seen: list[int] = field(default_factory=list)  # pictures of each call

    def track(
        self, pictures: Sequence[np.ndarray], prompts: Sequence[MaskPrompt]
    ) -> Iterator[PredictedMask]:
        self.seen.append(len(pictures))
        assert list(prompts) == sorted(prompts, key=lambda p: (p.object, p.offset))
        found = []
        for number in sorted({p.object for p in prompts}):
            own = [p for p in prompts if p.object == number]
            for offset in range(own[0].since, own[0].until):
                now = max((p for p in own if p.offset <= offset), default=own[0],
                          key=lambda p: p.offset)  # fmt: skip
                colour = self._colour(pictures[now.offset], now)
                mask = (pictures[offset] == colour).all(2)
                found.append(PredictedMask(offset, number, self._spoilt(mask, offset), 0.87654321))
        yield from reversed(found)

    def _colour(self, picture: np.ndarray, prompt: MaskPrompt) -> np.ndarray:
        height, width = picture.shape[:2]
        if prompt.box is None:
            x, y = prompt.point
            return picture[int(y * height), int(x * width)]
        x1, y1, x2, y2 = np.rint(np.array(prompt.box) * [width, height, width, height]).astype(int)
        inside = picture[y1:y2, x1:x2].reshape(-1, 3)
        inside = inside[(inside != GROUND).any(1)]
        colours, counts = np.unique(inside, axis=0, return_counts=True)
        return colours[counts.argmax()]

    def _spoilt(self, mask: np.ndarray, offset: int) -> np.ndarray:
        """Single pixels turned over, away from each other."""
        if not self.noise or not mask.any():
            return mask
        mask = mask.copy()
        mask[offset % 5 :: 9, 2::9] ^= True
        return mask


@pytest.fixture
def settings(tmp_path: Path) -> SegmentSettings:
    """Small windows; the weights file is there and is never opened."""
    weights = tmp_path / "weights.pt"
    weights.write_bytes(b"not looked at")
    return SegmentSettings(
        weights=weights, window=8, overlap=3, hole_px=0, speck_px=0, tolerance_px=0.0,
        least_area=0.0,
    )  # fmt: skip


def straight(x, y, dx, dy):
    return lambda sample: (x + dx * sample, y + dy * sample)


@pytest.fixture
def crossing() -> World:
    """Two of a label that cross, one that leaves and comes back, tissue below them."""

    def visitor(sample: int) -> tuple[float, float] | None:
        return None if 6 <= sample < 13 else (70.0, 15.0 + sample)

    return World(20, [
        Thing(3, "liver", (150, 60, 50), 18, straight(48, 50, 0.2, 0), round=False),
        Thing(0, "grasper", (200, 200, 210), 7, straight(10, 30, 4, 0.5)),
        Thing(1, "grasper", (60, 90, 220), 6, straight(86, 36, -4, 0)),
        Thing(2, "hook", (230, 220, 90), 5, visitor),
    ])  # fmt: skip


def run(world: World, settings: SegmentSettings, predictor, boxes=None, trusted=None, order=None):
    """Windows, prompts, masks; returns the windows' tables and the stitched one."""
    boxes = world.boxes() if boxes is None else boxes
    trusted = np.ones(world.samples, bool) if trusted is None else trusted
    extractor, at = Extractor(settings, predictor), world.at
    tables = []
    for window in plan_windows(world.samples, settings):
        part = slice(window.first, window.last)
        pictures = [world.picture(s) for s in range(window.first, window.last)]
        asked = prompts(window, boxes, at, settings).prompts
        tables.append(extractor.segment(
            window, pictures, at.times_us[part], at.frames[part], trusted[part], asked
        ))  # fmt: skip
    ordered = [tables[i] for i in (order or range(len(tables)))]
    return tables, stitch(ordered, settings)


@pytest.fixture
def world_kit():
    """The helpers above, for tests that cannot import this file."""
    import types

    return types.SimpleNamespace(
        World=World, Thing=Thing, ColourPredictor=ColourPredictor, run=run, boxed=boxed,
        box_table=box_table, straight=straight, SECOND_US=SECOND_US, size=(HEIGHT, WIDTH),
    )  # fmt: skip
