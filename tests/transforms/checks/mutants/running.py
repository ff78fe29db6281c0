"""Tests run against a mutant, each in a process of its own that shares what does not change."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import shutil
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
from coverage import Coverage, CoverageData

from tests.transforms.checks.faults.planting import Planted

ROOT = Path(__file__).resolve().parents[4]
CHECKED = "transforms/checks"
TESTS = f"tests/{CHECKED}"
LEFT_OUT = ("faults", "forgeries", "mutants")
"""Tests of ``tests/transforms/checks`` that are no tests of single checks."""

LIMIT_S = 120
"""Seconds of a processor that tests of one mutant may take: it may never end."""


POLLED_S = 0.05


Covered = Mapping[str, Mapping[str, list[int]]]
"""Test -> file -> lines of it that the test runs."""


WHOLE_S = 3600
"""The same of all tests, while their lines are written down."""


def begin(scratch: Path) -> None:
    """Import what mutants share, and keep the outputs that tests build."""
    from tests.transforms.checks.facts import drawn
    from tests.transforms.checks.proof import outputs

    assert not any(name.startswith("surgqa.transforms.checks") for name in sys.modules)
    outputs.built = _kept(outputs.built, scratch)
    drawn.written = _kept_drawn(drawn.written, scratch)


def _kept(built: Callable, scratch: Path) -> Callable:
    """Builds once for all processes: no build depends on a check."""

    def kept(root: Path, dataset: str, files: Sequence[Path]) -> Any:
        from surgqa.transforms.store.folder import OutputFolder

        name = "-".join([dataset, *(file.stem for file in files)])[:200]
        there = _once(scratch / name, lambda to: built(to, dataset, files))
        shutil.copytree(there / "out", root / "out")
        return OutputFolder(root / "out")

    return kept


def _kept_drawn(written: Callable, scratch: Path) -> Callable:
    """The same for made-up recordings."""

    def kept(seeds: range, out: Path) -> None:
        name = scratch / f"drawn-{seeds.start}-{seeds.stop}"
        shutil.copytree(_once(name, lambda to: written(seeds, to)), out)

    return kept


def _once(folder: Path, work: Callable[[Path], object]) -> Path:
    """A folder that one of several processes has filled."""
    if not folder.is_dir():
        mine = folder.with_name(f"{os.getpid()}-{folder.name}")
        work(mine)
        with contextlib.suppress(OSError):  # another process was faster
            mine.rename(folder)
    return folder


def in_child(work: Callable[[], int], limit_s: int = LIMIT_S, told: Path = Path(os.devnull)) -> int:
    """What a function returns in a process of its own; below 0 where it takes too long.

    The kernel's own limit is not relied on: threads of the database have outlived it.

    Args:
        told: where what it prints is kept.
    """
    child = os.fork()
    if child == 0:
        with told.open("w") as sink:
            os.dup2(sink.fileno(), 1)
            os.dup2(sink.fileno(), 2)
        code = 1
        try:
            code = int(work())
        finally:
            os._exit(code)
    done, status = os.waitpid(child, os.WNOHANG)
    while not done:
        time.sleep(POLLED_S)
        if processor_s(child) > limit_s:
            os.kill(child, signal.SIGKILL)
        done, status = os.waitpid(child, os.WNOHANG)
    return os.waitstatus_to_exitcode(status)


def processor_s(pid: int) -> float:
    """Seconds of processors that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def covered(to: Path, only: Sequence[str] = (), workers: int = 1) -> Covered:
    """Which test runs which lines of the checks; tests that fail as things are stop all.

    Raises:
        RuntimeError: a test fails without any mutant.
    """
    files = [*only] or tests_of_all()
    shares = [files[k::workers] for k in range(min(workers, len(files)))]
    parts = [to.with_suffix(f".{k}") for k in range(len(shares))]
    with ThreadPoolExecutor(len(shares)) as pool:
        found = list(pool.map(_watched, shares, parts))
    whole = {test: files for one in found for test, files in one.items()}
    to.write_text(json.dumps(whole))
    return whole


def tests_of_all() -> list[str]:
    """Files of tests of single checks."""
    there = (one.relative_to(ROOT) for one in sorted((ROOT / TESTS).rglob("test_*.py")))
    return [str(one) for one in there if one.relative_to(TESTS).parts[0] not in LEFT_OUT]


def _watched(tests: Sequence[str], to: Path) -> dict[str, dict[str, list[int]]]:
    """The same of some tests, in a process of its own."""
    told = to.with_name(f"{to.name}.txt")
    code = in_child(lambda: _pytest(tests, Watching(to)), WHOLE_S, told)
    if code != 0:
        last = "\n".join(told.read_text(errors="replace").splitlines()[-30:])
        raise RuntimeError(f"tests of the checks fail as they are: status {code}\n{last}")
    lines = CoverageData(str(to))
    lines.read()
    found: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for file in lines.measured_files():
        for line, names in lines.contexts_by_lineno(file).items():
            for test in filter(None, names):
                found[test][str(Path(file).relative_to(ROOT))].append(line)
    return found


def _pytest(args: Sequence[str], *plugins: object) -> int:
    quiet = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    return int(pytest.main([*args, *quiet], plugins=list(plugins)))


class Watching:
    """A plugin that writes down the lines that each test runs with its set-up."""

    def __init__(self, to: Path) -> None:
        self.lines = Coverage(data_file=to, config_file=False, include=f"{ROOT}/{CHECKED}/*")

    def pytest_sessionstart(self) -> None:
        """Begin."""
        self.lines.start()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        """What follows is of this test."""
        self.lines.switch_context(item.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write all of it."""
        self.lines.stop()
        self.lines.save()


def survives(path: str, code: CodeType, tests: Sequence[str]) -> bool:
    """Whether all tests pass with other code in the place of a module."""

    def work() -> int:
        sys.meta_path.insert(0, Planted(module_of(path), code))
        return _pytest(tests)

    return not tests or in_child(work) == 0


def tests_of(found: Covered, path: str, line: int, anywhere: bool) -> list[str]:
    """Tests that run a line of a file: the file's own first, then those that run the least.

    Args:
        anywhere: it runs where the module is imported, and all tests of the module are meant.
    """
    mine = {test: files[path] for test, files in found.items() if path in files}
    hits = [test for test, lines in mine.items() if anywhere or line in lines]
    if anywhere:  # a query that another module runs
        users = importers(path)
        mine = {test: files for test, files in found.items() if not users.isdisjoint(files)} | mine
        hits = list(mine)
        # A constant is held by tests that run no line of the file.
        own = (ROOT / TESTS).rglob(f"test_{Path(path).stem}*.py")
        return [*sorted(str(one.relative_to(ROOT)) for one in own), *_ranked(found, path, hits)]
    return _ranked(found, path, hits)


def _ranked(found: Covered, path: str, tests: Sequence[str]) -> list[str]:
    size = {test: sum(map(len, found[test].values())) for test in tests}
    own = f"/test_{Path(path).stem}.py::"
    return sorted(tests, key=lambda test: (own not in test, size[test], test))


def module_of(path: str) -> str:
    """The name that a file of the repository is imported by."""
    return "surgqa." + path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def importers(path: str) -> set[str]:
    """Files of the checks that import a file of them, or from it."""
    name, out = module_of(path), set()
    for file in (ROOT / CHECKED).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and name in (
                node.module, *(f"{node.module}.{one.name}" for one in node.names)
            ):  # fmt: skip
                out.add(str(file.relative_to(ROOT)))
    return out
