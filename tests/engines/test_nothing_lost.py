"""Killed at random moments and on full disks, in one process: nothing is half, nothing is lost.

The rerun gives the same bytes.  Random moments and many sizes are for the night: by day a run is
killed at every step of putting its output in place, in ``tests/pipeline/test_output.py``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from surgqa.ontology.keys import bytes_digest

from .conftest import command, digests
from .forked import start
from .outputs import add_notes, assert_no_leftovers, assert_nothing_lost, is_whole

KILLS = int(os.environ.get("SURGQA_KILLS", "1"))
SIZES = int(os.environ.get("SURGQA_SIZES", "1"))
"""At how many moments a run is killed, on how many sizes of disks it finds no room."""
OTHER = ("--seed", "7", "--only", "surgstu.locate")
"""Options of an older output."""
ONE = ("--only", "surgstu.classes")
"""What is asked on a full disk: how much is written there makes no difference."""
ROOM = 1 << 17
"""Kilobytes that are always enough."""


def arguments(root: Path, out: Path, *more: str) -> list[str]:
    """The command line after the program."""
    return command(root, out, *more)[3:]


def run(root: Path, out: Path, *more: str) -> tuple[int | None, str]:
    """Exit status, and what was printed."""
    log = root.with_name(f"{root.name}.log")
    process = start(arguments(root, out, *more), log)
    process.join(timeout=600)
    return process.exitcode, log.read_text()


def whole(root: Path, out: Path, *more: str) -> dict[str, str]:
    """A run that ends well; its digests."""
    status, text = run(root, out, *more)
    assert status == 0, text
    return digests(out)


def older_output(root: Path, out: Path) -> dict[str, str]:
    """An output of other settings with files of the user in it."""
    made = whole(root, out, *OTHER)
    add_notes(out)
    return made


def drawn(text: str) -> float:
    """A number in [0, 1) that is always the same."""
    return int(bytes_digest(text.encode())[:8], 16) / 2**32


@pytest.mark.nightly
@pytest.mark.parametrize("older", [False, True])
def test_killed_at_random_moments(
    sample: Path, known: dict[str, str], tmp_path: Path, older: bool
) -> None:
    out = tmp_path / "here" / "out"
    before = older_output(sample, out) if older else known
    whole(sample, tmp_path / "first")  # pays for what is imported once
    begin = time.monotonic()
    assert whole(sample, tmp_path / "there") == known
    whole_s = time.monotonic() - begin
    for k in range(KILLS):
        process = start(arguments(sample, out), tmp_path / "log")
        time.sleep(whole_s * 1.05 * drawn(f"moment {k}"))
        process.kill()
        process.join(timeout=60)
        assert out.exists() or not older
        if older:
            assert_nothing_lost(out)
        if out.exists():
            assert is_whole(out, before, known)
        if k % 5 == 4 or k == KILLS - 1:
            assert whole(sample, out) == known
            assert_no_leftovers(out)
            if older:
                assert whole(sample, out, *OTHER) == before
                assert_nothing_lost(out)


@pytest.mark.parametrize("older", [pytest.param(False, marks=pytest.mark.nightly), True])
def test_a_full_disk(sample: Path, tmp_path: Path, older: bool) -> None:
    """Of many sizes, from nearly nothing to nearly enough for the output alone."""
    known = whole(sample, tmp_path / "there", *ONE)
    needed = kilobytes_below(tmp_path / "there")
    disk = tmp_path / "disk"
    out = disk / "here" / "out"
    with small_disk(disk):
        for k in range(SIZES):
            before = older_output(sample, out) if older else known
            used = kilobytes_below(disk)
            resize(disk, used + 16 + needed * (k + 1) // (SIZES + 1))
            status, text = run(sample, out, *ONE)
            assert status == 3, text
            assert "No space left on device" in text and "Traceback" not in text, text
            if older:
                assert_nothing_lost(out)
                assert is_whole(out, before)
                assert_no_leftovers(out)
            else:
                assert not out.parent.exists() or not list(out.parent.iterdir())
            resize(disk, ROOM)
            assert whole(sample, out, *ONE) == known
            assert_no_leftovers(out)
            if older:
                assert_nothing_lost(out)
            shutil.rmtree(out)


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """A file system of its own; the test is skipped where none may be mounted."""
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={ROOM}k", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(words, capture_output=True).returncode:
        pytest.skip("this user may not mount a file system")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def resize(disk: Path, kilobytes: int) -> None:
    """Give the file system more or less room."""
    subprocess.run(["mount", "-o", f"remount,size={kilobytes}k", str(disk)], check=True)


def kilobytes_below(folder: Path) -> int:
    """What the files take on a disk with pages of 4 KiB."""
    return sum(-(-p.lstat().st_size // 4096) * 4 + 4 for p in folder.rglob("*"))
