"""Settings that cannot be are refused before anything is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from surgqa.ontology.errors import UserError
from surgqa.transforms.evidence.detect.settings import DetectSettings, TrainSettings
from tests.each import cases


@cases(
    ("name", "value"),
    [
        ("image_size", 100), ("image_size", 0), ("confidence", 1.5), ("confidence", -0.1),
        ("iou", 0.0), ("most", 0), ("batch", 0), ("device", "gpu"), ("device", "cuda:x"),
        ("precision", "int8"),
    ],
)  # fmt: skip
def test_detection(name: str, value: Any) -> None:
    with pytest.raises(UserError, match=name) as caught:
        DetectSettings(Path("a.onnx"), **{name: value})
    assert caught.value.found == str(value)


@cases(
    ("name", "value"),
    [
        ("image_size", 100), ("epochs", 0), ("minutes", 0.0), ("minutes", -1.0), ("batch", 0),
        ("learning_rate", 0.0), ("flip_vertical", 2.0), ("device", "tpu"),
    ],
)  # fmt: skip
def test_training(name: str, value: Any) -> None:
    with pytest.raises(UserError, match=name):
        TrainSettings(**{name: value})


def test_devices_by_number_are_settings() -> None:
    for device in ("auto", "cpu", "cuda", "cuda:1"):
        assert DetectSettings(Path("a.pt"), device=device).device == device
