"""From raw video to questions that can be recomputed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from surgqa.pipeline.cli.app import run as surgqa
from surgqa.pipeline.config import load_run
from surgqa.pipeline.observing.config import load_observe
from surgqa.pipeline.observing.run import observe
from surgqa.pipeline.run import build
from surgqa.transforms.registry import load_reader
from surgqa.transforms.store import OutputFolder
from surgqa.transforms.store.evidence import EvidenceStore

from .conftest import allow


@pytest.fixture
def measured(store: Path, tmp_path: Path) -> Path:
    """The store with a measure that allows absence; without one the film gives too little."""
    root = tmp_path / "measured"
    shutil.copytree(store, root)
    allow(root, "narrated")
    return root


def test_questions_from_a_narrated_video_pass_check(measured: Path, tmp_path: Path):
    out = tmp_path / "out"
    build(load_run(None, {"datasets": [{"name": "observed", "root": measured}], "out": out}))
    rows = list(OutputFolder(out).rows())
    assert len(rows) >= 3
    assert {row["label_source"] for row in rows} == {"model"}
    assert all(row["media"]["path"] == "narrated.mp4" for row in rows)
    assert surgqa(["check", str(out)]) == 0


def test_places_in_the_questions_are_the_detectors(store: Path, tmp_path: Path):
    out = tmp_path / "out"
    build(load_run(None, {"datasets": [{"name": "observed", "root": store}], "out": out}))
    events = OutputFolder(out).evidence("events").to_pylist()
    boxes = EvidenceStore(store).table("narrated", "boxes").to_pylist()
    known = {(b["time_us"], b["label"], b["x1"], b["origin"]) for b in boxes
             if b["kind"] == "instrument"}  # fmt: skip
    found = {(e["time_us"], e["label"], e["x1"], e["box_origin"]) for e in events if e["label"]}
    assert found == known


def test_metadata_are_told_in_the_words_of_the_ontology(film: Callable, tmp_path: Path):
    video = {"path": str(film("one", 7003, 6)), "metadata": {"operation": "lap chole"}}
    observe(load_observe(None, {"videos": [video], "out": tmp_path / "store"}))
    facts = EvidenceStore(tmp_path / "store").facts("one")
    assert facts["metadata"] == {"operation": "lap chole"}
    assert facts["harmonised"]["metadata"]["procedure"] == "laparoscopic_cholecystectomy"
    assert facts["harmonised"]["changes"]
    read = load_reader("observed")(tmp_path / "store").read("one")
    assert read.video.procedure == "laparoscopic cholecystectomy"
    assert read.video.specialty == "general surgery"


@pytest.mark.nightly
def test_another_seed_asks_otherwise_of_the_same_store(measured: Path, tmp_path: Path):
    digests = []
    for seed in ("42", "43", "42"):
        dataset = {"name": "observed", "root": measured}
        result = build(load_run(None, {"datasets": [dataset], "out": tmp_path / "o", "seed": seed}))
        digests.append(result.digest)
    assert digests[0] == digests[2] != digests[1]


def test_what_was_said_is_anchored(store: Path):
    anchors = EvidenceStore(store).table("narrated", "anchors").to_pylist()
    terms = {term for anchor in anchors for term in anchor["normalized_terms"]}
    assert {"gallbladder", "grasp", "liver"} <= terms
    assert orjson.dumps(anchors)
