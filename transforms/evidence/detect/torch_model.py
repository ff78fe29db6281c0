"""PyTorch: runs any detection weights of ultralytics, without its predictor.

ultralytics is AGPL-3.0 and installed only by the extra ``surgqa[detect]``.
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

from surgqa.ontology.errors import Unsupported, WeightsBroken, WeightsMissing
from surgqa.ontology.plugins import needed
from surgqa.transforms.evidence.base import device_of
from surgqa.transforms.evidence.detect.pictures import padded_size
from surgqa.transforms.evidence.detect.settings import DetectSettings


@cache
def ultralytics() -> Any:
    """Import ultralytics: one thread, no downloads, no usage reports, its own settings folder.

    Raises:
        UserError: the package is not installed.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.update(YOLO_OFFLINE="1", YOLO_AUTOINSTALL="0", YOLO_VERBOSE="false")
    # By default its settings file is in the home folder.  A temporary folder leaves nothing
    # behind, and a user's settings file cannot change a result.
    _kept.append(tempfile.TemporaryDirectory(prefix="surgqa-yolo-"))
    os.environ["YOLO_CONFIG_DIR"] = _kept[-1].name
    package_name = "ultralytics; weights exported as .onnx need only onnxruntime"
    with needed("detection with .pt weights", package_name, "detect"), quiet():
        import ultralytics as package
        from ultralytics.utils import torch_utils
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
    """Hide progress bars and the warnings of libraries about one another."""
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


_kept: list[tempfile.TemporaryDirectory[str]] = []
"""Temporary folders that exist as long as the process."""


def existing(weights: Path) -> Path:
    """Return the path, if the file exists.

    Raises:
        SourceMissing: the file does not exist. For a bare name, the library would download a file.
    """
    if not weights.is_file():
        raise WeightsMissing(
            f"no detector weights at {weights.name}", expected="a .pt or .onnx file",
            where=str(weights),
            fix="give the path of a file; surgqa downloads nothing by itself",
        )  # fmt: skip
    return weights


class TorchModel:
    """Weights of ultralytics, run by PyTorch on one thread or on a GPU.

    Attributes:
        names: class names, by number.
        batch: number of images that the model takes at once.
        device: ``cpu`` or ``cuda:N``.

    Args:
        weights: a ``.pt`` file from a trusted source: loading it runs code that it contains.
        settings: device, precision, head, image size, batch.

    Raises:
        UserError: ultralytics is not installed, or the weights are not a detector.
        SourceMissing: the requested device does not exist.
    """

    def __init__(self, weights: Path, settings: DetectSettings) -> None:
        package = ultralytics()
        import torch

        self.batch, self._longer = settings.batch, settings.image_size
        gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
        self.device = device_of(settings.device, gpus)
        self._device = torch.device(self.device)
        self._half = settings.precision == "fp16"
        if self._half and self._device.type == "cpu":
            raise Unsupported(
                "fp16 needs a GPU", expected="precision fp32 on the CPU", found="fp16"
            )
        model = _loaded(package, existing(weights))
        head = model.model[-1]
        if not settings.nms and getattr(head, "one2one_cv2", None) is None:
            raise WeightsBroken(
                "the weights cannot give one box for each object (nms: false)",
                expected="nms: true", where=weights.name,
            )  # fmt: skip
        head.end2end = not settings.nms
        head.export = True
        self.names = tuple(str(model.names[number]) for number in range(len(model.names)))
        model = model.float().fuse().eval().to(self._device)
        self._model = model.half() if self._half else model

    def input_hw(self, picture_hw: tuple[int, int]) -> tuple[int, int]:
        """Height and width of the model's input for images of this size."""
        return padded_size(picture_hw, self._longer)

    def run(self, pictures: np.ndarray) -> np.ndarray:
        """Run the model; arrays as in :meth:`~.detector.Model.run`."""
        import torch

        # Loading another model may have changed the thread count, which changes the result's bits.
        torch.set_num_threads(1)
        with torch.inference_mode():
            given = torch.from_numpy(pictures).to(self._device)
            output = self._model(given.half() if self._half else given)
            return output.float().cpu().numpy()


def _loaded(package: Any, weights: Path) -> Any:
    """Return the network in a ``.pt`` file."""
    try:
        with quiet():
            whole = package.YOLO(str(weights))
    except Exception as error:  # noqa: BLE001 - unpickling can fail in any way
        raise WeightsBroken(
            "the weights of the detector cannot be read", found=str(error).split("\n")[0][:200],
            where=weights.name, fix="use a .pt file written by ultralytics",
        ) from None  # fmt: skip
    if whole.task != "detect" or not hasattr(whole.model.model[-1], "reg_max"):
        raise WeightsBroken(
            "the weights are not a box detector", expected="a YOLO detector",
            found=str(whole.task), where=weights.name,
        )  # fmt: skip
    return whole.model
