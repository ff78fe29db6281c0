"""A real Flink cluster, started by the scripts of ``deploy/flink/local``: the same digest.

The scripts' downloads are not made here: 'make flink-up' makes them, or 'cluster.py fetch'.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from surgqa.ontology.errors import EXIT_TOO_MANY_FAILED
from surgqa.ontology.files import listed
from surgqa.pipeline.engines import flink
from surgqa.pipeline.submit import SUBMITTED
from surgqa.transforms.steps.video import DONE
from surgqa.transforms.store import OutputFolder

from .conftest import (
    REPOSITORY,
    answers,
    build,
    command,
    digests,
    environment,
    free_port,
    observe,
    until,
)  # fmt: skip

SCRIPT = REPOSITORY / "deploy" / "flink" / "local" / "cluster.py"
BUILD_S = 900
START_S = 400
"""Longer than the script waits for its cluster."""

Up = Callable[[int, int], dict[str, Any]]


def script(*arguments: str) -> str:
    """Run the script; what it prints."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, timeout=START_S
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def run_folder(tmp_path: Path) -> Iterator[Path]:
    """Settings and logs of a cluster that is ended with the test."""
    if shutil.which("java") is None:
        pytest.skip("no Java runtime here: Flink needs one")
    if not flink.jar() or not any(flink.JAR.parent.glob("flink-*/ready")):
        pytest.skip("no Flink or no job server here: 'make flink-up' fetches both, with Maven")
    yield tmp_path / "run"
    script("down", "--run", str(tmp_path / "run"))


@pytest.fixture
def up(run_folder: Path) -> Up:
    """Start or heal a cluster of so many TaskManagers with so many slots each, on free ports."""
    ports = [f"--{name}-port={free_port()}" for name in ("rest", "rpc", "pool")]

    def start(taskmanagers: int, slots: int) -> dict[str, Any]:
        more = ("--taskmanagers", str(taskmanagers), "--slots", str(slots))
        return json.loads(script("up", "--run", str(run_folder), *more, *ports))

    return start


def chosen(status: dict[str, Any], *more: str) -> list[str]:
    """Options of a build on that cluster."""
    return [
        "--runner", "flink", "--", f"--flink_master={status['master']}",
        "--environment_type=EXTERNAL", f"--environment_config={status['pool']}", *more,
    ]  # fmt: skip


def ask(master: str, path: str) -> Any:
    """Flink's own word, not through the code under test."""
    with urllib.request.urlopen(f"http://{master}/{path}", timeout=10) as answer:
        return json.load(answer)


def slots_used(master: str) -> int:
    """The most parallel step of the newest job."""
    newest = max(ask(master, "jobs/overview")["jobs"], key=lambda job: job["start-time"])
    assert newest["state"] == "FINISHED"
    vertices = ask(master, f"jobs/{newest['jid']}")["vertices"]
    return int(max(vertex["parallelism"] for vertex in vertices))


def through_job_server(root: Path, out: Path, status: dict[str, Any]) -> dict[str, str]:
    """Build by way of a job server in a process of its own."""
    port, jar, kept = free_port(), flink.jar(), out.parent / "artifacts"
    assert jar
    arguments = [
        "java", "-jar", jar, "--flink-master", status["master"], "--job-port", str(port),
        "--artifact-port", "0", "--expansion-port", "0", "--artifacts-dir", str(kept),
    ]  # fmt: skip
    with (out.parent / "job-server.log").open("wb") as log:
        server = subprocess.Popen(arguments, stdout=log, stderr=log)
    try:
        until(lambda: answers(port), "the job server answers")
        return build(root, out, *chosen(status, f"--job_endpoint=localhost:{port}"))
    finally:
        server.terminate()
        server.wait(timeout=30)


@pytest.mark.nightly
def test_two_machines_through_a_job_server_of_their_own(
    sample: Path, known: dict[str, str], up: Up, tmp_path: Path
) -> None:
    status = up(2, 1)
    assert through_job_server(sample, tmp_path / "out", status) == known
    assert slots_used(status["master"]) == 2


@pytest.mark.nightly
def test_one_and_two_machines(
    sample: Path, known: dict[str, str], up: Up, tmp_path: Path,
    real_dataset: Callable[[str], Path],
) -> None:  # fmt: skip
    status = up(1, 2)
    assert build(sample, tmp_path / "one", *chosen(status)) == known
    assert slots_used(status["master"]) == 2
    assert up(2, 2)["master"] == status["master"]
    assert through_job_server(sample, tmp_path / "two", status) == known
    assert slots_used(status["master"]) == 4
    real = real_dataset("cholect50-challenge-val")
    expected = build(real, tmp_path / "direct")
    assert build(real, tmp_path / "real", *chosen(status)) == expected


@pytest.mark.nightly
def test_a_lost_machine_that_comes_back(
    sample: Path, known: dict[str, str], up: Up, run_folder: Path, tmp_path: Path
) -> None:
    status = up(2, 1)
    out = tmp_path / "here" / "out"
    out.parent.mkdir()
    with subprocess.Popen(
        command(sample, out, *chosen(status)), env=environment(), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as run:  # fmt: skip
        try:
            until(lambda: any(out.parent.glob(f".*/{DONE}/*")), "a video is done", BUILD_S)
            script("kill", "taskmanager-1", "--run", str(run_folder))
            up(2, 1)
            text, _ = run.communicate(timeout=BUILD_S)
        finally:
            run.kill()
    assert run.returncode == 0, text
    assert digests(out) == known
    assert [path.name for path in listed(out.parent)] == ["out"]
    [job] = ask(status["master"], "jobs/overview")["jobs"]
    failures = ask(status["master"], f"jobs/{job['jid']}/exceptions")["exceptionHistory"]
    assert job["state"] == "FINISHED"
    assert failures["entries"], "the machine was lost too late to be missed"


@pytest.mark.nightly
def test_a_killed_client_and_a_poisoned_video(
    sample: Path, known: dict[str, str], up: Up, tmp_path: Path
) -> None:
    status = up(1, 2)
    out = tmp_path / "here" / "out"
    out.parent.mkdir()
    with subprocess.Popen(
        command(sample, out, *chosen(status)), env=environment(), stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as run:  # fmt: skip
        try:
            until(lambda: any(out.parent.glob(f".*/{SUBMITTED}")), "the job is submitted", BUILD_S)
        finally:
            run.kill()
    assert not out.exists()
    assert build(sample, out, "--reattach", *chosen(status)) == known
    assert [path.name for path in listed(out.parent)] == ["out"]

    poisoned = tmp_path / "poisoned"
    shutil.copytree(sample, poisoned)
    (poisoned / "labels" / "VID02.json").write_text("{", encoding="utf-8")
    found = []
    for name, more in (("direct", []), ("flink", chosen(status))):
        done = subprocess.run(
            command(poisoned, tmp_path / name, "--max-failed", "1", *more), env=environment(),
            capture_output=True, text=True, timeout=BUILD_S,
        )  # fmt: skip
        assert done.returncode == EXIT_TOO_MANY_FAILED, done.stderr
        manifest = OutputFolder(tmp_path / name).manifest
        found.append((manifest["digest"], manifest["failed"]))
    assert found[0] == found[1]
    assert [failure["key"] for failure in found[0][1]] == ["cholect50/VID02"]


@pytest.mark.nightly
def test_flink_gives_the_evidence_of_direct(film: Path, seen: str, up: Up, tmp_path: Path) -> None:
    assert observe(film, tmp_path / "store", *chosen(up(2, 2))) == seen
