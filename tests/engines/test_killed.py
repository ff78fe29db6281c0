"""Runs that are ended from outside: nothing half-written is seen, and a rerun is the same."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ontology.files import listed
from ontology.keys import bytes_digest
from pipeline.manifest import digest_of
from transforms.checks.folder import file_digest
from transforms.store import OutputFolder

from .conftest import build, command, digests, environment, until

MOMENTS = int(os.environ.get("SURGQA_MOMENTS", "2"))
"""At how many moments a run is killed; every fifth and the last is followed by a whole one."""
SIZES = int(os.environ.get("SURGQA_SIZES", "1"))
"""On disks of how many sizes a run finds no room."""
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


NOTES = {"notes.txt": b"mine", "results/run1/predictions.jsonl": b"{}\n", "data/own.csv": b"1\n"}
"""Files of the user in the output folder."""


def older_output(sample: Path, out: Path) -> dict[str, str]:
    """An output of another seed with files of the user in it; its digests."""
    before = build(sample, out, "--seed", "7", "--only", "surgstu.locate")
    for name, data in NOTES.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(data)
    return before


def assert_nothing_lost(out: Path) -> None:
    """The user's files are there; the output folder never is not, once it was there."""
    assert {name: (out / name).read_bytes() for name in NOTES} == NOTES


def is_whole(out: Path, *known: dict[str, str]) -> bool:
    """Every file of the output is as one of the known builds wrote it."""
    files = OutputFolder(out).manifest["files"]
    found = digest_of({name: file_digest(out / name) for name in files})
    return found in [one["all"] for one in known]


@pytest.mark.parametrize("older", [pytest.param(False, marks=pytest.mark.nightly), True])
def test_kill_at_many_moments(
    sample: Path, known: dict[str, str], tmp_path: Path, older: bool
) -> None:
    out = tmp_path / "here" / "out"
    before = older_output(sample, out) if older else known
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
                shutil.rmtree(out)
                before = older_output(sample, out)


@contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[None]:
    """A file system of this size; the test is skipped where none may be mounted."""
    folder.mkdir(exist_ok=True)
    words = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(words, capture_output=True).returncode:
        pytest.skip("this user may not mount a file system")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def kilobytes_below(folder: Path) -> int:
    """What the files take on a disk with pages of 4 KiB."""
    return sum(-(-p.lstat().st_size // 4096) * 4 + 4 for p in folder.rglob("*"))


@pytest.mark.parametrize("older", [pytest.param(False, marks=pytest.mark.nightly), True])
def test_a_full_disk(sample: Path, known: dict[str, str], tmp_path: Path, older: bool) -> None:
    """Of many sizes, from nearly nothing to nearly enough for the output alone."""
    build(sample, tmp_path / "whole", *TWO)
    whole = kilobytes_below(tmp_path / "whole")
    disk = tmp_path / "disk"
    out = disk / "here" / "out"
    for k in range(SIZES):
        with small_disk(disk, 1 << 17):
            before = older_output(sample, out) if older else known
            used = kilobytes_below(disk)
            size = used + 16 + whole * (k + 1) // (SIZES + 1)
            resized(disk, size)
            done = subprocess.run(command(sample, out, *TWO), env=environment(),
                                  capture_output=True, timeout=900)  # fmt: skip
            assert done.returncode != 0
            assert b"No space left on device" in done.stderr, done.stderr
            if older:
                assert_nothing_lost(out)
                assert is_whole(out, before)
                assert_no_leftovers(out)
            else:
                assert not out.parent.exists() or not list(out.parent.iterdir())
            resized(disk, 1 << 17)
            assert build(sample, out, *TWO) == known
            assert_no_leftovers(out)
            if older:
                assert_nothing_lost(out)


def resized(disk: Path, kilobytes: int) -> None:
    """The same file system with more or less room."""
    words = ["mount", "-o", f"remount,size={kilobytes}k", str(disk)]
    subprocess.run(words, check=True)


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
