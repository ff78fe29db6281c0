"""Small stores over rendered scenes, and annotators who know the truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surgqa.ontology.observed import FRAMES
from surgqa.transforms.labelling.sheet import Drawn, RoundSheet
from surgqa.transforms.labelling.view import StoreView
from surgqa.transforms.media.digests import media_digest
from surgqa.transforms.store.evidence import stored_schema
from tests.fixtures.scenes.scenes import Scene

SECOND = 1_000_000
SIZE = (160, 96)
MEDIUM = "0" * 64
"""Digest of the content of a video without pictures."""

Row = dict[str, Any]


def box(second: int, label: str = "grasper", score: float = 0.95, **more: Any) -> Row:
    """One observed box at a whole second; its place follows from the label."""
    at = 0.1 + 0.12 * (sum(map(ord, label)) % 5)
    row = {
        "time_us": second * SECOND, "frame": second, "kind": "instrument", "label": label,
        "x1": at, "y1": at, "x2": at + 0.25, "y2": at + 0.25, "score": score,
        "visibility": None, "state": None, "track": None, "origin": "detector",
    }  # fmt: skip
    return row | more


def spaced_hash(number: int) -> int:
    """Hashes that are far from one another: 64 bits of a multiplicative sequence."""
    return (number + 1) * 0x9E3779B97F4A7C15 % 2**64


def write_store(
    folder: Path,
    boxes: Mapping[str, Sequence[Row]],
    seconds: int = 20,
    hashes: Callable[[str, int], int] | None = None,
    facts: Mapping[str, Mapping[str, Any]] | None = None,
    media: Path | None = None,
) -> Path:
    """A store of videos sampled once a second; its pictures are in ``media``."""
    for number, (video_id, rows) in enumerate(boxes.items()):
        place = folder / "videos" / video_id
        place.mkdir(parents=True)
        pick = hashes or (lambda video, second, n=number: spaced_hash(n * 1000 + second))
        frames = [
            dict.fromkeys(FRAMES.names)
            | {"time_us": s * SECOND, "frame": s, "trusted": True, "dhash": pick(video_id, s)}
            for s in range(seconds)
        ]
        schema = stored_schema("frames")
        plain = [{name: row[name] for name in schema.names} for row in frames]
        pq.write_table(pa.Table.from_pylist(plain, schema), place / "frames.parquet")
        table = pa.Table.from_pylist(list(rows), stored_schema("boxes"))
        order = [(n, "ascending") for n in ("time_us", "kind", "label", "x1", "y1")]
        pq.write_table(table.sort_by(order), place / "boxes.parquet")
        content = media_digest(media / video_id, video_id, {}) if media else MEDIUM
        medium = {"kind": "frames", "path": video_id, "fps": [1, 1], "sha256": content,
                  "width": SIZE[0], "height": SIZE[1]}  # fmt: skip
        told = {"video_id": video_id, "dataset": "made", "medium": medium}
        (place / "video.json").write_bytes(
            orjson.dumps({**told, **(facts or {}).get(video_id, {})})
        )
    (folder / "store.json").write_bytes(orjson.dumps({"dataset": "made"}))
    roots = {video_id: str(media or folder.parent) for video_id in boxes}
    (folder / "local.json").write_bytes(orjson.dumps({"roots": roots}))
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Callable[..., Path]:
    """``store(boxes, seconds=..., hashes=..., facts=...)`` writes a store without pictures."""
    return lambda boxes, **more: write_store(tmp_path / "store", boxes, **more)


@pytest.fixture(scope="session")
def scenes() -> dict[str, Scene]:
    """Four rendered videos of twenty seconds, one frame a second."""
    return {
        f"VID{n:02d}": Scene(n, 20, 1, SIZE, ("grasper", "hook", "clipper"), busy=0.7)
        for n in range(4)
    }


PAINT = {"grasper": (40, 90, 230), "hook": (30, 210, 60), "clipper": (220, 40, 220)}


def painted(scene: Scene, second: int) -> np.ndarray:
    """The scene's picture, every box filled with its label's colour: easy to learn from."""
    picture = scene.picture(second)
    scale = np.array([*SIZE, *SIZE])
    for row in truth_rows(scene):
        if row["frame"] == second:
            place = np.array([row[c] for c in ("x1", "y1", "x2", "y2")]) * scale
            x1, y1, x2, y2 = (int(v) for v in place.round())
            picture[y1:y2, x1:x2] = PAINT[row["label"]]
    return picture


@pytest.fixture(scope="session")
def media(
    tmp_path_factory: pytest.TempPathFactory, scenes: Mapping[str, Scene]
) -> tuple[Path, Mapping[tuple[str, int], int]]:
    """Folder of the scenes' pictures, and their hashes."""
    folder, found = tmp_path_factory.mktemp("scenes") / "media", {}
    for video_id, scene in scenes.items():
        (folder / video_id).mkdir(parents=True)
        for second in range(scene.frames):
            picture = painted(scene, second)
            cv2.imwrite(str(folder / video_id / f"{second:06d}.png"), picture[..., ::-1])
            found[video_id, second] = dhash(picture)
    return folder, found


@pytest.fixture
def rendered(tmp_path: Path, scenes: Mapping[str, Scene], media) -> Path:
    """A store over the scenes' pictures; what it observed is the truth with mistakes."""
    folder, found = media
    boxes = {video_id: mistaken(scene) for video_id, scene in scenes.items()}
    return write_store(tmp_path / "store", boxes, hashes=lambda v, s: found[v, s], media=folder)


def dhash(picture: np.ndarray) -> int:
    """64-bit difference hash."""
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    small = cv2.resize(grey, (9, 8), interpolation=cv2.INTER_AREA).astype(int)
    bits = (small[:, 1:] > small[:, :-1]).ravel()
    return sum(int(bit) << n for n, bit in enumerate(bits))


def mistaken(scene: Scene) -> list[Row]:
    """The truth, but every fifth frame unsure, every seventh mislabelled, some boxes lost."""
    rows = []
    for row in truth_rows(scene):
        second = row["frame"]
        row |= {"score": 0.3 if second % 5 == 0 else 0.92, "origin": "detector", "track": None}
        if second % 7 == 3:
            row["label"] = "bipolar"
        if second % 6 != 5:
            rows.append(row)
    return rows


def truth_rows(scene: Scene) -> list[Row]:
    """The scene's own boxes in the store's columns."""
    return scene.boxes().select(stored_schema("boxes").names).to_pylist()


@pytest.fixture
def view(rendered: Path) -> StoreView:
    """The store over rendered pictures."""
    return StoreView(rendered)


def perfect(sheet: RoundSheet, scenes: Mapping[str, Scene]) -> RoundSheet:
    """The sheet as an annotator who knows the truth leaves it: a box keeps its id where one
    of the same place was exported, whatever its label was."""
    frames = []
    for frame in sheet.frames:
        known = [r for r in truth_rows(scenes[frame.video_id]) if r["frame"] == frame.frame]
        left = list(frame.boxes)
        boxes = []
        for row in known:
            place = (row["x1"], row["y1"], row["x2"], row["y2"])
            old = next((one for one in left if one.box_xyxy == place), None)
            if old:
                left.remove(old)
            name = old.box_id if old else ""
            boxes.append(Drawn(name, row["kind"], row["label"], place, None))
        frames.append(replace(frame, boxes=tuple(boxes)))
    return replace(sheet, frames=tuple(frames))
