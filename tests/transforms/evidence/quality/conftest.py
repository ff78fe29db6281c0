"""Pictures: real frames, and batches made of arrays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from surgqa.transforms.media import FrameBatch


@pytest.fixture(scope="session")
def batch() -> Callable[..., FrameBatch]:
    """A batch of pictures, one a second, all trusted unless said otherwise."""

    def make(pictures, trusted=None) -> FrameBatch:
        count = len(pictures)
        return FrameBatch(
            0, count, np.arange(count) * 1_000_000, np.arange(count), np.stack(pictures),
            np.ones(count, bool) if trusted is None else np.array(trusted),
        )  # fmt: skip

    return make


def read(path: Path) -> np.ndarray:
    """RGB."""
    return cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)


@pytest.fixture(scope="session")
def real_frames(real_dataset) -> list[np.ndarray]:
    """48 real frames of two operations, shrunk to one size."""
    root = real_dataset("cholect50-challenge-val") / "videos"
    files = sorted(root.glob("*/*.png"))[:: len(list(root.glob("*/*.png"))) // 48][:48]
    return [cv2.resize(read(f), (774, 434), interpolation=cv2.INTER_AREA) for f in files]


@pytest.fixture(scope="session")
def outside_frames(real_dataset) -> list[np.ndarray]:
    """Three real frames before a scope went in, and six through a microscope."""
    pitvis = sorted((real_dataset("pitvis") / "docker_example/inputs/01").glob("*.png"))[:3]
    eye = sorted((real_dataset("cataractsam2-frames") / "data").glob("*.jpg"))
    return [cv2.resize(read(f), (960, 540), interpolation=cv2.INTER_AREA) for f in pitvis + eye]
