"""Evaluate weights on images with known boxes."""

from __future__ import annotations

from pathlib import Path

import cv2

from surgqa.transforms.evidence.detect import DetectSettings
from surgqa.transforms.evidence.detect.detector import Detector
from surgqa.transforms.evidence.detect.measure import BoxRow, Measured, measure
from surgqa.transforms.evidence.detect.train import label_rows, read_data


def evaluate(data: Path, settings: DetectSettings, part: str = "val") -> Measured:
    """Evaluate weights on images with known boxes; classes are compared by name.

    Args:
        data: a folder in the YOLO layout; its class names are spelled as in the weights.
        settings: weights and limits.  Mean precision needs a low ``confidence``, such as 0.01.
        part: folder under ``images`` and ``labels``.

    Raises:
        SourceMissing, UserError: as for training and the detector.
    """
    names, pairs = read_data(data, part)
    detector = Detector(settings)
    found, known = list[BoxRow](), list[BoxRow]()
    for number, (path, label) in enumerate(pairs):
        picture = cv2.imread(str(path), cv2.IMREAD_COLOR_RGB)
        height, width = picture.shape[:2]
        for *box, score, label_number in detector.boxes([picture])[0].tolist():
            found.append((number, detector.names[int(label_number)], box, score))
        for label_number, x, y, w, h in label_rows(label, len(names)).tolist():
            box = [(x - w / 2) * width, (y - h / 2) * height,
                   (x + w / 2) * width, (y + h / 2) * height]  # fmt: skip
            known.append((number, names[int(label_number)], box, 1.0))
    return measure(found, known)
