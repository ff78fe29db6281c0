"""Are comparisons, limits and constants of all rooms tested?

``python -m tests.mutants --count 100 --seed S`` changes one place at a time, in a copy of the
last commit, and prints the changes that no test notices; status 1 if fewer than 95 % are noticed.
The nearest tests run first, then those that import the file, then those of the room, then all.
With ``--rooms`` all tests are not run: what those before do not notice counts as not noticed.
With ``--only transforms/checks`` only files below it are changed.

A test that fails without a change notices nothing: the tests that noticed changes run once more
without one, on files that are written in the same way.  Changes that only failing tests noticed are
then tried again without those.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import Queue

from surgqa.ontology.keys import h64
from tests.transforms.checks.mutants.equivalent import EQUIVALENT
from tests.transforms.checks.mutants.mutating import Mutant, mutants, mutated

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("ontology", "pipeline", "templates", "transforms")
ELSEWHERE = {
    "transforms/readers": "readers", "transforms/samples": "readers",
    "transforms/places": "places", "pipeline/engines": "engines", "pipeline/submit": "engines",
    "pipeline/docs": "docs",
}  # fmt: skip
"""Files by how their paths begin, and the folder of their tests that is not named like theirs."""
WANTED = 0.95
"""The least share of changes that tests notice."""
LIMIT_S = 3600
"""Wall seconds of one run of tests; a change that makes them endless is noticed."""
ENDLESS = "a run that does not end"
FAILED = re.compile(r"^(?:FAILED|ERROR) (tests/\S+?\.py(?:::\w+(?:\[.*?\](?= - |$))?)?)", re.M)
"""A failing test in pytest's summary, or a file that cannot be collected."""


def drawn(seed: str, only: str = "") -> list[Mutant]:
    """Every change of every room, in an order that the seed draws.

    Args:
        only: how the paths of the files begin; all without.
    """
    out: list[Mutant] = []
    for path in _tracked():
        if path.startswith(ROOMS) and path.startswith(only) and path.endswith(".py"):
            out += mutants(path, (ROOT / path).read_text(encoding="utf-8"))
    kept = [one for one in out if not one.text.startswith(tuple(EQUIVALENT))]
    return sorted(kept, key=lambda one: h64(seed, one.path, one.number, one.what))


def _tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, check=True)
    return listed.stdout.decode().splitlines()


def copied(to: Path) -> None:
    """The last commit, compiled, as a repository of its own: some tests ask git for the files."""
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(to)], check=True)
    if (ROOT / "build").is_dir():  # what tests find there is not in the repository
        (to / "build").symlink_to(ROOT / "build")
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-p", "no:cacheprovider"]
    subprocess.run(command, cwd=to, capture_output=True, check=True, env=env)


def near(path: str, root: Path = ROOT, rooms: bool = False) -> Iterator[list[str]]:
    """Tests to run, nearest first: named like the file, importing it, of its folders, all.

    Args:
        rooms: whether to leave out all.
    """
    file = Path("tests") / path
    named = [
        one.relative_to(root) for one in sorted((root / file.parent).glob(f"test_{file.stem}*.py"))
    ]
    reader = Path("tests/readers") / f"test_{file.parent.name}.py"
    own = list(map(str, [*named, *([reader] if (root / reader).is_file() else [])]))
    users = [one for one in importing(path, root) if one not in own]
    yield from filter(None, (own, users))
    for folder in (file.parent, *file.parent.parents):
        if folder in (Path("tests"), Path("tests/transforms"), Path()):
            break
        if (root / folder).is_dir():
            yield [str(folder)]
    yield from ([f"tests/{room}"] for start, room in ELSEWHERE.items() if path.startswith(start))
    if not rooms:
        yield ["tests"]


def importing(path: str, root: Path) -> list[str]:
    """Files of tests, in any room, that import a file or from it."""
    room, _, name = f"surgqa.{path.removesuffix('.py')}".replace("/", ".").rpartition(".")
    found = re.compile(rf"^\s*(from {room}\.{name} |import {room}\.{name}\b"
                       rf"|from {room} import .*\b{name}\b)", re.M)  # fmt: skip
    files = sorted((root / "tests").rglob("test_*.py"))
    return [str(one.relative_to(root)) for one in files if found.search(one.read_text("utf-8"))]


