"""What the operating system refuses: a message and exit 3, never 'this is a bug'."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from surgqa.pipeline.cli.app import run
from surgqa.transforms.registry import load_sample
from tests.rights import Said, as_nobody, give_away, said, shared_folder

SAMPLES = ("cholect50", "cholec80", "grasp", "exports")
"""One of each kind: JSON, text, masks, a labelling tool's files."""


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A dataset, a finished output and jobs, all of it the unprivileged child's."""
    with shared_folder() as folder:
        (folder / "root").mkdir()
        load_sample("cholect50")(folder / "root")
        assert run(_build(folder / "root", folder / "out")) == 0
        assert run(["jobs", str(folder / "out"), "--to", str(folder / "jobs.jsonl")]) == 0
        give_away(folder)
        yield folder


def _build(root: Path, out: Path, *more: str, dataset: str = "cholect50") -> list[str]:
    return ["-q", "build", "--dataset", dataset, "--root", str(root), "--benchmark", "surgstu",
            "--out", str(out), *more]  # fmt: skip


def _is_told(one: Said) -> bool:
    return (one.status in (2, 3) and one.err.startswith("error[") and "Traceback" not in one.err
            and "  where" in one.err and "  fix" in one.err)  # fmt: skip


@contextmanager
def _mode(path: Path, mode: int) -> Iterator[None]:
    before = path.stat().st_mode
    path.chmod(mode)
    try:
        yield
    finally:
        path.chmod(before)


def _shut(path: Path, mode: int, line: list[str]) -> Said:
    def work() -> Iterator[Said]:
        with _mode(path, mode):
            yield said(run, line)

    return Said(*as_nobody(work)[0])


OUTS: dict[str, Callable[[Path], tuple[Path, int, Path]]] = {
    "in a folder that may not be written": lambda p: (p / "shut", 0o555, p / "shut" / "out"),
    "in a folder that may not be entered": lambda p: (p / "shut", 0, p / "shut" / "out"),
    "under a file": lambda p: (p / "shut", 0o755, p / "jobs.jsonl" / "out"),
    "with too long a name": lambda p: (p / "shut", 0o755, p / ("n" * 300)),
    "a link to itself": lambda p: (p / "shut", 0o755, p / "loop" / "out"),
    "that may not be entered": lambda p: (p / "out", 0, p / "out"),
}


@pytest.mark.parametrize("what", OUTS)
def test_an_output_folder(place: Path, what: str) -> None:
    shut, mode, out = OUTS[what](place)
    (place / "shut").mkdir(exist_ok=True)
    if not (place / "loop").is_symlink():
        (place / "loop").symlink_to("loop")
    give_away(place)
    told = _shut(shut, mode, _build(place / "root", out))
    assert _is_told(told), told


def test_a_cache_that_may_not_be_written(place: Path) -> None:
    (place / "cache").mkdir()
    give_away(place)
    line = _build(place / "root", place / "cached", "--cache", str(place / "cache"))
    told = _shut(place / "cache", 0o555, line)
    assert _is_told(told), told


READ = {
    "check": ["check", "OUT"],
    "explain": ["explain", "OUT", "0" * 32],
    "export": ["export", "OUT", "--as", "surgstu", "--to", "TO"],
    "jobs": ["jobs", "OUT", "--to", "TO"],
    "diff": ["diff", "OUT", "OUT"],
    "score": ["score", "OUT", "PREDICTIONS"],
}


PARTS = ("data/surgstu", "manifest.json", "evidence", "rejected")


@pytest.mark.parametrize("command", READ)
@pytest.mark.parametrize(
    "part",
    ["data", *(pytest.param(one, marks=pytest.mark.nightly) for one in PARTS)],
)
def test_an_output_that_may_not_be_read(place: Path, command: str, part: str) -> None:
    words = {"OUT": place / "out", "TO": place / "to", "PREDICTIONS": place / "jobs.jsonl"}
    line = [str(words.get(word, word)) for word in READ[command]]

    def work() -> Iterator[Said]:
        whole = said(run, line)
        with _mode(place / "out" / part, 0):
            yield from (whole, said(run, line))

    whole, told = (Said(*entry) for entry in as_nobody(work))
    assert told.status != 70 and "Traceback" not in told.err, told
    assert _is_told(told) or told == whole, (whole, told)


def test_a_label_file_that_may_not_be_read(place: Path) -> None:
    labels = place / "root" / "labels" / "VID01.json"
    told = _shut(labels, 0, _build(place / "root", place / "half"))
    assert _is_told(told) and "VID01.json" in told.err, told


@pytest.mark.parametrize(("size", "workers"), [(100, 1), (300, 2), (1000, 1)])
def test_a_full_disk(place: Path, size: int, workers: int) -> None:
    """Only root may make a small disk, and not everywhere."""
    small = place / "small"
    small.mkdir(exist_ok=True)
    mounting = ["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", str(small)]
    if os.getuid() or subprocess.run(mounting, check=False, capture_output=True).returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        told = said(run, _build(place / "root", small / "out", "--workers", str(workers)))
        left = sorted(p.name for p in small.iterdir())
    finally:
        subprocess.run(["umount", str(small)], check=True)
    assert told.status == 3 and "no space left on device" in told.err, told
    assert "Traceback" not in told.err and "  fix" in told.err
    assert left == []


@pytest.mark.nightly
@pytest.mark.parametrize("name", SAMPLES)
def test_every_file_and_folder_through_the_command_line(name: str) -> None:
    with shared_folder() as folder:
        root = folder / "root"
        root.mkdir()
        load_sample(name)(root)
        whole = said(run, _build(root, folder / "first", dataset=name))
        give_away(folder)

        def work() -> Iterator[tuple[str, Said]]:
            for path in (root, *sorted(root.rglob("*"))):
                with _mode(path, 0):
                    told = said(run, _build(root, folder / "next", dataset=name))
                if not _is_told(told) and _digest(told) != _digest(whole):
                    yield str(path), told

        assert _digest(whole) and as_nobody(work) == []


def _digest(told: Said) -> str:
    """The line that names the digest of what was built; nothing where nothing was."""
    return next((line for line in told.out.splitlines() if line.startswith("digest")), "")
