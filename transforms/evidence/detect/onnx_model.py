"""ONNX Runtime: runs detectors exported by ultralytics, without PyTorch."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np

from surgqa.ontology.errors import DeviceMissing, UserError, WeightsBroken
from surgqa.ontology.plugins import needed
from surgqa.transforms.evidence.detect.pictures import padded_size
from surgqa.transforms.evidence.detect.settings import DetectSettings

EXPORT = "export it again with ultralytics: YOLO(WEIGHTS).export(format='onnx', imgsz=SIZE)"

CPU, CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"


class OnnxModel:
    """An ONNX Runtime session with one thread.

    Attributes:
        names: class names, by number.
        batch: number of images that the model takes at once; the settings' if the file has none.
        device: ``cpu`` or ``cuda:N``.

    Args:
        weights: the file.
        settings: device, image size, batch.

    Raises:
        UserError: ONNX Runtime is not installed, the file does not state its class names, or it is
            not a detector of boxes.
        SourceBroken: not an ONNX file.
        SourceMissing: the requested device does not exist.
    """

    def __init__(self, weights: Path, settings: DetectSettings) -> None:
        self._session = _session(weights, settings)
        self.device = _ran_on(self._session)
        metadata = self._session.get_modelmeta().custom_metadata_map
        self.names = _names(metadata, weights)
        taken = self._session.get_inputs()[0]
        self._input, self._half = taken.name, "float16" in taken.type
        batch, channels, self._height, self._width = taken.shape
        boxed = metadata.get("task", "detect") == "detect"
        if len(self._session.get_outputs()) != 1 or channels != 3 or not boxed:
            raise WeightsBroken(
                "the weights are not a box detector", where=weights.name, fix=EXPORT
            )
        self.batch = batch if isinstance(batch, int) else settings.batch
        fixed = isinstance(self._height, int) and isinstance(self._width, int)
        self._open_size = None if fixed else _export_size(metadata, weights)
        if settings.precision == "fp16" and not self._half:
            raise WeightsBroken(
                "the file computes in fp32", expected="precision fp32", found="fp16",
                where=weights.name, fix="use precision fp32, or export with half=True",
            )  # fmt: skip

    def input_hw(self, picture_hw: tuple[int, int]) -> tuple[int, int]:
        """Height and width of the model's input for images of this size."""
        if self._open_size is None:
            return self._height, self._width
        return padded_size(picture_hw, self._open_size)

    def run(self, pictures: np.ndarray) -> np.ndarray:
        """Run the model; arrays as in :meth:`~.detector.Model.run`."""
        given = pictures.astype(np.float16) if self._half else pictures
        return self._session.run(None, {self._input: given})[0]


def _session(weights: Path, settings: DetectSettings) -> Any:
    with needed("detection with .onnx weights", "onnxruntime", "onnx"):
        import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(
            str(weights), options, providers=_providers(onnxruntime, settings.device)
        )
    except UserError:
        raise
    except Exception as error:  # noqa: BLE001 - the runtime's own exceptions share no base
        raise WeightsBroken(
            "the weights of the detector cannot be read", found=str(error).split("\n")[0][:200],
            where=weights.name, fix=EXPORT,
        ) from None  # fmt: skip


def _providers(onnxruntime: Any, device: str) -> list[Any]:
    """Execution providers for the model, best first; the CPU runs what a GPU cannot."""
    there = CUDA in onnxruntime.get_available_providers()
    if device == "cpu" or (device == "auto" and not there):
        return [CPU]
    if not there:
        raise DeviceMissing(
            f"no device {device} for ONNX Runtime", expected=CUDA, found=CPU,
            fix="use --device cpu, or install onnxruntime-gpu",
        )  # fmt: skip
    number = int(device.partition(":")[2] or 0) if device != "auto" else 0
    return [(CUDA, {"device_id": number}), CPU]


def _ran_on(session: Any) -> str:
    """Return the device of the first provider that accepted the model."""
    if session.get_providers()[0] != CUDA:
        return "cpu"
    return f"cuda:{session.get_provider_options()[CUDA].get('device_id', 0)}"


def _export_size(metadata: dict[str, str], weights: Path) -> int:
    """Return the longer side at which a file was exported that takes images of any size."""
    try:
        return max(ast.literal_eval(metadata["imgsz"]))
    except (KeyError, ValueError, SyntaxError, TypeError):
        raise WeightsBroken(
            "the file does not state the size of its input", expected="metadata 'imgsz'",
            found=", ".join(sorted(metadata)) or "no metadata", where=weights.name, fix=EXPORT,
        ) from None  # fmt: skip


def _names(metadata: dict[str, str], weights: Path) -> tuple[str, ...]:
    """Class names from the metadata that the export writes."""
    try:
        names = ast.literal_eval(metadata["names"])
        return tuple(str(names[number]) for number in range(len(names)))
    except (KeyError, ValueError, SyntaxError, TypeError):
        raise WeightsBroken(
            "the file does not state its class names", expected="metadata 'names'",
            found=", ".join(sorted(metadata)) or "no metadata", where=weights.name, fix=EXPORT,
        ) from None  # fmt: skip
