"""A detector, run by PyTorch or ONNX Runtime: takes images, returns boxes in pixels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np

from surgqa.ontology.errors import Unsupported
from surgqa.transforms.evidence.base import at_hand, shared, weights_digest
from surgqa.transforms.evidence.detect import pictures as geometry
from surgqa.transforms.evidence.detect.settings import DetectSettings

RUNTIMES = {".pt": ("torch", "ultralytics"), ".onnx": ("onnxruntime",)}
"""Suffix of the weights -> packages whose arithmetic affects the result."""


class Model(Protocol):
    """What PyTorch and ONNX models have in common; see :class:`Detector` for the attributes."""

    names: tuple[str, ...]
    batch: int
    device: str

    def input_hw(self, picture_hw: tuple[int, int]) -> tuple[int, int]:
        """Height and width of the model's input for images of this size."""

    def run(self, pictures: np.ndarray) -> np.ndarray:
        """Run the model on float32 (batch, 3, H, W), RGB in [0, 1].

        Return float32: (batch, N, 6) boxes, or (batch, 4 + classes, N) proposals that overlap.
        """


def check_weights(settings: DetectSettings) -> None:
    """Check by the file name that a runtime can read the weights.

    Raises:
        UserError: the suffix is neither ``.pt`` nor ``.onnx``.
    """
    if Path(settings.weights).suffix not in RUNTIMES:
        raise Unsupported(
            "no runtime reads weights with this suffix",
            expected=" or ".join(sorted(RUNTIMES)), found=Path(settings.weights).name,
            fix="export them: YOLO(WEIGHTS).export(format='onnx')",
        )  # fmt: skip


class Detector:
    """A detector with its weights; a process loads the same weights with the same settings once.

    Attributes:
        names: class names of the weights, by number.
        batch: images that the model processes at once.
        device: the device it runs on, ``cpu`` or ``cuda:N``.

    Raises:
        SourceMissing: the weights or the device do not exist.
        SourceBroken: the file cannot be read.
        UserError: a package is missing, or the weights are not a detector.
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
        self._settings = settings
        self.names, self.batch = self._model.names, self._model.batch
        self.device = self._model.device

    def boxes(self, pictures: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Return the boxes in each image, highest score first.

        Args:
            pictures: B of uint8 (H, W, 3), RGB, all of the same size, at least one.

        Returns:
            B arrays of float64 (K, 6): x1, y1, x2, y2 in pixels, score, class.
        """
        # Importing the library and loading models sets OpenCV to one thread for each core.
        cv2.setNumThreads(1)
        model, size = self._model, (int(pictures[0].shape[0]), int(pictures[0].shape[1]))
        place = geometry.fit(size, model.input_hw(size))
        out: list[np.ndarray] = []
        for start in range(0, len(pictures), model.batch):
            part = pictures[start : start + model.batch]
            output = model.run(geometry.prepared(part, place, model.batch))
            out += [
                geometry.found(values, len(self.names), place, size, self._settings)
                for values in output[: len(part)]
            ]
        return out


def _load(weights: Path, settings: DetectSettings) -> Model:
    if weights.suffix == ".onnx":
        from surgqa.transforms.evidence.detect.onnx_model import OnnxModel

        return OnnxModel(weights, settings)
    from surgqa.transforms.evidence.detect.torch_model import TorchModel

    return TorchModel(weights, settings)
