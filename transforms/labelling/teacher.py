"""Train detectors with ultralytics, and run them with ONNX Runtime or PyTorch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ontology.errors import UserError
from transforms.evidence.base import FrameExtractor
from transforms.evidence.detect import DetectSettings, Extractor, TrainSettings, read_class_map
from transforms.labelling.training import Class, Taught

FRESH = ".yaml"
"""Extension of a file that describes a new model; all other files are weights."""


class DetectTeacher:
    """Trains and runs the detectors of ``transforms.evidence.detect``.

    Args:
        training: how to train; ``start`` is set for each training.
        detecting: how to detect; ``weights`` is set for each detector.
        onnx_hw: height and width of an ``.onnx`` file to write next to the weights, pixels,
            multiples of 32; None writes none.
    """

    def __init__(
        self, training: TrainSettings, detecting: DetectSettings,
        onnx_hw: tuple[int, int] | None = None,
    ) -> None:  # fmt: skip
        self._training, self._detecting, self._onnx_hw = training, detecting, onnx_hw

    def classes(self, start: Path) -> list[Class]:
        """Classes of the weights, each with its meaning in the class map or the ontology.

        Raises:
            UserError: the weights cannot be trained, or a class has no known meaning.
            SourceMissing: the weights do not exist.
        """
        from transforms.evidence.detect.classes import Dropped, mapped
        from transforms.evidence.detect.detector import Detector

        if start.suffix == FRESH:
            return []
        if start.suffix != ".pt":
            raise UserError(
                f"{start.name} cannot be trained", expected="a .pt file, or a description such as "
                "yolov10n.yaml", found=start.name, where="--weights",
            )  # fmt: skip
        settings = replace(self._detecting, weights=start)
        given = read_class_map(settings.classes) if settings.classes else {}
        names = Detector(settings).names
        return [
            Class(name, None, None) if isinstance(meaning, Dropped)
            else Class(name, meaning.kind, meaning.concept, meaning.state)
            for name, meaning in zip(names, mapped(names, given), strict=True)
        ]  # fmt: skip

    def train(self, data: Path, out: Path, start: Path) -> Taught:
        """Train; with ``onnx_hw``, also write an ONNX file for machines without PyTorch."""
        from transforms.evidence.detect import export_onnx, train

        begin = start.name if start.suffix == FRESH and not start.is_file() else start
        record = train(data, out, replace(self._training, start=begin))
        others = {}
        if self._onnx_hw is not None:
            path = out.with_suffix(".onnx")
            others["onnx"] = export_onnx(out, path, self._onnx_hw, nms=self._detecting.nms)
        settings = {**record.settings, "epochs_done": record.epochs, "steps_done": record.steps}
        return Taught(record.weights, record.digest, others, settings)

    def detector(self, weights: Path) -> FrameExtractor:
        """The detector with these weights, ``.pt`` or ``.onnx``."""
        return Extractor(replace(self._detecting, weights=weights))
