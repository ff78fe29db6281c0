"""The extractor that finds boxes with trained weights."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from itertools import chain, compress, islice
from pathlib import Path
from typing import Any, ClassVar

import cv2
import numpy as np
import pyarrow as pa

from surgqa.ontology.errors import PluginBroken
from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.observed import BOXES
from surgqa.ontology.plugins import release
from surgqa.transforms.evidence.base import (
    FrameExtractor,
    Seen,
    round_box,
    round_score,
    weights_digest,
)
from surgqa.transforms.evidence.base.rounding import PIXEL_PARTS
from surgqa.transforms.evidence.detect.classes import (
    ClassMap,
    ClassMeaning,
    Dropped,
    mapped,
    read_class_map,
)
from surgqa.transforms.evidence.detect.detector import RUNTIMES, Detector, check_weights
from surgqa.transforms.evidence.detect.settings import DetectSettings
from surgqa.transforms.evidence.link.appearance import describe_all
from surgqa.transforms.media import FrameBatch

ORIGIN = "detector"
COLUMNS = 6
"""Corners, score and class of a box."""

_ORDER = ("time_us", "kind", "label", "x1", "y1", "x2", "y2")

Classes = Sequence[tuple[str, ClassMeaning | Dropped]]
"""Name and meaning of each class, in the order of their numbers."""


class BoxExtractor(FrameExtractor):
    """Boxes of instruments and tissue in single images; they are not linked into tracks.

    A subclass implements :meth:`classes` and :meth:`boxes`. This class makes the rows, their order
    and rounding, and the columns that linking needs.
    """

    kind: ClassVar[str] = "boxes"

    @abstractmethod
    def classes(self) -> Classes:
        """Return all classes that the detector knows; may load the model.

        A known class that is not detected is not treated as absent, unless 'surgqa label evaluate'
        has measured how often the detector misses the class.
        """

    @abstractmethod
    def boxes(self, pictures: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Return the boxes in each image, which depend on that image alone.

        Args:
            pictures: B of uint8 (H, W, 3), RGB, all of the same size, at least one.

        Returns:
            B arrays of float64 (K, 6): x1, y1, x2, y2 in pixels, score in [0, 1], number of the
                class in :meth:`classes`.
        """

    def look(self, batch: FrameBatch) -> pa.Table:
        """Return the boxes in the trusted frames."""
        return self.see(batch).rows

    def facts(self) -> dict[str, Any]:
        """Return the meanings of the classes, which rules about seen objects need."""
        return {"classes": {name: _meaning_json(meaning) for name, meaning in self.classes()}}

    def see(self, batch: FrameBatch) -> Seen:
        """Return the rows of :meth:`look`, and the number of boxes of each dropped class."""
        return self.see_together([batch])[0]

    def see_together(self, batches: Sequence[FrameBatch]) -> list[Seen]:
        """Return :meth:`see` for each batch. Frames of the same size share the model's batches."""
        seen = {n: Seen(BOXES.empty_table(), {}) for n in range(len(batches))}
        sizes: dict[tuple[int, ...], list[int]] = {}
        for n, batch in enumerate(batches):
            if batch.trusted.any():
                sizes.setdefault(batch.pictures[0].shape, []).append(n)
        for mine in sizes.values():
            # Frames that are not trusted are black, and left out.
            pictures = [list(compress(batches[n].pictures, batches[n].trusted)) for n in mine]
            boxes = iter(self.boxes(list(chain.from_iterable(pictures))))
            for n, own in zip(mine, pictures, strict=True):
                seen[n] = self._seen(batches[n], [*islice(boxes, len(own))])
            if next(boxes, None) is not None:
                raise self._odd("more arrays than pictures")
        return [*seen.values()]

    def _odd(self, found: str) -> PluginBroken:
        return PluginBroken(
            f"the extractor {self.offered_as or self.name!r} returned boxes in a wrong form",
            expected="one array for each picture, with 6 columns: x1, y1, x2, y2, score, class",
            found=found, where=f"{type(self).__module__}.{type(self).__qualname__}",
        )  # fmt: skip

    def _seen(self, batch: FrameBatch, found: Sequence[np.ndarray]) -> Seen:
        """Return the rows of one batch.

        Args:
            found: for each trusted frame its boxes, see :meth:`boxes`.
        """
        classes = self.classes()
        if len(found) < batch.trusted.sum():
            raise self._odd("fewer arrays than pictures")
        for one in found:
            if one.ndim != 2 or one.shape[1] != COLUMNS or (one[:, 5] >= len(classes)).any():
                raise self._odd(f"an array {one.shape}, {len(classes)} classes")
        rows: list[dict[str, Any]] = []
        dropped: Counter[str] = Counter()
        trusted = np.flatnonzero(batch.trusted).tolist()
        pictures = [batch.pictures[index] for index in trusted]
        corners = [_corners(*both) for both in zip(pictures, found, strict=True)]
        looks = describe_all(
            pictures, [_pixels(*both) for both in zip(pictures, corners, strict=True)]
        )
        for index, boxes, places, look in zip(trusted, found, corners, looks, strict=True):
            meanings = [classes[int(c)] for c in boxes[:, 5]]
            dropped.update(name for name, meaning in meanings if isinstance(meaning, Dropped))
            scores = round_score(boxes[:, 4])
            rows += _rows(batch, index, places, scores, [m for _, m in meanings], look)
        rows.sort(key=lambda row: (*(row[name] for name in _ORDER), -row["score"]))
        return Seen(pa.Table.from_pylist(rows, schema=BOXES), dict(sorted(dropped.items())))


