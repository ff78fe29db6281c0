"""The PyTorch runtime: any detection weights of ultralytics, without its predictor.

ultralytics is AGPL-3.0 and comes with the extra ``surgqa[detect]`` alone.
"""

from __future__ import annotations

import io
import logging
import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ontology.errors import SourceBroken, SourceMissing, UserError
from transforms.evidence.detect.pictures import padded_size
from transforms.evidence.detect.settings import DetectSettings

EXTRA = "pip install 'surgqa[detect]'"


@cache
def ultralytics() -> Any:
    """The package, with one thread, no downloads, no reports, and its settings elsewhere.

    Raises:
        UserError: it is not installed.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.update(YOLO_OFFLINE="1", YOLO_AUTOINSTALL="0", YOLO_VERBOSE="false")
    # Its settings file would land in the home folder; a folder that goes with the process
    # keeps nothing, and what a user's file says cannot change a result.
    _kept.append(tempfile.TemporaryDirectory(prefix="surgqa-yolo-"))
    os.environ["YOLO_CONFIG_DIR"] = _kept[-1].name
    try:
        with quiet():
            import ultralytics as package
            from ultralytics.utils import torch_utils
    except ImportError as error:
        raise UserError(
            "detection with .pt weights needs a package that is not installed",
            expected="ultralytics", found=str(error),
            fix=f"{EXTRA}; .onnx weights need only 'surgqa[onnx]'",
        ) from None  # fmt: skip
    package.settings.update({"sync": False})
    logging.getLogger("ultralytics").setLevel(logging.ERROR)
    torch_utils.NUM_THREADS = 1
    import cv2
    import torch

    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    return package


@contextmanager
def quiet() -> Iterator[None]:
    """Swallow progress bars and the warnings that libraries have for one another."""
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


_kept: list[tempfile.TemporaryDirectory[str]] = []
"""Temporary folders that live as long as the process."""


def existing(weights: Path) -> Path:
    """The path, if there is such a file.

    Raises:
        SourceMissing: there is none; a bare name would make the library download it.
    """
    if not weights.is_file():
        raise SourceMissing(
            f"no detector weights at {weights.name}", expected="a .pt or .onnx file",
            where=str(weights),
            fix="give the path of a file; surgqa downloads nothing by itself",
        )  # fmt: skip
    return weights


class TorchModel:
    """Weights of ultralytics, run by PyTorch on one thread or on a GPU.

    Attributes:
        names: class names, by number.
        batch: pictures it takes at once.
        device: ``cpu`` or ``cuda:N``.

    Args:
        weights: a ``.pt`` file; loading it runs code that is in it, so it must come from
            someone who is trusted.
        settings: device, precision, head, image size, batch.

    Raises:
        UserError: ultralytics is not installed, or these are not weights of a detector.
        SourceMissing: the device asked for is not there.
    """

    def __init__(self, weights: Path, settings: DetectSettings) -> None:
        package = ultralytics()
        import torch

        self.batch, self._longer = settings.batch, settings.image_size
        self.device = _device(settings.device)
        self._device = torch.device(self.device)
        self._half = settings.precision == "fp16"
        if self._half and self._device.type == "cpu":
            raise UserError("fp16 needs a GPU", expected="precision fp32 on the CPU", found="fp16")
        model = _loaded(package, existing(weights))
        head = model.model[-1]
        if not settings.nms and getattr(head, "one2one_cv2", None) is None:
            raise UserError(
                "these weights have no head that does without removing overlaps",
                expected="nms: true", where=weights.name,
            )  # fmt: skip
        head.end2end = not settings.nms
        head.export = True
        self.names = tuple(str(model.names[number]) for number in range(len(model.names)))
        model = model.float().fuse().eval().to(self._device)
        self._model = model.half() if self._half else model

    def input_hw(self, picture_hw: tuple[int, int]) -> tuple[int, int]:
        """Height and width of the input for pictures of this size."""
        return padded_size(picture_hw, self._longer)

    def run(self, pictures: np.ndarray) -> np.ndarray:
        """float32 (batch, 3, H, W) to (batch, N, 6) or (batch, 4 + classes, N)."""
        import torch

        # Loading another model may have set the threads anew; other counts give other bits.
        torch.set_num_threads(1)
        with torch.inference_mode():
            given = torch.from_numpy(pictures).to(self._device)
            output = self._model(given.half() if self._half else given)
            return output.float().cpu().numpy()


def _loaded(package: Any, weights: Path) -> Any:
    """The network in a ``.pt`` file."""
    try:
        with quiet():
            whole = package.YOLO(str(weights))
    except Exception as error:  # noqa: BLE001 - unpickling can fail in any way
        raise SourceBroken(
            "the detector's file cannot be read", found=str(error).split("\n")[0][:200],
            where=weights.name, fix="give a .pt file that ultralytics wrote",
        ) from None  # fmt: skip
    if whole.task != "detect" or not hasattr(whole.model.model[-1], "reg_max"):
        raise UserError(
            "these weights do not give boxes alone", expected="a YOLO detector",
            found=str(whole.task), where=weights.name,
        )  # fmt: skip
    return whole.model


def _device(wanted: str) -> str:
    import torch

    there = torch.cuda.is_available()
    if wanted == "auto":
        return "cuda:0" if there else "cpu"
    number = int(wanted.partition(":")[2] or 0)
    if wanted != "cpu" and not (there and number < torch.cuda.device_count()):
        raise SourceMissing(
            f"no device {wanted} on this machine", expected="a CUDA device",
            found=f"{torch.cuda.device_count() if there else 0} of them", fix="use --device cpu",
        )  # fmt: skip
    return "cpu" if wanted == "cpu" else f"cuda:{number}"
