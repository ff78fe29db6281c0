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

from surgqa.ontology.files import listed
from surgqa.ontology.keys import bytes_digest

from .conftest import build, command, digests, environment, until
from .outputs import add_notes, assert_no_leftovers, assert_nothing_lost, is_whole

MOMENTS = int(os.environ.get("SURGQA_MOMENTS", "1"))
"""At how many moments a run is killed; every fifth and the last is followed by a whole one."""
OTHER = ("--seed", "7", "--only", "surgstu.locate")
"""Options of an older output."""
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


@pytest.mark.nightly
@pytest.mark.parametrize("older", [False, True])
def test_kill_at_many_moments(
    sample: Path, known: dict[str, str], tmp_path: Path, older: bool
) -> None:
    out = tmp_path / "here" / "out"
    before = build(sample, out, *OTHER) if older else known
    if older:
        add_notes(out)
    # The same output in another place: how long that takes says when to kill.
    begin = time.monotonic()
    assert build(sample, tmp_path / "there" / "out", *TWO) == known
    whole_s = time.monotonic() - begin
    for k in range(MOMENTS):
        with started(sample, out, *TWO) as run:
            # One in each of so many equal stretches, from when the imports are done.
            drawn = int(bytes_digest(f"moment {k}".encode())[:8], 16) / 2**32
            time.sleep(whole_s * (0.25 + 0.75 * (k + drawn) / MOMENTS))
            workers = workers_of(run.pid)
            run.kill()
            run.wait(timeout=30)
        until(lambda: not any(map(alive, workers)), "the workers end with the run", 30)  # noqa: B023
        if older:
            assert_nothing_lost(out)
        assert not out.exists() or is_whole(out, before, known)
        if k % 5 == 4 or k == MOMENTS - 1:
            assert build(sample, out, *TWO) == known
            assert_no_leftovers(out)
            if older:
                assert_nothing_lost(out)
                assert build(sample, out, *OTHER) == before


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
    assert build(sample, out) == known
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
    assert not out.exists() or is_whole(out, known)
    assert build(sample, out) == digests(out) == known
    assert_no_leftovers(out)
