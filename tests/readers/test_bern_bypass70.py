"""BernBypass70 is the Bern half of MultiBypass140, read the same way."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from surgqa.transforms import registry

Reader = registry.load_reader("bern_bypass70")


@pytest.fixture(scope="module")
def root(real_dataset) -> Path:
    return real_dataset("multibypass140")


def test_only_the_seventy_operations_of_bern_are_read(root: Path) -> None:
    assert Reader(root).videos() == [f"BBP{number:02d}" for number in range(1, 71)]
    assert Reader(root).missing() == []


def test_real_videos_are_read_as_multibypass140_reads_them(root: Path) -> None:
    whole = registry.load_reader("multibypass140")(root)
    for video in Reader(root).videos():
        mine, other = Reader(root).read(video), whole.read(video)
        assert replace(mine.video, dataset="multibypass140") == other.video
        assert (mine.spans, mine.books) == (other.spans, other.books)
        assert mine.video.split_group == other.video.split_group == f"bern-bypass/{video[3:]}"
