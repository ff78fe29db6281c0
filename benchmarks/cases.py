"""The measured commands: what they need, and where they write."""

from __future__ import annotations

import os
import re
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
CHANGED = "surgstu/locate.yaml"


PRODUCT = os.environ.get("SURGQA_BENCH_PYTHON", sys.executable)
"""Python that runs surgqa, from an environment with only the packages that users install.

Beam imports pandas and boto3 if they are installed; here they are, for the plain script and for
tests.
"""


REAL = Path(os.environ.get("SURGQA_REAL_DATA", REPOSITORY.parent / "shared" / "data"))
"""Folder with real labels; a case that needs them is left out where they are not."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of the data sets; the targets apply to the one named ``full``."""

    videos: int = 50
    seconds: int = 2000
    few: int = 5
    scale: int = 20
    long_seconds: int = 36_000
    films: int = 12
    film_seconds: int = 60


OTHERS = ("surgcot", "sapbench", "medstream")
"""Benchmarks besides SurgSTU that have questions about the videos of CholecT50."""

QUICK = Sizes(videos=4, seconds=300, few=2, scale=2, long_seconds=1200, films=2, film_seconds=4)


@dataclass(frozen=True, slots=True)
class Case:
    """A command that is measured.

    Attributes:
        out: folder that it writes; it is removed before the run, and its items are counted.
        fresh: further folders that are removed before the run.
        after: cases that must run earlier in the same round.
        large: whether the case belongs to the larger scale.
        accepted: exit statuses that count as success.
    """

    name: str
    title: str
    argv: tuple[str, ...]
    out: Path | None = None
    fresh: tuple[Path, ...] = ()
    after: tuple[str, ...] = ()
    large: bool = False
    accepted: tuple[int, ...] = field(default=(0,))


@dataclass(frozen=True, slots=True)
class Folders:
    """Folders inside the work folder."""

    work: Path

    def data(self, name: str) -> Path:
        return self.work / "data" / name

    def out(self, name: str) -> Path:
        return self.work / "out" / name

    @property
    def cache(self) -> Path:
        return self.work / "cache"

    @property
    def templates(self) -> Path:
        return self.work / "templates"


def surgqa(*arguments: str) -> tuple[str, ...]:
    """Return the surgqa command line, run as a module of this repository."""
    return (PRODUCT, "-m", "surgqa.pipeline.cli", *arguments)


def build(root: Path, out: Path, profile: str, workers: int, *more: str) -> tuple[str, ...]:
    """Return the command of ``surgqa build`` for SurgSTU from one data folder."""
    return surgqa(
        "build", "--dataset", "cholect50", "--root", str(root), "--benchmark", "surgstu",
        "--profile", profile, "--out", str(out), "--workers", str(workers),
        "--format", "parquet,jsonl", *more,
    )  # fmt: skip


def plain(root: Path, out: Path, profile: str) -> tuple[str, ...]:
    """Return the command of the plain script."""
    arguments = (str(root), str(out), "--profile", profile)
    return (sys.executable, "-m", "benchmarks.plain_script", *arguments)


def cases(folders: Folders) -> list[Case]:
    """Return all cases, in the order in which one round runs them."""
    full, few, large = (folders.data(name) for name in ("full", "few", "large"))
    cached = ("--cache", str(folders.cache))
    changed = ("--templates", str(folders.templates))

    def made(name: str, title: str, root: Path, profile: str, workers: int, more=(), **options):
        out = folders.out(name)
        argv = build(root, out, profile, workers, *more)
        return Case(name, title, argv, out=out, **options)

    def by_hand(name: str, title: str, profile: str) -> Case:
        out = folders.out(name)
        return Case(name, title, plain(full, out, profile), out=out)

    def decoded(workers: int) -> Case:
        films = (str(folders.data("films")), "--workers", str(workers))
        argv = (PRODUCT, "-m", "benchmarks.decode", *films)
        return Case(f"decode_{workers}", f"decoding films, {workers} worker(s)", argv)

    def of(name: str, dataset: str, root: Path) -> Case:
        """Return the build of all templates of a benchmark."""
        out = folders.out(name)
        argv = surgqa("build", "--dataset", dataset, "--root", str(root), "--benchmark", name,
                      "--out", str(out), "--workers", "1", "--format", "parquet,jsonl")  # fmt: skip
        return Case(name, f"build, {name} of {dataset}", argv, out=out)

    check = surgqa("check", str(folders.out("build_1")))
    bypasses, long = REAL / "multibypass140", folders.data("long")
    others = tuple(one for name in OTHERS for one in ("--benchmark", name))
    return [
        Case("help", "surgqa --help", surgqa("--help")),
        Case("list", "surgqa list", surgqa("list")),
        by_hand("plain", "plain script, paper", "paper"),
        made("build_1", "build, paper, 1 worker", full, "paper", 1),
        made("build_2", "build, paper, 2 workers", full, "paper", 2),
        Case("check", "check of that", check, after=("build_1",), accepted=(0, 1)),
        by_hand("plain_current", "plain script, current", "current"),
        made("build_current", "build, current, 1 worker", full, "current", 1),
        made("few", "build, paper, few videos", few, "paper", 1),
        made(
            "cached", "build into an empty cache", full, "paper", 1, cached, fresh=(folders.cache,)
        ),
        made(
            "rebuild", "the same, a template changed", full, "paper", 1, (*cached, *changed),
            after=("cached",),
        ),
        of("surgcot", "cholect50", full),
        of("sapbench", "cholect50", full),
        *([of("medstream", "multibypass140", bypasses)] if bypasses.is_dir() else []),
        made("long_1", "one long video, all benchmarks, 1 worker", long, "paper", 1, others),
        made("long_2", "one long video, all benchmarks, 2 workers", long, "paper", 2, others),
        decoded(1),
        decoded(2),
        made("large_1", "build at scale, 1 worker", large, "paper", 1, large=True),
        made("large_2", "build at scale, 2 workers", large, "paper", 2, large=True),
    ]  # fmt: skip


def chosen(all_cases: list[Case], only: list[str], with_large: bool) -> list[Case]:
    """Return the named cases and those they need, in order; all cases if none is named.

    Raises:
        KeyError: a name is unknown; the message lists the known ones.
    """
    by_name = {case.name: case for case in all_cases}
    unknown = [name for name in only if name not in by_name]
    if unknown:
        raise KeyError(f"no case named {unknown[0]!r}; there are {', '.join(by_name)}")
    wanted = list(only) or [c.name for c in all_cases if with_large or not c.large]
    for name in wanted:
        wanted += [need for need in by_name[name].after if need not in wanted]
    return [case for case in all_cases if case.name in wanted]


def change_template(folders: Folders) -> None:
    """Copy the shipped templates and increase the version of one of them.

    Raises:
        ValueError: that template has no line with its version.
    """
    shutil.rmtree(folders.templates, ignore_errors=True)
    shutil.copytree(
        REPOSITORY / "templates", folders.templates, ignore=shutil.ignore_patterns("__pycache__")
    )
    path = folders.templates / CHANGED
    text, changes = re.subn(
        r"(?m)^version: (\d+)$", lambda found: f"version: {int(found[1]) + 1}", path.read_text()
    )
    if changes != 1:
        raise ValueError(f"templates/{CHANGED}: expected one line 'version: N', found {changes}")
    path.write_text(text)


def items_in(out: Path) -> int:
    """Return the number of rows in all JSON Lines files below ``data/``."""
    total = 0
    for path in sorted((out / "data").rglob("*.jsonl")):
        with path.open("rb") as lines:
            total += sum(1 for _ in lines)
    return total
