"""Samples of a window, put together from the batches in which a film is decoded."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from surgqa.transforms.media import FrameBatch
from surgqa.transforms.steps.observing import pieces

SAMPLES, SIZE = 10, 4


def batches(task, settings, folder, first: int, last: int):
    for n in range(first, last):
        own = np.arange(n * SIZE, min((n + 1) * SIZE, SAMPLES))
        yield FrameBatch(n, SIZE, own * 100, own + 7, [np.full((1, 1, 3), k) for k in own],
                         own % 2 == 0)  # fmt: skip


@pytest.mark.parametrize(("first", "last"), [(0, 4), (0, 10), (3, 9), (5, 6), (8, 10)])
def test_a_window_has_its_samples_and_no_others(first: int, last: int, monkeypatch):
    monkeypatch.setattr(pieces, "batches", batches)
    seen = pieces._window(None, SimpleNamespace(batch=SIZE), None, first, last)
    wanted = list(range(first, last))
    assert seen.size == len(wanted)
    assert seen.times_us.tolist() == [100 * k for k in wanted]
    assert seen.frames.tolist() == [k + 7 for k in wanted]
    assert [int(one[0, 0, 0]) for one in seen.pictures] == wanted
    assert seen.trusted.tolist() == [k % 2 == 0 for k in wanted]
