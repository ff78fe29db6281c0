"""Are comparisons, limits and constants of all rooms tested?

``python -m tests.mutants --count 100 --seed S`` changes one place at a time, in a copy of the
last commit, and prints the changes that no test notices; status 1 if fewer than 95 % are noticed.
The nearest tests run first, then those of the room, then all.  Tests that fail without a change
notice nothing, so all of them must pass in the copy before.
"""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from surgqa.ontology.keys import h64
from tests.transforms.checks.mutants.__main__ import WANTED, say
from tests.transforms.checks.mutants.equivalent import EQUIVALENT
from tests.transforms.checks.mutants.mutating import Mutant, mutants, mutated

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("ontology", "pipeline", "templates", "transforms")
LIMIT_S = 1800
"""Wall seconds of one run of tests; a change that makes them endless is noticed."""


def drawn(seed: str) -> list[Mutant]:
    """Every change of every room, in an order that the seed draws."""
    out: list[Mutant] = []
    for path in _tracked():
        if path.startswith(ROOMS) and path.endswith(".py"):
            out += mutants(path, (ROOT / path).read_text(encoding="utf-8"))
    kept = [one for one in out if not one.text.startswith(tuple(EQUIVALENT))]
    return sorted(kept, key=lambda one: h64(seed, one.path, one.number, one.what))


def _tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, check=True)
    return listed.stdout.decode().splitlines()


def copied(to: Path) -> None:
    """The last commit, as a repository of its own, because some tests ask git for the files."""
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(to)], check=True)


def near(path: str, root: Path = ROOT) -> Iterator[list[str]]:
    """Tests to run, nearest first: those named like the file, those of its folders, all."""
    file = Path("tests") / path
    named = sorted(file.parent.glob(f"test_{file.stem}*.py")) if file.parent.is_dir() else []
    reader = Path("tests/readers") / f"test_{file.parent.name}.py"
    own = [*named, *([reader] if (root / reader).is_file() else [])]
    if own:
        yield list(map(str, own))
    for folder in (file.parent, *file.parent.parents):
        if folder in (Path("tests"), Path("tests/transforms"), Path()):
            break
        if (root / folder).is_dir():
            yield [str(folder)]
    if path.startswith("transforms/readers"):
        yield ["tests/readers"]
    yield ["tests"]


def lives(mutant: Mutant, copy: Path, workers: int) -> bool:
    """Whether no test notices a change."""
    file = copy / mutant.path
    source = file.read_text(encoding="utf-8")
    file.write_text(ast.unparse(mutated(source, mutant)), encoding="utf-8")
    try:
        return all(_passes(some, copy, workers) for some in near(mutant.path))
    finally:
        file.write_text(source, encoding="utf-8")


def _passes(tests: list[str], copy: Path, workers: int) -> bool:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-n",
               str(workers), *tests]  # fmt: skip
    try:
        run = subprocess.run(command, cwd=copy, capture_output=True, timeout=LIMIT_S, check=False,
                             env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})  # fmt: skip
    except subprocess.TimeoutExpired:
        return False
    return run.returncode in (0, 5)  # 5: no test was collected


def main() -> int:
    """Run the drawn changes; print each that no test notices."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="number of the first")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--workers", type=int, default=1, help="processes that run tests")
    parser.add_argument("--trusted", action="store_true", help="all tests passed before")
    told = parser.parse_args()
    chosen = drawn(told.seed)[told.first : told.first + told.count]
    living = 0
    with tempfile.TemporaryDirectory(prefix="surgqa-mutants-") as scratch:
        copied(Path(scratch))
        if not told.trusted and not _passes(["tests"], Path(scratch), told.workers):
            say("some tests fail without a change")
            return 2
        for number, one in enumerate(chosen, told.first):
            alive = lives(one, Path(scratch), told.workers)
            living += alive
            say(f"{number} {'LIVES' if alive else 'noticed'}: {one}")
    say(f"seed {told.seed}: {len(chosen) - living} of {len(chosen)} mutants killed")
    return 0 if len(chosen) - living >= WANTED * len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
