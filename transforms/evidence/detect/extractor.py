"""The extractor that finds boxes with trained weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar

import cv2
import numpy as np

from surgqa.ontology.keys import bytes_digest
from surgqa.transforms.evidence.base import weights_digest
from surgqa.transforms.evidence.detect.boxes import BoxExtractor, Classes
from surgqa.transforms.evidence.detect.classes import ClassMap, mapped, read_class_map
from surgqa.transforms.evidence.detect.detector import RUNTIMES, Detector, check_weights
from surgqa.transforms.evidence.detect.settings import DetectSettings


class Extractor(BoxExtractor):
    """Boxes found by an ONNX or PyTorch model.

    Args:
        settings: weights and limits.

    Raises:
        UserError: the weights are neither ``.pt`` nor ``.onnx``; on the first batch, a package is
            missing or the ontology does not know a class.
        SourceMissing: on the first batch or identity, the weights or the device do not exist.
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
        """Return the digest of the weights, meaning of the classes, settings, releases.

        The identity contains the requested device, not the actual one. With ``auto``, boxes found
        on a GPU are also valid on a machine without a GPU, because they are rounded.
        """
        settings = self.settings
        plain = {
            f.name: getattr(settings, f.name)
            for f in fields(settings)
            if f.name not in self.not_counted
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


def _release(package: str) -> str:
    """Installed release of a package, without importing it."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"
