"""The whole path on real pictures: frames of an operation, its labels, a detector's boxes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from surgqa.pipeline.cli.app import run as surgqa
from surgqa.pipeline.config import load_run
from surgqa.pipeline.observing.config import load_observe
from surgqa.pipeline.observing.run import observe
from surgqa.pipeline.run import build
from surgqa.transforms.store import OutputFolder
from surgqa.transforms.store.evidence import EvidenceStore

from .conftest import DETECTOR


@pytest.fixture(scope="module")
def real(real_dataset: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory):
    """Root and store of the challenge's frames of VID68 and VID73."""
    root = real_dataset("cholect50-challenge-val")
    out = tmp_path_factory.mktemp("real") / "store"
    datasets = [{"name": "cholect50", "root": root}]
    asked = {"datasets": datasets, "out": out, "detect": {"weights": str(DETECTOR)}, "fps": "1"}
    observe(load_observe(None, asked))
    return root, out


@pytest.mark.nightly
def test_every_frame_that_is_there_is_looked_at(real):
    root, out = real
    store = EvidenceStore(out)
    assert store.dataset == "cholect50"
    assert store.videos() == ["VID68", "VID73"]  # there are no frames of VID74
    for video_id in store.videos():
        numbers = {int(p.stem) for p in (root / "videos" / video_id).iterdir() if p.stem.isdigit()}
        frames = store.table(video_id, "frames")
        assert set(frames.column("frame").to_pylist()) == numbers
        assert all(frames.column("trusted").to_pylist())


@pytest.mark.nightly
def test_labels_with_the_detectors_boxes_pass_check(real, tmp_path: Path):
    root, out = real
    dataset = {"name": "cholect50", "root": root, "evidence": out}
    result = build(load_run(None, {"datasets": [dataset], "out": tmp_path / "o"}))
    folder = OutputFolder(result.out)
    dense = next(b for b in result.books if b["unit"] == "dense boxes")
    assert dense["read"] == dense["kept"] + dense["rejected"] > 0
    events = folder.evidence("events").to_pylist()
    mine = [e for e in events if e["video_id"] != "VID74" and e["label"]]
    assert {e["box_origin"] for e in mine} <= {"detector", "interpolated", "none"}
    assert {e["box_origin"] for e in events if e["video_id"] == "VID74" and e["label"]} == {
        "manual"
    }
    assert surgqa(["check", str(result.out)]) == 0


def test_real_clips_are_observed_and_asked_about(real_dataset, tmp_path: Path):
    clip = real_dataset("rvimlab-endoscopy") / "data" / "endo.mp4"
    asked = {"videos": [{"path": clip}], "out": tmp_path / "store",
             "detect": {"weights": str(DETECTOR)}}  # fmt: skip
    observe(load_observe(None, asked))
    store = EvidenceStore(tmp_path / "store")
    frames = store.table("endo", "frames").to_pylist()
    assert len(frames) == 50
    decisions = {d["rule"] for d in store.table("endo", "decisions").to_pylist()}
    assert len(decisions) >= 6