def _meaning_json(meaning: ClassMeaning | Dropped) -> dict[str, str]:
    """Return the meaning of a class as plain JSON."""
    if isinstance(meaning, Dropped):
        return {"drop": meaning.reason}
    whole = {f.name: getattr(meaning, f.name) for f in fields(meaning)}
    return {name: value for name, value in whole.items() if value is not None}


def _corners(picture: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Convert the corners of boxes from pixels to [0, 1], rounded, (N, 4)."""
    height, width = picture.shape[:2]
    return round_box(boxes[:, :4], width, height)


def _pixels(picture: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Convert corners from [0, 1] back to pixels, (N, 4)."""
    height, width = picture.shape[:2]
    return np.rint(corners * (width, height, width, height) * PIXEL_PARTS) / PIXEL_PARTS


def _rows(
    batch: FrameBatch, index: int, corners: np.ndarray, scores: np.ndarray,
    meanings: list[ClassMeaning | Dropped], looks: np.ndarray,
) -> list[dict[str, Any]]:  # fmt: skip
    """Return rows of one frame, without boxes that have no area after rounding.

    Args:
        looks: uint8 (N, BYTES), the appearance of each box.
    """
    rows: list[dict[str, Any]] = []
    for box, score, meaning, look in zip(corners, scores, meanings, looks, strict=True):
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


class Extractor(BoxExtractor):
    """Boxes found by an ONNX or PyTorch model.

    Args:
        settings: weights and limits.

    Raises:
        UserError: the weights are neither ``.pt`` nor ``.onnx``; on the first batch, a package is
            missing or the ontology does not know a class.
        SourceMissing: the weights or the device do not exist; noticed at their first use.
    """

    version: ClassVar[int] = 1
    fills: ClassVar[bool] = True
    Settings: ClassVar[type] = DetectSettings
    precisions: ClassVar[tuple[str, str, str]] = ("precision", "fp32", "fp16")
    not_counted: ClassVar[tuple[str, ...]] = ("weights", "sha256", "classes", "device")
    settings: DetectSettings

    def __init__(self, settings: DetectSettings) -> None:
        check_weights(settings)
        super().__init__(settings)

    def basis(self) -> dict[str, Any]:
        """Return settings, digests of weights and class map, and versions of the libraries.

        The identity contains the requested device, not the actual one. With ``auto``, boxes found
        on a GPU are also valid on a machine without a GPU, because they are rounded.
        """
        settings, plain = self.settings, super().basis()["settings"]
        given = repr(sorted(self._class_map().items()))
        releases = {one: release(one) or "none" for one in RUNTIMES[Path(settings.weights).suffix]}
        return {
            "settings": {**plain, "device": settings.device.partition(":")[0]},
            "weights": weights_digest(settings.weights, settings.sha256),
            "classes": bytes_digest(given.encode()),
            "releases": releases,
            "opencv": cv2.__version__,
        }

    def _class_map(self) -> ClassMap:
        return read_class_map(Path(self.settings.classes)) if self.settings.classes else {}

    def classes(self) -> Classes:
        """The names in the weights, with their meanings; loads the model."""
        names = Detector(self.settings).names
        return [*zip(names, mapped(names, self._class_map()), strict=True)]

    def facts(self) -> dict[str, Any]:
        """The device that the model runs on, and the meanings of its classes; loads the model."""
        detector = Detector(self.settings)
        return {
            "device": detector.device, "precision": self.settings.precision,
            "batch": detector.batch, **super().facts(),
        }  # fmt: skip

    def boxes(self, pictures: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Return the model's boxes, highest score first."""
        return Detector(self.settings).boxes(pictures)
