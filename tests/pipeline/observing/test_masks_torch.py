"""The whole path with SAM2's real predictor: boxes prompt, masks follow, boxes of masks fill in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from surgqa.ontology.observed import KINDS
from surgqa.transforms.evidence.base.fetched import loaded
from surgqa.transforms.evidence.segment.masks import decode
from surgqa.transforms.store.evidence import EvidenceStore

from .conftest import ROOT

pytest.importorskip("torch")
pytestmark = pytest.mark.torch

WEIGHTS = ROOT / "tests" / "fixtures" / "segment" / "mini.pt"


@pytest.fixture(scope="module")
def masked(film: Callable, look: Callable, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("masked") / "store"
    segment = {"weights": str(WEIGHTS), "window": 16, "overlap": 4}
    look([film("masks", 7300, 6)], out, speech=None, segment=segment)
    return out


def test_masks_are_of_the_tracks_that_prompted_them(masked: Path):
    store = EvidenceStore(masked)
    masks = store.table("masks", "masks")
    assert masks.schema.equals(KINDS["masks"])
    assert masks.num_rows > 10
    tracks = set(store.table("masks", "boxes").column("track").to_pylist())
    assert set(masks.column("object").to_pylist()) <= tracks
    for row in masks.slice(0, 20).to_pylist():
        mask = decode(row["counts"], row["height"], row["width"])
        assert mask.shape == (240, 400) and mask.any()
        assert np.isclose(mask.mean(), row["area"])


def test_the_same_masks_in_one_piece_and_with_two_workers(
    masked: Path, film: Callable, look: Callable, tmp_path: Path
):
    segment = {"weights": str(WEIGHTS), "window": 16, "overlap": 4}
    look([film("masks", 7300, 6)], tmp_path / "s", speech=None, segment=segment, workers=2)
    assert EvidenceStore(tmp_path / "s").record["digest"] == EvidenceStore(masked).record["digest"]


def test_a_second_run_segments_nothing(masked: Path, film: Callable, look: Callable):
    before = loaded()
    segment = {"weights": str(WEIGHTS), "window": 16, "overlap": 4}
    result = look([film("masks", 7300, 6)], masked, speech=None, segment=segment)
    assert (result.observed, result.kept) == (0, 1)
    assert loaded() == before
