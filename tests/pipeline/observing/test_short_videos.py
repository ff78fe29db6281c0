"""Videos shorter than a batch are looked at together, and each is as if it had been alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from surgqa.transforms.store.evidence import EvidenceStore

SHORT = {"short_1": 7401, "short_2": 7402, "short_3": 7403}


@pytest.fixture(scope="module")
def videos(film: Callable[..., Path]) -> list[Path]:
    """Three of five samples, and one of thirty."""
    return [*(film(name, seed, 1) for name, seed in SHORT.items()), film("not_short", 7404, 6)]


@pytest.fixture(scope="module")
def together(videos: list[Path], look: Callable, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("short") / "store"
    look(videos, out, speech=None)
    return out


def told(store: Path) -> dict[str, dict]:
    return EvidenceStore(store).record["videos"]


def test_each_is_as_if_it_had_been_alone(
    together: Path, videos: list[Path], look: Callable, tmp_path: Path
):
    assert all(told(together)[name]["rows"]["frames"] == 5 for name in SHORT)
    assert any(told(together)[name]["rows"]["boxes"] for name in SHORT)
    for video in videos[1::2]:
        look([video], tmp_path / video.stem, speech=None)
        assert told(tmp_path / video.stem)[video.stem] == told(together)[video.stem]


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.nightly)])
def test_other_pieces_and_workers_give_the_same(
    together: Path, videos: list[Path], look: Callable, tmp_path: Path, workers: int
):
    look(videos, tmp_path / "store", speech=None, workers=workers, chunk_s=2.0)
    record = EvidenceStore(tmp_path / "store").record
    assert record["digest"] == EvidenceStore(together).record["digest"]


def test_one_that_cannot_be_decoded_leaves_the_others_alone(
    together: Path, videos: list[Path], look: Callable, tmp_path: Path
):
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(b"no film")
    result = look([videos[0], broken, videos[1]], tmp_path / "s", speech=None, max_failed=1)
    assert [info["key"] for info in result.failed] == ["observed/broken"]
    assert {name: told(together)[name] for name in ("short_1", "short_2")} == told(tmp_path / "s")


def test_a_second_run_looks_at_nothing(together: Path, videos: list[Path], look: Callable):
    assert look(videos, together, speech=None).kept == 4
