"""Are limits, boundaries and comparisons of the checks tested?

``python -m tests.transforms.checks.mutants --count 200 --seed S`` changes one at a time and says
which changes no test notices; status 1 where fewer than 95 % are noticed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from surgqa.ontology.keys import h64
from tests.transforms.checks.mutants.equivalent import EQUIVALENT
from tests.transforms.checks.mutants.mutating import Mutant, is_run_at_import, mutants, mutated
from tests.transforms.checks.mutants.running import (
    CHECKED,
    ROOT,
    Covered,
    begin,
    covered,
    survives,
    tests_of,
)

WANTED = 0.95


def drawn(seed: str, only: Sequence[str] = ()) -> list[Mutant]:
    """Every mutant of the checks, in an order that the seed draws.

    Args:
        only: ends of the files' paths; all without.
    """
    out = []
    for file in sorted((ROOT / CHECKED).rglob("*.py")):
        path = str(file.relative_to(ROOT))
        if path.endswith(tuple(only) or ".py"):
            out += mutants(path, file.read_text(encoding="utf-8"))
    kept = [one for one in out if not one.text.startswith(tuple(EQUIVALENT))]
    return sorted(kept, key=lambda one: h64(seed, one.path, one.number, one.what))


def lives(mutant: Mutant, found: Covered) -> bool:
    """Whether a mutant is noticed by no test."""
    source = (ROOT / mutant.path).read_text(encoding="utf-8")
    tree = mutated(source, mutant)
    code = compile(tree, str(ROOT / mutant.path), "exec")
    anywhere = is_run_at_import(tree, mutant.line)
    return survives(mutant.path, code, tests_of(found, mutant.path, mutant.line, anywhere))


def say(text: str) -> None:
    """One line, at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    """Run them; print each that lives."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="number of the first")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", action="append", default=[], help="end of a file's path")
    parser.add_argument("--tests", action="append", default=[], help="tests to run, else all")
    parser.add_argument(
        "--covered", type=Path, help="which test runs which line: kept here, and read where it is"
    )
    parser.add_argument("--workers", type=int, default=1, help="so many at a time")
    told = parser.parse_args()
    chosen = drawn(told.seed, told.only)[told.first : told.first + told.count]
    with tempfile.TemporaryDirectory(prefix="surgqa-mutants-") as scratch:
        begin(Path(scratch))
        kept = told.covered or Path(scratch) / "covered.json"
        found = (json.loads(kept.read_text()) if kept.is_file() else
                 covered(kept, told.tests, told.workers))  # fmt: skip
        living = 0
        with ThreadPoolExecutor(told.workers) as pool:
            for number, alive in enumerate(pool.map(lambda one: lives(one, found), chosen)):
                living += alive
                if alive:
                    say(f"lives: {number} {chosen[number]}")
    killed = len(chosen) - living
    say(f"seed {told.seed}: {killed} of {len(chosen)} mutants killed")
    return 0 if killed >= WANTED * len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
