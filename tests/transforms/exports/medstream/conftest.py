"""A finished dataset with an item of every kind, and its export."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from surgqa.transforms.exports.medstream import FORMAT
from surgqa.transforms.store import OutputFolder

from .items import dataset, items


@pytest.fixture
def export(tmp_path) -> Callable[..., Path]:
    """``export(rows, name=..., shards=..., parquet=...)``: the folder that is written."""

    def write(rows=None, name: str = "one", **layout) -> Path:
        out = dataset(tmp_path / f"{name}-out", items() if rows is None else rows, **layout)
        to = tmp_path / name
        to.mkdir()
        FORMAT.write(OutputFolder(out), to, {})
        return to

    return write


@pytest.fixture
def read() -> Callable[[Path], list[dict]]:
    """Rows of a written file, by line."""

    def load(path: Path) -> list[dict]:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    return load
