"""The extractor that finds boxes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from importlib.metadata import PackageNotFoundError, version
from itertools import chain, compress
from pathlib import Path
from typing import Any, ClassVar

import cv2
import numpy as np
import pyarrow as pa

from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.observed import BOXES
from surgqa.transforms.evidence.base import FrameExtractor, Seen, round_box, weights_digest
from surgqa.transforms.evidence.base.rounding import PIXEL_PARTS
from surgqa.transforms.evidence.detect.classes import (
    ClassMap,
    Dropped,
    Meaning,
    mapped,
    read_class_map,
)
from surgqa.transforms.evidence.detect.detector import RUNTIMES, Detector, check_weights
from surgqa.transforms.evidence.detect.settings import DetectSettings
from surgqa.transforms.evidence.link.appearance import describe_all
from surgqa.transforms.media import FrameBatch

ORIGIN = "detector"

_ORDER = ("time_us", "kind", "label", "x1", "y1", "x2", "y2")


class Extractor(FrameExtractor):
    """Boxes of instruments and tissue in single images; they are not linked into tracks.

    Args:
        settings: weights and limits.

    Raises:
        UserError: the weights are neither ``.pt`` nor ``.onnx``; on the first batch, a package is
            missing or the ontology does not know a class.
        SourceMissing: on the first batch or identity, the weights or the device do not exist.
    """

    name: ClassVar[str] = "detect"
    version: ClassVar[int] = 1
    kind: ClassVar[str] = "boxes"
    fills: ClassVar[bool] = True

    def __init__(self, settings: DetectSettings) -> None:
        check_weights(settings)
        self.settings = settings

    @property
    def identity(self) -> dict[str, Any]:
        """Digest of the weights, meaning of the classes, settings, releases.

        The device counts only as it was requested.  With ``auto``, boxes found on a GPU are also
        valid on a machine without one, because they are rounded.
        """
        settings = self.settings
        plain = {
            f.name: getattr(settings, f.name)
            for f in fields(settings)
            if f.name not in ("weights", "sha256", "classes", "device")
        }
        given = repr(sorted(self._class_map().items()))
        return {
            "settings": {**plain, "device": settings.device.partition(":")[0]},
            "weights": weights_digest(settings.weights, settings.sha256),
            "classes": bytes_digest(given.encode()),
            "releases": {name: _release(name) for name in RUNTIMES[Path(settings.weights).suffix]},
            "opencv": cv2.__version__,
        }

    def _class_map(self) -> ClassMap:
        return read_class_map(Path(self.settings.classes)) if self.settings.classes else {}

    def look(self, batch: FrameBatch) -> pa.Table:
        """Boxes in the trusted frames."""
        return self.see(batch).rows

    def facts(self) -> dict[str, Any]:
        """The device that the model runs on, and the meanings of its classes; loads the model."""
        detector = Detector(self.settings)
        meanings = mapped(detector.names, self._class_map())
        classes = {n: _told(m) for n, m in zip(detector.names, meanings, strict=True)}
        return {
            "device": detector.device, "precision": self.settings.precision,
            "batch": detector.batch, "classes": classes,
        }  # fmt: skip

    def see(self, batch: FrameBatch) -> Seen:
        """:meth:`look`, and the number of boxes of each dropped class."""
        return self.see_together([batch])[0]

    def see_together(self, batches: Sequence[FrameBatch]) -> list[Seen]:
        """:meth:`see` for each batch; frames of the same size fill the model's batches together."""
        seen = {n: Seen(BOXES.empty_table(), {}) for n in range(len(batches))}
        sizes: dict[tuple[int, ...], list[int]] = {}
        for n, batch in enumerate(batches):
            if batch.trusted.any():
                sizes.setdefault(batch.pictures[0].shape, []).append(n)
        for mine in sizes.values():
            # Frames that are not trusted are black, and left out.
            pictures = [list(compress(batches[n].pictures, batches[n].trusted)) for n in mine]
            detector = Detector(self.settings)
            boxes = iter(detector.boxes(list(chain.from_iterable(pictures))))
            for n, own in zip(mine, pictures, strict=True):
                seen[n] = self._seen(batches[n], detector, [next(boxes) for _ in own])
        return [*seen.values()]

    def _seen(self, batch: FrameBatch, detector: Detector, found: Sequence[np.ndarray]) -> Seen:
        """Rows of one batch.

        Args:
            found: for each trusted frame its boxes, as returned by the detector.
        """
        meanings = mapped(detector.names, self._class_map())
        rows: list[dict[str, Any]] = []
        dropped: Counter[str] = Counter()
        trusted = np.flatnonzero(batch.trusted).tolist()
        pictures = [batch.pictures[index] for index in trusted]
        corners = [_corners(*both) for both in zip(pictures, found, strict=True)]
        looks = describe_all(
            pictures, [_pixels(*both) for both in zip(pictures, corners, strict=True)]
        )
        for index, boxes, places, look in zip(trusted, found, corners, looks, strict=True):
            told = [(detector.names[int(c)], meanings[int(c)]) for c in boxes[:, 5]]
            dropped.update(name for name, meaning in told if isinstance(meaning, Dropped))
            rows += _rows(batch, index, places, boxes[:, 4], [m for _, m in told], look)
        rows.sort(key=lambda row: (*(row[name] for name in _ORDER), -row["score"]))
        return Seen(pa.Table.from_pylist(rows, schema=BOXES), dict(sorted(dropped.items())))


def _told(meaning: Meaning | Dropped) -> dict[str, str]:
    """The meaning of a class as plain JSON."""
    if isinstance(meaning, Dropped):
        return {"drop": meaning.reason}
    whole = {f.name: getattr(meaning, f.name) for f in fields(meaning)}
    return {name: value for name, value in whole.items() if value is not None}


def _release(package: str) -> str:
    """Installed release of a package, without importing it."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def _corners(picture: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """(N, 4) rounded corners of boxes, as parts of the image's sides."""
    height, width = picture.shape[:2]
    return round_box(boxes[:, :4], width, height)


def _pixels(picture: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """(N, 4) corners in pixels, which rounding has not moved."""
    height, width = picture.shape[:2]
    return np.rint(corners * (width, height, width, height) * PIXEL_PARTS) / PIXEL_PARTS


def _rows(
    batch: FrameBatch, index: int, corners: np.ndarray, scores: np.ndarray,
    told: list[Meaning | Dropped], looks: np.ndarray,
) -> list[dict[str, Any]]:  # fmt: skip
    """Rows of one frame; a box that has no area after rounding gives none."""
    rows: list[dict[str, Any]] = []
    for box, score, meaning, look in zip(corners, scores, told, looks, strict=True):
        if isinstance(meaning, Dropped) or not (box[2] > box[0] and box[3] > box[1]):
            continue
        x1, y1, x2, y2 = box.tolist()
        rows.append({
            "time_us": int(batch.times_us[index]), "frame": int(batch.frames[index]),
            "kind": meaning.kind, "label": meaning.concept,
            "x1": x1, "y1": y1, "x2": x2, "y2": y2, "score": float(score),
            "visibility": meaning.visibility, "state": meaning.state,
            "appearance": look.tobytes(), "track": None, "origin": ORIGIN,
        })  # fmt: skip
    return rows