@contextmanager
def written(files: Mapping[str, ast.Module], copy: Path) -> Iterator[None]:
    """Files of the copy as other trees, and as they were at the end."""
    before = {path: (copy / path).read_text(encoding="utf-8") for path in files}
    try:
        for path, tree in files.items():
            (copy / path).write_text(ast.unparse(tree), encoding="utf-8")
        yield
    finally:
        for path, source in before.items():
            (copy / path).write_text(source, encoding="utf-8")


def noticed(mutant: Mutant, some: list[str], copy: Path, without: Iterable[str] = ()) -> list[str]:
    """Those of some tests that notice a change; tests of ``without`` are not run."""
    source = (copy / mutant.path).read_text(encoding="utf-8")
    with written({mutant.path: mutated(source, mutant)}, copy):
        return failing(some, copy, without)


def failing_anyway(names: Sequence[str], paths: Iterable[str], copy: Path) -> list[str]:
    """Those of some tests that fail without a change, or because comments and quotes are others."""
    if not names:
        return []
    trees = {path: ast.parse((copy / path).read_text(encoding="utf-8")) for path in paths}
    with written(trees, copy):
        return failing(names, copy, first=False)


def failing(
    tests: Iterable[str], copy: Path, without: Iterable[str] = (), first: bool = True
) -> list[str]:
    """Those of some tests that fail; with ``first``, only until one has failed."""
    command = [sys.executable, "-m", "pytest", "-q", "-rfE", "-p", "no:cacheprovider",
               *(["-x"] if first else []), *tests,
               *(f"--deselect={one}" for one in without)]  # fmt: skip
    try:
        run = subprocess.run(command, cwd=copy, capture_output=True, timeout=LIMIT_S, check=False,
                             env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})  # fmt: skip
    except subprocess.TimeoutExpired:
        return [ENDLESS]
    if run.returncode in (0, 5):  # 5: no test was collected
        return []
    return FAILED.findall(run.stdout.decode()) or [f"pytest ends with status {run.returncode}"]


def tried(
    chosen: dict[int, Mutant], copies: Sequence[Path], rooms: bool = False
) -> dict[int, list[str]]:
    """Tests that notice each change and pass without it; one change at a time in each copy.

    The nearest tests of all changes run before any change meets further tests.
    """
    steps = {number: list(near(one.path, copies[0], rooms)) for number, one in chosen.items()}
    found: dict[int, list[str]] = {number: [] for number in chosen}
    broken: set[str] = set()
    free: Queue[Path] = Queue()
    for copy in copies:
        free.put(copy)

    def attempt(k: int) -> None:
        copy = free.get()
        found[k] = noticed(chosen[k], steps[k][step], copy, broken)
        free.put(copy)
        say(f"{k} {(found[k] or ['not noticed by', *steps[k][step]])}: {chosen[k]}")

    for step in range(max(map(len, steps.values()), default=0)):
        left = [k for k in chosen if step < len(steps[k]) and not found[k]]
        while left:
            with ThreadPoolExecutor(len(copies)) as pool:
                list(pool.map(attempt, left))
            names = sorted({name for k in left for name in found[k] if "::" in name} - broken)
            broken |= set(failing_anyway(names, {chosen[k].path for k in left}, copies[0]))
            left = [k for k in left if found[k] and set(found[k]) <= broken]
    for name in sorted(broken):
        say(f"fails without a change: {name}")
    return found


def say(text: str) -> None:
    """One line, at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    """Run the drawn changes; print each that no test notices."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="number of the first")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--workers", type=int, default=2, help="changes at a time")
    parser.add_argument("--rooms", action="store_true", help="do not run all tests at the end")
    parser.add_argument("--only", default="", help="how the paths of the files begin")
    told = parser.parse_args()
    wanted = range(told.first, told.first + told.count)
    chosen = {k: one for k, one in enumerate(drawn(told.seed, told.only)) if k in wanted}
    with tempfile.TemporaryDirectory(prefix="surgqa-mutants-") as scratch:
        copies = [Path(scratch) / str(k) for k in range(told.workers)]
        for copy in copies:
            copied(copy)
        found = tried(chosen, copies, told.rooms)
    for number in [k for k in chosen if not found[k]]:
        say(f"{number} LIVES: {chosen[number]}")
    killed = sum(map(bool, found.values()))
    say(f"seed {told.seed}: {killed} of {len(chosen)} mutants killed")
    return 0 if killed >= WANTED * len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
