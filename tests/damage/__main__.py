"""Try damaged files: ``python -m tests.damage --count 5000 --seed S``."""

from __future__ import annotations

import argparse
import io
import multiprocessing
import os
import sys
import tempfile
import time
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path

from tests.damage.kinds import KINDS
from tests.damage.tries import Kind, Problem, try_one


class Workshop:
    """Good files of every kind, made when they are first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.make = cache(self._make)

    def _make(self, make) -> Path:
        target = Path(tempfile.mkdtemp(dir=self.folder))
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            make(target)
        return target

    def try_number(self, seed: str, number: int, kinds: tuple[Kind, ...] = KINDS) -> Problem | None:
        """The try of this number: numbers go round the kinds."""
        kind = kinds[number % len(kinds)]
        return try_one(kind, self.make(kind.make), seed, number)


def _one(job: tuple[str, str, int, tuple[str, ...]]) -> tuple[int, str, Problem | None, float]:
    folder, seed, number, only = job
    kinds = tuple(k for k in KINDS if k.name.startswith(only or ""))
    began = time.monotonic()
    found = _workshop(folder).try_number(seed, number, kinds)
    return number, kinds[number % len(kinds)].name, found, time.monotonic() - began


@cache
def _workshop(folder: str) -> Workshop:
    return Workshop(Path(tempfile.mkdtemp(dir=folder)))


def say(text: str) -> None:
    """One line, at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    """Try all numbers; print each problem as it comes; 1 if there was any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--first", type=int, default=0, help="number of the first try")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", action="append", default=[], help="kinds that begin so")
    told = parser.parse_args()
    problems, tried, slowest = [], Counter(), (0.0, "")
    with tempfile.TemporaryDirectory(prefix="surgqa-workshop-") as folder:
        jobs = [(folder, told.seed, n, tuple(told.only))
                for n in range(told.first, told.first + told.count)]  # fmt: skip
        with multiprocessing.get_context("fork").Pool(told.workers) as pool:
            for number, name, problem, seconds in pool.imap_unordered(_one, jobs):
                tried[name.partition("/")[0]] += 1
                slowest = max(slowest, (seconds, f"{number} {name}"))
                if problem:
                    problems.append(problem)
                    say(str(problem))
    say(", ".join(f"{name}: {count}" for name, count in sorted(tried.items())))
    say(f"seed {told.seed}: {tried.total()} tries, {len(problems)} problems, "
          f"slowest {slowest[0]:.1f} s ({slowest[1]})")  # fmt: skip
    return 1 if problems else 0


if __name__ == "__main__":
    os.environ.setdefault("TZ", "UTC")
    sys.exit(main())
