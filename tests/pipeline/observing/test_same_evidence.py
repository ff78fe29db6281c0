"""One store, bit for bit: two runs, any number of workers, any cutting, any hash seed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from surgqa.ontology.observed import KINDS
from surgqa.transforms.store.evidence import EvidenceStore

from .conftest import DETECTOR, surgqa


def files(store: Path) -> dict[str, str]:
    """Digests of everything in a store that other machines should have the same."""
    mine = [p for p in sorted(store.rglob("*")) if p.is_file() and "media" not in p.parts]
    return {
        p.relative_to(store).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest()
        for p in mine
        if p.name != "local.json"
    }


def test_the_store_holds_something_of_every_kind_that_was_looked_for(store: Path):
    held = EvidenceStore(store)
    (video_id,) = held.videos()
    rows = {kind: held.table(video_id, kind).num_rows for kind in KINDS}
    assert rows["frames"] == 120  # 24 s at 5 a second
    assert rows["boxes"] > 120
    assert rows["utterances"] >= 5 and rows["anchors"] >= 5
    assert rows["happenings"] and rows["stretches"] and rows["decisions"]
    assert not (store / "work").exists()


@pytest.mark.parametrize(
    "how",
    [
        pytest.param({}, id="again", marks=pytest.mark.nightly),
        pytest.param({"chunk_s": 1000.0}, id="whole", marks=pytest.mark.nightly),
        pytest.param({"chunk_s": 3.0}, id="small-pieces", marks=pytest.mark.nightly),
        pytest.param({"chunk_s": 5.0}, id="pieces-of-different-length", marks=pytest.mark.nightly),
        pytest.param({"workers": 2, "chunk_s": 7.0}, id="two-workers", marks=pytest.mark.nightly),
    ],
)
def test_however_it_is_cut_and_spread(
    how: dict, narrated: Path, store: Path, look: Callable, tmp_path: Path
):
    look([narrated], tmp_path / "store", **how)
    assert files(tmp_path / "store") == files(store)


@pytest.mark.nightly
def test_whatever_the_hash_seed(narrated: Path, speech_model: str, tmp_path: Path):
    digests = set()
    for seed in ("1", "4242"):
        out = tmp_path / seed
        done = surgqa("observe", "--video", narrated, "--out", out, "--detect", DETECTOR,
                      "--asr-model", speech_model, "--language", "en", seed=seed)  # fmt: skip
        assert done.returncode == 0, done.stderr
        digests.add(orjson.loads((out / "store.json").read_bytes())["digest"])
        assert digests <= {line.split()[-1] for line in done.stdout.splitlines()
                           if line.startswith("digest")}  # fmt: skip
    assert len(digests) == 1


@pytest.mark.nightly  # by day without speech, in test_short_videos; workers in engines/test_plugins
def test_neither_two_workers_nor_other_videos_in_the_store_change_anything_about_one(
    narrated: Path, film: Callable, store: Path, look: Callable, tmp_path: Path
):
    look([film("one", 7003, 6), narrated], tmp_path / "store", workers=2, chunk_s=7.0)
    one = EvidenceStore(store).record["videos"]["narrated"]
    assert EvidenceStore(tmp_path / "store").record["videos"]["narrated"] == one
