"""A tissue that is named, pointed at once, followed by SAM2 to both sides, and shown for review."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import av
import numpy as np
import pytest

from surgqa.pipeline.observing.config import load_observe
from surgqa.pipeline.observing.run import observe
from surgqa.transforms.evidence.segment.masks import decode
from surgqa.transforms.labelling.corrections import Corrected
from surgqa.transforms.labelling.exchange import import_file
from surgqa.transforms.labelling.layer import clicks, layers_of
from surgqa.transforms.readers.observed.reader import Reader
from surgqa.transforms.store.evidence import EvidenceStore
from tests.transforms.labelling.test_clicks import sent

from .conftest import ROOT

pytest.importorskip("torch")
pytest.importorskip("sam2")
pytestmark = pytest.mark.torch

from benchmarks import train_mini_sam2 as mini  # noqa: E402

SECONDS, RATE, SEED = 12, 5, 12
TISSUE = "gallbladder"
SEGMENT = {"weights": str(ROOT / "tests/fixtures/segment/mini.pt"), "window": 8, "overlap": 2}


@pytest.fixture(scope="module")
def clip() -> mini.Clip:
    return mini.render(SEED, SECONDS * RATE, 128, 160)


@pytest.fixture(scope="module")
def video(clip: mini.Clip, films: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pointed")
    with av.open(str(folder / "silent.mp4"), "w") as out:
        stream = out.add_stream("libx264", rate=RATE, options={"crf": "4", "g": "10"})
        stream.width, stream.height, stream.pix_fmt = 160, 128, "yuv444p"
        stream.codec_context.time_base = Fraction(1, RATE)
        for picture in clip.pictures:
            out.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        out.mux(stream.encode(None))
    films.narrate(folder / "silent.mp4", folder / "case.mp4", SECONDS)
    return folder / "case.mp4"


@pytest.fixture(scope="module")
def pointed(video: Path, clip: mini.Clip, look: Callable, tmp_path_factory) -> Path:
    """A store with a layer in which the largest thing was clicked as the tissue that is named."""
    folder = tmp_path_factory.mktemp("pointed-store")
    look([video], folder / "store", segment=SEGMENT)
    masks = EvidenceStore(folder / "store").table("case", "masks")
    assert TISSUE not in masks["label"].to_pylist()
    return clicked(folder, clip)


def clicked(folder: Path, clip: mini.Clip) -> Path:
    """The store in a folder, with a layer that clicks the first thing of the clip."""
    store = folder / "store"
    project, one, round_ = sent(store, folder)
    (frame,) = one.sheet.frames
    assert frame.asked[0] == TISSUE and one.steps[0]["chosen"][0]["reason"] == "named"
    y, x = np.argwhere(clip.masks[frame.frame, 0]).mean(axis=0)
    (told,) = round_.frames()
    boxes = [Corrected(b["id"], b["label"], b["box"]) for b in told["boxes"]]
    point = ((float(x) + 0.5) / 160, (float(y) + 0.5) / 128)
    round_.take(told["file"], [*boxes, Corrected(None, TISSUE, point * 2)], True)
    import_file(project, round_.tasks, "label-studio", "ann", "2026-11-21")
    return store


@pytest.fixture(scope="module")
def outlined(pointed: Path, video: Path, look: Callable, tmp_path_factory) -> Path:
    store = tmp_path_factory.mktemp("outlined") / "store"
    shutil.copytree(pointed, store)
    result = look([video], store, segment=SEGMENT)
    assert (result.observed, result.kept) == (1, 0)  # a layer is a reason to look again
    return store


def test_no_detector_is_needed(video: Path, clip: mini.Clip, speech_model: str, tmp_path: Path):
    asked = {
        "videos": [{"path": str(video), "procedure": "laparoscopic cholecystectomy"}],
        "out": tmp_path / "store", "speech": {"model": speech_model, "language": "en"},
    }  # fmt: skip
    observe(load_observe(None, asked))
    clicked(tmp_path, clip)
    observe(load_observe(None, asked | {"segment": SEGMENT}))
    assert len(tissue(tmp_path / "store", "masks")) > 16
    evidence = Reader(tmp_path / "store").read("case")
    assert evidence.instruments is None and evidence.regions["tissue"].labels == (TISSUE,)


def tissue(store: Path, kind: str) -> list[dict]:
    rows = EvidenceStore(store).table("case", kind).to_pylist()
    return [row for row in rows if row["label"] == TISSUE]


def test_the_mask_is_followed_to_both_sides_of_the_click(outlined: Path, clip: mini.Clip):
    (click,) = clicks(
        layers_of(outlined, "case", EvidenceStore(outlined).medium("case"))
    ).to_pylist()
    rows = tissue(outlined, "masks")
    frames = [row["frame"] for row in rows]
    assert min(frames) < click["frame"] - 8 and max(frames) > click["frame"] + 8
    assert len({row["object"] for row in rows}) == 1
    overlaps = []
    for row in rows:
        mask, true = decode(row["counts"], row["height"], row["width"]), clip.masks[row["frame"], 0]
        overlaps.append((mask & true).sum() / (mask | true).sum())
    assert np.mean(overlaps) > 0.4


def test_boxes_of_the_masks_are_evidence_of_a_tissue_track(outlined: Path):
    boxes, masks = tissue(outlined, "boxes"), tissue(outlined, "masks")
    assert {(b["kind"], b["origin"]) for b in boxes} == {("tissue", "mask")}
    region = Reader(outlined).read("case").regions["tissue"]
    mine = region.label == region.labels.index(TISSUE)
    assert region.instants_us[region.sample[mine]].tolist() == [b["time_us"] for b in boxes]
    there = {(m["time_us"], m["object"]) for m in masks}
    assert {(b["time_us"], b["track"]) for b in boxes} == there
    assert EvidenceStore(outlined).facts("case")["reviewed"] == []  # the frame has a click


def test_the_same_bytes_with_two_workers_and_on_a_fresh_copy(
    outlined: Path, pointed: Path, video: Path, look: Callable, tmp_path: Path
):
    other = tmp_path / "store"
    look([video], other, segment=SEGMENT | {"window": 8})
    for part in ("layers", "label"):
        shutil.copytree(pointed / part, other / part)
    look([video], other, segment=SEGMENT, workers=2)
    assert EvidenceStore(other).record["digest"] == EvidenceStore(outlined).record["digest"]


def test_the_outline_comes_back_for_review(outlined: Path, tmp_path: Path):
    work = tmp_path / "store"
    shutil.copytree(outlined, work)
    project, one, round_ = sent(work, tmp_path, count=8)
    masked = [b for frame in one.sheet.frames for b in frame.boxes if b.label == TISSUE and b.mask]
    assert masked and sum(len(told["masks"]) for told in round_.frames()) >= len(masked)
    for told in round_.frames():
        boxes = [Corrected(b["id"], b["label"], b["box"]) for b in told["boxes"]]
        round_.take(told["file"], boxes, True)
    import_file(project, round_.tasks, "label-studio", "ann", "2026-11-22")
    rows = layers_of(work, "case", EvidenceStore(work).medium("case"))[-1].rows.to_pylist()
    assert {r["action"] for r in rows if r["label"] == TISSUE} == {"confirmed"}
