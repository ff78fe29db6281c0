"""Evidence packed and unpacked: the same for every reader, and nothing but a closed list."""

from __future__ import annotations

import inspect
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surgqa.transforms.registry import datasets, load_reader, load_sample
from surgqa.transforms.steps import cache
from surgqa.transforms.steps.cache import CLASSES, pack, unpack


def assert_same(one: Any, other: Any) -> None:
    """Of the same classes, all the way down; NaN equals NaN."""
    assert type(one) is type(other)
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype and one.shape == other.shape
        np.testing.assert_array_equal(one, other)
    elif type(one) in CLASSES.values():
        for part in fields(one):
            assert_same(getattr(one, part.name), getattr(other, part.name))
    elif isinstance(one, dict):
        assert list(one) == list(other)
        for name in one:
            assert_same(one[name], other[name])
    elif isinstance(one, (tuple, list)):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            assert_same(a, b)
    else:
        assert repr(one) == repr(other)


@pytest.mark.parametrize("name", datasets())
def test_evidence_of_every_reader(name: str, tmp_path: Path) -> None:
    load_sample(name)(tmp_path)
    reader = load_reader(name)(tmp_path)
    if not reader.replayable:
        pytest.skip("what it saw cannot be looked at again, so nothing is kept")
    evidence = reader.read(reader.videos()[0])
    data = pack((reader.seen, evidence))
    assert data is not None
    assert_same(unpack(data), (reader.seen, evidence))


def test_what_is_not_on_the_list_is_not_kept() -> None:
    for value in (object(), {1, 2}, np.float64(1), np.array([object()]), Path("a"), print):
        assert pack(("a", value)) is None


def test_numbers_are_kept_exactly() -> None:
    values = (0.1, -0.0, float("nan"), float("inf"), 2**80, True, None, "\ud800", [1, (2,)])
    kept = pack(values)
    assert kept is not None
    assert repr(unpack(kept)) == repr(values)


def test_nothing_that_is_read_can_run_code() -> None:
    assert "allow_pickle=False" in inspect.getsource(cache)
    assert "import pickle" not in inspect.getsource(cache)
