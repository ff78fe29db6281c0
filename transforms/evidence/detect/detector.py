"""A detector on either runtime: pictures in, boxes in pixels out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np

from ontology.errors import UserError
from transforms.evidence.base import at_hand, shared, weights_digest
from transforms.evidence.detect import pictures as geometry
from transforms.evidence.detect.settings import DetectSettings

RUNTIMES = {".pt": ("torch", "ultralytics"), ".onnx": ("onnxruntime",)}
"""Suffix of the weights -> packages whose arithmetic shows in the result."""


class Model(Protocol):
    """What both runtimes offer."""

    names: tuple[str, ...]
    batch: int
    device: str

    def input_hw(self, picture_hw: tuple[int, int]) -> tuple[int, int]:
        """Height and width of the input for pictures of this size."""

    def run(self, pictures: np.ndarray) -> np.ndarray:
        """float32 (batch, 3, H, W) to (batch, N, 6) or (batch, 4 + classes, N)."""


def check_weights(settings: DetectSettings) -> None:
    """Refuse weights that no runtime reads, by their name alone.

    Raises:
        UserError: neither ``.pt`` nor ``.onnx``.
    """
    if Path(settings.weights).suffix not in RUNTIMES:
        raise UserError(
            "weights of a kind that no runtime here reads",
            expected=" or ".join(sorted(RUNTIMES)), found=Path(settings.weights).name,
            fix="export them: YOLO(WEIGHTS).export(format='onnx')",
        )  # fmt: skip


class Detector:
    """The model of this process for some settings.

    Attributes:
        names: class names of the weights, by number.
        batch: pictures the model sees at once.
        device: what it runs on, ``cpu`` or ``cuda:N``.

    Raises:
        SourceMissing: no such weights, or no such device.
        SourceBroken: the file cannot be read.
        UserError: a package is missing, or these are not weights of a detector.
    """

    def __init__(self, settings: DetectSettings) -> None:
        check_weights(settings)
        digest = weights_digest(settings.weights, settings.sha256)
        key = (
            "detect", digest, settings.device, settings.precision, settings.nms,
            settings.image_size, settings.batch,
        )  # fmt: skip
        self._model = shared(
            key, lambda: _load(at_hand(settings.weights, settings.sha256), settings)
        )
        self._limits = geometry.Limits(settings.confidence, settings.iou, settings.most)
        self.names, self.batch = self._model.names, self._model.batch
        self.device = self._model.device

    def boxes(self, pictures: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Boxes in each picture, strongest first.

        Args:
            pictures: B of uint8 (H, W, 3), RGB, all of one size, at least one.

        Returns:
            B arrays of float64 (K, 6): x1, y1, x2, y2 in pixels, score, class.
        """
        # The library's import and its models set OpenCV's threads to as many as there are cores.
        cv2.setNumThreads(1)
        model, size = self._model, (int(pictures[0].shape[0]), int(pictures[0].shape[1]))
        place = geometry.fit(size, model.input_hw(size))
        out: list[np.ndarray] = []
        for start in range(0, len(pictures), model.batch):
            part = pictures[start : start + model.batch]
            output = model.run(geometry.prepared(part, place, model.batch))
            out += [
                geometry.found(values, len(self.names), place, size, self._limits)
                for values in output[: len(part)]
            ]
        return out


def _load(weights: Path, settings: DetectSettings) -> Model:
    if weights.suffix == ".onnx":
        from transforms.evidence.detect.onnx_model import OnnxModel

        return OnnxModel(weights, settings)
    from transforms.evidence.detect.torch_model import TorchModel

    return TorchModel(weights, settings)
