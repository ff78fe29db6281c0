"""Tests run against a mutant, each in a process of its own that shares what does not change."""

from __future__ import annotations

import ast
import json
import os
import shutil
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

import pytest

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

    assert not any(name.startswith("transforms.checks") for name in sys.modules)
    outputs.built = _kept(outputs.built, scratch)
    drawn.written = _kept_drawn(drawn.written, scratch)


def _kept(built: Callable, scratch: Path) -> Callable:
    """Builds once for all processes: no build depends on a check."""

    def kept(root: Path, dataset: str, files: Sequence[Path]) -> Any:
        from transforms.store.folder import OutputFolder

        name = "-".join([dataset, *(file.stem for file in files)])[:200]
        there = scratch / name
        if not (there / "out").is_dir():
            _unwatched(built, there, dataset, files)
        shutil.copytree(there / "out", root / "out")
        return OutputFolder(root / "out")

    return kept


def _kept_drawn(written: Callable, scratch: Path) -> Callable:
    """The same for made-up recordings."""

    def kept(seeds: range, out: Path) -> None:
        there = scratch / f"drawn-{seeds.start}-{seeds.stop}"
        if not there.is_dir():
            _unwatched(written, seeds, there)
        shutil.copytree(there, out)

    return kept


def _unwatched(work: Callable, *given: object) -> None:
    """Do something of which no line is written down, which takes a fraction of the time."""
    watching = sys.gettrace()
    sys.settrace(None)
    try:
        work(*given)
    finally:
        sys.settrace(watching)


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


def covered(to: Path, only: Sequence[str] = ()) -> Covered:
    """Which test runs which lines of the checks; tests that fail as things are stop all.

    Raises:
        RuntimeError: a test fails without any mutant.
    """
    tests = [f"--ignore={TESTS}/{name}" for name in LEFT_OUT]
    told = to.with_suffix(".txt")
    code = in_child(lambda: _pytest([*(only or [TESTS]), *tests], Watching(to)), WHOLE_S, told)
    if code != 0:
        last = "\n".join(told.read_text(errors="replace").splitlines()[-30:])
        raise RuntimeError(f"tests of the checks fail as they are: status {code}\n{last}")
    return json.loads(to.read_text())


def _pytest(args: Sequence[str], *plugins: object) -> int:
    quiet = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    return int(pytest.main([*args, *quiet], plugins=list(plugins)))


class Watching:
    """A plugin that writes down the lines that each test runs."""

    def __init__(self, to: Path) -> None:
        self.to = to
        self.found: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        self.lines: dict[str, set[int]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        """Watch one test with its set-up."""
        self.lines = self.found[item.nodeid]
        sys.settrace(self._call)
        try:
            return (yield)
        finally:
            sys.settrace(None)

    def _call(self, frame: FrameType, _event: str, _arg: object) -> Callable | None:
        if CHECKED not in frame.f_code.co_filename or "/tests/" in frame.f_code.co_filename:
            return None
        mine = self.lines[str(Path(frame.f_code.co_filename).relative_to(ROOT))]
        mine.add(frame.f_lineno)

        def line(frame: FrameType, _event: str, _arg: object) -> Callable:
            mine.add(frame.f_lineno)
            return line

        return line

    def pytest_sessionfinish(self) -> None:
        """Write all of it."""
        plain = {test: {file: sorted(lines) for file, lines in files.items()}
                 for test, files in self.found.items()}  # fmt: skip
        self.to.write_text(json.dumps(plain))


class Mutated(MetaPathFinder, Loader):
    """Imports one module from other code."""

    def __init__(self, path: str, code: CodeType) -> None:
        self.code = code
        self.name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module's own place, with this as its loader."""
        spec = PathFinder.find_spec(name, path, target) if name == self.name else None
        if spec is not None:
            spec.loader = self
        return spec

    def exec_module(self, module: ModuleType) -> None:
        """Run the mutant."""
        exec(self.code, module.__dict__)


def survives(path: str, code: CodeType, tests: Sequence[str]) -> bool:
    """Whether all tests pass with other code in the place of a module."""

    def work() -> int:
        sys.meta_path.insert(0, Mutated(path, code))
        return _pytest(tests)

    return not tests or in_child(work) == 0


def tests_of(found: Covered, path: str, line: int, anywhere: bool) -> list[str]:
    """Tests that run a line of a file, those that run the least first.

    Args:
        anywhere: it runs where the module is imported, and all tests of the module are meant.
    """
    mine = {test: files[path] for test, files in found.items() if path in files}
    hits = [test for test, lines in mine.items() if anywhere or line in lines]
    if anywhere:  # a query that another module runs
        users = importers(path)
        mine = {test: files for test, files in found.items() if not users.isdisjoint(files)} | mine
        hits = list(mine)
    size = {test: sum(map(len, found[test].values())) for test in mine}
    return sorted(hits, key=lambda test: (size[test], test))


def importers(path: str) -> set[str]:
    """Files of the checks that import a file of them, or from it."""
    name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    out = set()
    for file in (ROOT / CHECKED).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and name in (
                node.module, *(f"{node.module}.{one.name}" for one in node.names)
            ):  # fmt: skip
                out.add(str(file.relative_to(ROOT)))
    return out
