"""Rendered scenes, the detector that was trained on such, and batches of their pictures."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from surgqa.transforms.media import FrameBatch

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"


@pytest.fixture(scope="session")
def scenes() -> ModuleType:
    """The renderer."""
    spec = importlib.util.spec_from_file_location(
        "rendered_scenes", FIXTURES / "scenes" / "scenes.py"
    )
    assert spec and spec.loader
    module = sys.modules.setdefault(spec.name, importlib.util.module_from_spec(spec))
    if not hasattr(module, "Scene"):
        spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def weights() -> Path:
    """The shipped detector of rendered instruments."""
    return FIXTURES / "detect" / "rendered.onnx"


@pytest.fixture(scope="session")
def cut() -> Callable[..., Iterator[FrameBatch]]:
    """Batches of a scene's pictures, or of pictures (S, H, W, 3) at a second each."""

    def batches(shown: Any, size: int, trusted: np.ndarray | None = None) -> Iterator[FrameBatch]:
        if isinstance(shown, np.ndarray):
            pictures, times = shown, np.arange(len(shown), dtype=np.int64) * 1_000_000
        else:
            pictures = np.stack([shown.picture(n) for n in range(shown.frames)])
            times = shown.times_us()
        good = np.ones(len(pictures), bool) if trusted is None else trusted
        for number, start in enumerate(range(0, len(pictures), size)):
            part = slice(start, start + size)
            frames = np.arange(len(pictures), dtype=np.int64)[part]
            yield FrameBatch(number, size, times[part], frames, pictures[part], good[part])

    return batches


@pytest.fixture(scope="session")
def told_anew() -> Callable[[bytes, dict[str, str]], bytes]:
    """An ONNX file's bytes with other metadata; field 14 of the outermost message."""

    def number(value: int) -> bytes:
        out = bytearray()
        while value > 127:
            out.append(value & 127 | 128)
            value >>= 7
        return bytes([*out, value])

    def field(tag: int, data: bytes) -> bytes:
        return number(tag << 3 | 2) + number(len(data)) + data

    def read(data: bytes, at: int) -> tuple[int, int]:
        value = shift = 0
        while True:
            value |= (data[at] & 127) << shift
            at, shift = at + 1, shift + 7
            if data[at - 1] < 128:
                return value, at

    def change(data: bytes, told: dict[str, str]) -> bytes:
        kept, at = bytearray(), 0
        while at < len(data):
            start = at
            key, at = read(data, at)
            length, at = read(data, at)
            if key & 7 == 2:
                at += length
            if key >> 3 != 14:
                kept += data[start:at]
        for name, value in told.items():
            kept += field(14, field(1, name.encode()) + field(2, value.encode()))
        return bytes(kept)

    return change
