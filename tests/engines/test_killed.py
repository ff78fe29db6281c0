"""Runs that are ended from outside: nothing half-written is seen, and a rerun is the same."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ontology.files import listed
from pipeline.manifest import digest_of
from transforms.checks.folder import file_digest
from transforms.store import OutputFolder

from .conftest import build, command, digests, environment, until

MOMENTS = int(os.environ.get("SURGQA_MOMENTS", "2"))
"""At how many moments a run is killed; every fifth and the last is followed by a whole one."""
TWO = ("--workers", "2")


@contextmanager
def started(root: Path, out: Path, *more: str) -> Iterator[subprocess.Popen]:
    """A build in a session of its own, so that no signal reaches the test's processes."""
    process = subprocess.Popen(
        command(root, out, *more), env=environment(), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def workers_of(pid: int) -> list[int]:
    """Worker processes that a run has started."""
    found = []
    for path in listed(Path("/proc")):
        if not path.name.isdigit():
            continue
        try:
            status, line = (path / "stat").read_text(), (path / "cmdline").read_bytes()
        except OSError:
            continue
        parent = int(status.rpartition(")")[2].split()[1])
        if parent == pid and b"spawn_main" in line:
            found.append(int(path.name))
    return found


def alive(pid: int) -> bool:
    """The process is there and not merely waiting to be reaped."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def assert_nothing_half_written(out: Path, known: dict[str, str]) -> None:
    """The output is not there, or it is whole: every file has the digest it should have."""
    if not out.exists():
        return
    files = OutputFolder(out).manifest["files"]
    assert digest_of({name: file_digest(out / name) for name in files}) == known["all"]


def assert_no_leftovers(out: Path) -> None:
    assert [p.name for p in listed(out.parent)] == [out.name]


def test_kill_at_many_moments(sample: Path, known: dict[str, str], tmp_path: Path) -> None:
    out = tmp_path / "here" / "out"
    begin = time.monotonic()
    assert build(sample, out, *TWO) == known
    whole_s = time.monotonic() - begin
    for k in range(MOMENTS):
        with started(sample, out, *TWO) as run:
            # Spread evenly, beginning with the moment at which the imports are done.
            time.sleep(whole_s * (0.25 + 0.75 * k / MOMENTS))
            workers = workers_of(run.pid)
            run.kill()
            run.wait(timeout=30)
        until(lambda: not any(map(alive, workers)), "the workers end with the run", 30)  # noqa: B023
        assert_nothing_half_written(out, known)
        if k % 5 == 4 or k == MOMENTS - 1:
            assert build(sample, out, *TWO) == known
            assert_no_leftovers(out)


def test_a_killed_worker_is_an_error_within_seconds(
    sample: Path, known: dict[str, str], tmp_path: Path
) -> None:
    out = tmp_path / "here" / "out"
    with started(sample, out, *TWO) as run:
        until(lambda: len(workers_of(run.pid)) == 2, "both workers are there")
        os.kill(workers_of(run.pid)[0], signal.SIGKILL)
        begin = time.monotonic()
        text, _ = run.communicate(timeout=60)
    assert time.monotonic() - begin < 30
    assert run.returncode not in (0, 1), text
    assert b"a worker process died" in text
    assert b"Traceback" not in text
    assert not out.exists()
    assert build(sample, out, *TWO) == known
    assert_no_leftovers(out)


@pytest.mark.parametrize("presses", [pytest.param(1, marks=pytest.mark.nightly), 2])
def test_interrupts(sample: Path, known: dict[str, str], tmp_path: Path, presses: int) -> None:
    out = tmp_path / "here" / "out"
    with started(sample, out, *TWO) as run:
        until(lambda: len(workers_of(run.pid)) == 2, "both workers are there")
        workers = workers_of(run.pid)
        for _ in range(presses):
            os.killpg(run.pid, signal.SIGINT)
            time.sleep(0.1)
        text, _ = run.communicate(timeout=60)
    assert run.returncode == 130, text
    assert re.search(rb"interrupted", text)
    assert b"Traceback" not in text
    until(lambda: not any(map(alive, workers)), "the workers end with the run", 30)
    assert_nothing_half_written(out, known)
    assert build(sample, out) == digests(out) == known
    assert_no_leftovers(out)
