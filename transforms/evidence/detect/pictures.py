"""Convert images to a model's input, and its output to boxes in pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from surgqa.ontology.boxes import iou
from surgqa.transforms.evidence.base import round_score
from surgqa.transforms.evidence.detect.settings import DetectSettings

GREY = 114
"""Grey level around the images with which YOLO models were trained."""


STRIDE = 32
"""The sides of an input are multiples of this for every YOLO detector."""


@dataclass(frozen=True, slots=True)
class Letterbox:
    """How images of one size lie in a model's input: scaled evenly, centred, with grey borders.

    Attributes:
        height, width: size of the input in pixels.
        inner_height, inner_width: size of the scaled image inside the model's input.
        scale: input pixels per pixel of the image.
    """

    height: int
    width: int
    inner_height: int
    inner_width: int
    scale: float

    @property
    def top(self) -> int:
        """Grey rows above the image."""
        return (self.height - self.inner_height) // 2

    @property
    def left(self) -> int:
        """Grey columns to the left of the image."""
        return (self.width - self.inner_width) // 2


def fit(picture_hw: tuple[int, int], input_hw: tuple[int, int]) -> Letterbox:
    """Return the largest scaling of an image that fits an input; both (height, width) in pixels."""
    scale = min(input_hw[0] / picture_hw[0], input_hw[1] / picture_hw[1])
    inner = [max(1, round(side * scale)) for side in picture_hw]
    return Letterbox(*input_hw, inner[0], inner[1], scale)


def padded_size(picture_hw: tuple[int, int], longer: int) -> tuple[int, int]:
    """Size of the input for images with longer side scaled to ``longer``: multiples of STRIDE."""
    scale = longer / max(picture_hw)
    height, width = (max(1, -(-round(side * scale) // STRIDE)) * STRIDE for side in picture_hw)
    return height, width


def prepared(pictures: Sequence[np.ndarray], place: Letterbox, batch: int) -> np.ndarray:
    """Return a model's input: float32 (batch, 3, height, width), RGB in [0, 1].

    Args:
        pictures: B of uint8 (H, W, 3), RGB, B at most ``batch``; grey images fill the rest.
    """
    canvas = np.full((batch, place.height, place.width, 3), GREY, np.uint8)
    rows = slice(place.top, place.top + place.inner_height)
    columns = slice(place.left, place.left + place.inner_width)
    for index, picture in enumerate(pictures):
        size = (place.inner_width, place.inner_height)
        canvas[index, rows, columns] = cv2.resize(picture, size, interpolation=cv2.INTER_LINEAR)
    planes = np.ascontiguousarray(canvas.transpose(0, 3, 1, 2), dtype=np.float32)
    planes /= 255
    return planes


def found(
    output: np.ndarray, classes: int, place: Letterbox, picture_hw, limits: DetectSettings
) -> np.ndarray:
    """Return the boxes of one image, highest score first.

    Args:
        output: the model's output for the image. If the model itself removes overlapping boxes, it
            is (N, 6) of x1, y1, x2, y2, score, class; else (4 + classes, N) of centre, size and
            scores.
        classes: number of classes of the model.
        place: how the image was placed in the input.
        picture_hw: height and width of the image.
        limits: which of the model's proposals are kept.

    Returns:
        float64 (K, 6): x1, y1, x2, y2 in pixels of the image, rounded score, class.
    """
    values = np.asarray(output, dtype=np.float64)
    if values.shape[0] == 4 + classes and values.shape[1] != 6:
        boxes = _kept(_proposals(values, limits.confidence), limits)
    else:
        boxes = _settled(values, limits)
    shift = np.array([place.left, place.top, place.left, place.top])
    height, width = picture_hw
    boxes[:, :4] = (boxes[:, :4] - shift) / place.scale
    boxes[:, :4] = boxes[:, :4].clip(0, (width, height, width, height))
    return boxes


def _settled(values: np.ndarray, limits: DetectSettings) -> np.ndarray:
    values = values.copy()
    values[:, 4] = round_score(values[:, 4])
    values = values[values[:, 4] >= limits.confidence]
    return values[np.argsort(-values[:, 4], kind="stable")][: limits.most]


def _proposals(values: np.ndarray, confidence: float) -> np.ndarray:
    """(K, 6) corners, rounded score and best class of the proposals with enough score."""
    classes = values[4:].argmax(axis=0)
    scores = round_score(values[4:].max(axis=0))
    strong = np.flatnonzero(scores >= confidence)
    centre, half = values[:2, strong].T, values[2:4, strong].T / 2
    return np.column_stack([centre - half, centre + half, scores[strong], classes[strong]])


def _kept(boxes: np.ndarray, limits: DetectSettings) -> np.ndarray:
    """Return the boxes without those that overlap a box of their class with a higher score."""
    left = boxes[np.argsort(-boxes[:, 4], kind="stable")]
    kept: list[np.ndarray] = []
    while len(left) and len(kept) < limits.most:
        best, left = left[0], left[1:]
        kept.append(best)
        same = left[:, 5] == best[5]
        left = left[~(same & (iou(left[:, :4], best[:4]) > limits.iou))]
    return np.array(kept, np.float64).reshape(-1, 6)
