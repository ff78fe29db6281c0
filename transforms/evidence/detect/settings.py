"""Settings for detection and for training a detector."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from surgqa.ontology.errors import ValueInvalid

Precision = Literal["fp32", "fp16"]
PRECISIONS = get_args(Precision)


@dataclass(frozen=True, slots=True)
class DetectSettings:
    """Settings of a detector.

    Attributes:
        weights: a ``.pt`` file of ultralytics or an exported ``.onnx`` file; also an address in
            remote storage, from which each worker downloads once.
        sha256: digest that the file must have; None for any.
        classes: a class map (:mod:`transforms.evidence.detect.classes`); None if the ontology knows
            every class name of the weights.
        image_size: longer side to which images are scaled, in pixels, a multiple of 32.  Ignored
            for an ``.onnx`` file of fixed shape.  Public YOLO weights were trained at 640.
        confidence: minimum score of a box that is kept, [0, 1].  It is 0.1, not the library's 0.25:
            linking continues tracks with weak boxes, and a rule can use a higher limit later.
        nms: True uses the head that proposes many boxes and removes overlapping ones; False uses
            the head that proposes one box per object, which only some models have.  After short
            training the first is better (mAP50 0.726 against 0.598 on rendered scenes).  An
            exported file has one of them.
        iou: overlap, (0, 1], above which two boxes of one class are duplicates, so that the box
            with the lower score is removed; 0.7 is the library's value.
        most: maximum number of boxes of an image, highest scores first; 300 as in the library.
        batch: images that the model processes at once.  A short batch is filled up with grey
            images, so the last bits of a result do not depend on the other images in it.
        device: ``auto``, ``cpu`` or ``cuda:N``; ``auto`` uses the first CUDA device that the
            runtime supports, else the CPU.
        precision: ``fp16`` needs a GPU and a ``.pt`` file; an ``.onnx`` file has its own.
    """

    weights: Path
    classes: Path | None = None
    image_size: int = 640
    confidence: float = 0.1
    nms: bool = True
    iou: float = 0.7
    most: int = 300
    batch: int = 8
    device: str = "auto"
    precision: Precision = "fp32"
    sha256: str | None = None

    def __post_init__(self) -> None:
        _check("image_size", self.image_size, _is_size(self.image_size), "a multiple of 32")
        _check("confidence", self.confidence, 0 <= self.confidence <= 1, "0 to 1")
        _check("iou", self.iou, 0 < self.iou <= 1, "more than 0, at most 1")
        _check("most", self.most, self.most >= 1, "1 or more")
        _check("batch", self.batch, self.batch >= 1, "1 or more")
        _check("device", self.device, _is_device(self.device), "auto, cpu or cuda:N")
        _check("precision", self.precision, self.precision in PRECISIONS, " or ".join(PRECISIONS))


@dataclass(frozen=True, slots=True)
class TrainSettings:
    """Settings for training a detector.

    Attributes:
        start: a model description that ultralytics ships (``yolov10n.yaml``: random weights) or an
            existing ``.pt`` file to continue from.
        image_size: longer side to which images are scaled, in pixels, a multiple of 32.
        epochs: passes over the training images.
        minutes: stop after this time even if epochs remain; the result then depends on the speed of
            the machine.  None for reproducible results.
        batch: images per step; the gradient is applied after every step.
        learning_rate: learning rate of AdamW, which falls to one hundredth along a cosine.
        seed: seed of weights, order and augmentation.
        whole_pictures: train on complete images, all of one shape, padded to a multiple of 32.
            False combines four images into a square, which suits many small data sets better and
            costs more per image.
        flip_vertical: share of images that are turned upside down, [0, 1].
        device: ``auto``, ``cpu`` or ``cuda:N``.
    """

    start: str | Path = "yolov10n.yaml"
    image_size: int = 640
    epochs: int = 100
    minutes: float | None = None
    batch: int = 8
    learning_rate: float = 1e-3
    seed: int = 0
    whole_pictures: bool = False
    flip_vertical: float = 0.0
    device: str = "auto"

    def __post_init__(self) -> None:
        _check("image_size", self.image_size, _is_size(self.image_size), "a multiple of 32")
        _check("epochs", self.epochs, self.epochs >= 1, "1 or more")
        _check("minutes", self.minutes, self.minutes is None or self.minutes > 0, "more than 0")
        _check("batch", self.batch, self.batch >= 1, "1 or more")
        _check("learning_rate", self.learning_rate, 0 < self.learning_rate < 1, "between 0 and 1")
        _check("flip_vertical", self.flip_vertical, 0 <= self.flip_vertical <= 1, "0 to 1")
        _check("device", self.device, _is_device(self.device), "auto, cpu or cuda:N")


def _is_size(pixels: int) -> bool:
    return pixels > 0 and pixels % 32 == 0


def _is_device(name: str) -> bool:
    return re.fullmatch(r"auto|cpu|cuda(:\d+)?", name) is not None


def _check(name: str, value: object, right: bool, expected: str) -> None:
    if not right:
        raise ValueInvalid(
            f"the detector's setting {name!r} has a wrong value",
            expected=expected,
            found=str(value),
        )
