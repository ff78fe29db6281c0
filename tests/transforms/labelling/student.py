"""A stand-in for the detector and its training: it finds boxes by colours it has been taught.

It learns from the YOLO folder alone, as the real one does, and knows nothing of the truth.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import orjson
import pyarrow as pa

from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.observed import BOXES
from surgqa.ontology.yaml import read_yaml
from surgqa.transforms.evidence.base import FrameExtractor, round_box
from surgqa.transforms.evidence.detect import ClassMeaning
from surgqa.transforms.evidence.detect.extractor import Classes
from surgqa.transforms.labelling.training import Taught

CELL = 4
"""Pixels of a square whose mean colour is looked at."""
STEP = 32
"""Colours are remembered this coarsely."""


class Student(FrameExtractor):
    """Nearest remembered colour for every cell; cells of one class that touch make a box."""

    name, version, kind = "student", 1, "boxes"

    def __init__(self, weights: Path) -> None:
        self.known = orjson.loads(weights.read_bytes())

    @property
    def identity(self):
        return {"known": self.known}

    def look(self, batch) -> pa.Table:
        rows = []
        for time_us, frame, picture in zip(
            batch.times_us.tolist(), batch.frames.tolist(), batch.pictures, strict=True
        ):
            for label, box, score in self._boxes(picture):
                x1, y1, x2, y2 = box
                rows.append({
                    **dict.fromkeys(BOXES.names), "time_us": time_us, "frame": frame,
                    "kind": "instrument", "label": label, "x1": x1, "y1": y1, "x2": x2, "y2": y2,
                    "score": score, "origin": "detector",
                })  # fmt: skip
        return pa.Table.from_pylist(rows, BOXES)

    def _boxes(self, picture):
        height, width = picture.shape[:2]
        cells = cells_of(picture)
        names = [name for name, colours in self.known["colours"].items() for _ in colours]
        colours = np.array([c for rows in self.known["colours"].values() for c in rows])
        if not len(colours):
            return
        away = np.abs(cells[:, :, None] - colours).sum(-1)
        nearest = away.argmin(-1)
        for label in sorted({one for one in names if one}):
            mask = np.isin(nearest, [n for n, one in enumerate(names) if one == label])
            count, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
            for x, y, w, h, area in stats[1:count]:
                box = np.array([[x, y, x + w, y + h]]) * CELL
                yield label, round_box(box, width, height)[0].tolist(), round(area / (area + 4), 4)


def cells_of(picture: np.ndarray) -> np.ndarray:
    """float (H / CELL, W / CELL, 3) mean colours."""
    height, width = picture.shape[:2]
    shape = (width // CELL, height // CELL)
    return cv2.resize(picture, shape, interpolation=cv2.INTER_AREA).astype(float)


class StudentTeacher:
    """Remembers the colours inside labelled boxes, and under '' those outside."""

    def classes(self, start: Path) -> Classes:
        if not start.is_file():
            return []
        names = orjson.loads(start.read_bytes())["names"]
        return [(name, ClassMeaning("instrument", name)) for name in names]

    def train(self, data: Path, out: Path, start: Path) -> Taught:
        raw = read_yaml((data / "data.yaml").read_text(), "data.yaml").data["names"]
        names = [raw[key] for key in raw]
        colours: dict[str, list[list[float]]] = {name: [] for name in names} | {"": []}
        pictures = sorted((data / "images" / "train").iterdir())
        for path in pictures:
            cells = cells_of(cv2.imread(str(path))[..., ::-1])
            rows, columns = cells.shape[:2]
            owner = np.full((rows, columns), "", object)
            label = data / "labels" / "train" / f"{path.stem}.txt"
            for line in label.read_text().splitlines():
                number, cx, cy, w, h = (float(v) for v in line.split())
                y = slice(int((cy - h / 2) * rows + 0.5), int((cy + h / 2) * rows + 0.5))
                x = slice(int((cx - w / 2) * columns + 0.5), int((cx + w / 2) * columns + 0.5))
                owner[y, x] = names[int(number)]
            for name in colours:
                colours[name] += (cells[owner == name] // STEP * STEP).tolist()
        colours = {name: sorted(map(list, set(map(tuple, c)))) for name, c in colours.items()}
        out.write_bytes(orjson.dumps({"names": names, "colours": colours}))
        return Taught(out, bytes_digest(out.read_bytes()), {}, {"pictures": len(pictures)})

    def detector(self, weights: Path) -> FrameExtractor:
        return Student(weights)
