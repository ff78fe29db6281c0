"""Measure surgqa and a plain script alternately, and compare the results with the targets.

    python -m benchmarks [--work DIR] [--repeats 3] [--only CASE]… [--quick] [--json FILE]

Every case is a separate child process.  One round runs all cases one after another, and the rounds
are repeated, so that other work on the machine affects all cases alike.  The results are medians.
The cases at the larger scale take minutes and run ``--large-repeats`` times.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
from dataclasses import asdict, replace
from pathlib import Path

from benchmarks.cases import (
    QUICK,
    REPOSITORY,
    Case,
    Folders,
    Sizes,
    cases,
    change_template,
    chosen,
    items_in,
)
from benchmarks.measure import Measure, measure
from benchmarks.targets import Figures, Target, medians, others_cores, ratio, targets

QUIET_CORES = 0.15
"""A warning is printed if other work uses more CPU cores than this."""

ENVIRONMENT = {"PYTHONPATH": str(REPOSITORY), "NO_COLOR": "1"}


def make_data(folders: Folders, sizes: Sizes, with_large: bool) -> None:
    """Generate missing labels and video files, each set in a separate child process."""
    wanted = {"full": (sizes.videos, 1), "few": (sizes.few, 1)}
    if with_large:
        wanted["large"] = (sizes.videos, sizes.scale)
    for name, (videos, scale) in wanted.items():
        _generate(
            folders, name, "benchmarks.generate_labels", "--videos", str(videos),
            "--seconds", str(sizes.seconds), "--scale", str(scale),
        )  # fmt: skip
    _generate(folders, "long", "benchmarks.generate_labels", "--videos", "1",
              "--seconds", str(sizes.long_seconds))  # fmt: skip
    _generate(
        folders, "films", "benchmarks.decode", "--make", "--films", str(sizes.films),
        "--seconds", str(sizes.film_seconds),
    )  # fmt: skip


def _generate(folders: Folders, name: str, module: str, *arguments: str) -> None:
    """Generate one set of data, unless the same set exists."""
    target, stamp = folders.data(name), " ".join(arguments)
    done = target / "made.txt"
    if done.is_file() and done.read_text() == stamp:
        return
    shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    log = folders.work / "generate.log"
    argv = [sys.executable, "-m", module, str(target), *arguments]
    if measure(argv, REPOSITORY, log, ENVIRONMENT).exit_status:
        raise SystemExit(f"generating {name} failed; the end of its output:\n{_tail(log)}")
    done.write_text(stamp)


def run_case(case: Case, folders: Folders) -> Measure | None:
    """Return the measurement of one run; if it fails, print the end of its log and return None."""
    if case.name == "rebuild":
        change_template(folders)
    for folder in (case.out, *case.fresh):
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
    log = folders.work / f"{case.name}.log"
    found = measure(case.argv, REPOSITORY, log, ENVIRONMENT)
    if found.exit_status not in case.accepted:
        _say(f"  {case.name}: exit status {found.exit_status}\n{_tail(log)}")
        return None
    if case.out is not None:
        found = replace(found, items=items_in(case.out))
    if case.large and case.out is not None:  # gigabytes that are not needed again
        shutil.rmtree(case.out, ignore_errors=True)
    return found


def run_rounds(
    wanted: list[Case], folders: Folders, repeats: int, large_repeats: int
) -> dict[str, list[Measure]]:
    """Return all runs of all cases; a failed case and those that need it are not run again."""
    runs: dict[str, list[Measure]] = {case.name: [] for case in wanted}
    failed: set[str] = set()
    for number in range(max(repeats, large_repeats)):
        for case in wanted:
            times = large_repeats if case.large else repeats
            if number >= times or failed & {case.name, *case.after}:
                continue
            found = run_case(case, folders)
            if found is None:
                failed.add(case.name)
                runs[case.name].clear()
                continue
            runs[case.name].append(found)
            _say(
                f"  round {number + 1}  {case.name:<14}{found.wall_s:8.2f} s wall"
                f"{found.cpu_s:8.2f} s CPU{found.peak_mb:8.0f} MB"
            )
    return runs


def table(wanted: list[Case], of_case: dict[str, Measure]) -> str:
    """Return the table of medians, with each case's CPU time divided by the plain script's."""
    head = ("case", "wall s", "CPU s", "MB", "items", "us/item", "CPU/plain")
    rows = [head]
    figures = Figures(of_case)
    for case in wanted:
        found = of_case.get(case.name)
        if found is None:
            rows.append((case.title, "failed", "", "", "", "", ""))
            continue
        base = "plain_current" if case.name.endswith("current") else "plain"
        against = None if case.large else ratio(found.cpu_s, figures.get(base, "cpu_s"))
        rows.append(
            (
                case.title, f"{found.wall_s:.2f}", f"{found.cpu_s:.2f}", f"{found.peak_mb:.0f}",
                "" if found.items is None else str(found.items),
                _number(figures.per_item(case.name), 1), _number(against, 2),
            )
        )  # fmt: skip
    widths = [max(len(row[k]) for row in rows) for k in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if k == 0 else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def verdicts(judged: list[Target], meaningful: bool) -> str:
    """Return one line for each target: met, MISSED, or not judged."""
    lines = []
    for target in judged:
        word = {True: "met", False: "MISSED", None: "not measured"}[target.met]
        if target.met is not None and not meaningful:
            word = "too small to judge"
        side = ">=" if target.at_least else "<="
        value = _number(target.value, 2) or "-"
        lines.append(f"{target.name:<34}{value:>9} {side} {target.limit:g} {target.unit:<3} {word}")
    return "\n".join(lines)


def report(runs: dict[str, list[Measure]], judged: list[Target], sizes: Sizes) -> dict[str, object]:
    """Return all measurements, for ``--json``."""
    return {
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "sizes": asdict(sizes),
        "runs": {name: [asdict(row) for row in rows] for name, rows in runs.items()},
        "other_work_cores": others_cores(medians(runs)),
        "targets": [{**asdict(target), "met": target.met} for target in judged],
    }


def _number(value: float | None, decimals: int) -> str:
    return "" if value is None else f"{value:.{decimals}f}"


def _tail(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines()[-12:]
    return "\n".join(f"    {line}" for line in lines)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def parse(argv: list[str] | None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--work", type=Path, default=REPOSITORY / "build" / "bench")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--large-repeats", type=int, default=1, help="0 skips the larger scale")
    parser.add_argument("--only", action="append", default=[], metavar="CASE")
    parser.add_argument("--quick", action="store_true", help="tiny data, to test the benchmarks")
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args(argv)
    if args.repeats < 1:
        parser.error("--repeats must be at least 1")
    args.work = args.work.resolve()
    try:
        args.wanted = chosen(cases(Folders(args.work)), args.only, args.large_repeats > 0)
    except KeyError as error:
        parser.error(error.args[0])
    return args


def main(argv: list[str] | None = None) -> int:
    """Run and print; return 1 if a case failed or a target was missed."""
    args = parse(argv)
    folders, sizes = Folders(args.work), QUICK if args.quick else Sizes()
    wanted = args.wanted
    args.work.mkdir(parents=True, exist_ok=True)
    make_data(folders, sizes, any(case.large for case in wanted))
    runs = run_rounds(wanted, folders, args.repeats, max(args.large_repeats, 1))
    of_case = medians(runs)
    judged = targets(of_case, sizes.scale)
    print(table(wanted, of_case))
    print()
    print(verdicts(judged, meaningful=not args.quick))
    busy = others_cores(of_case)
    if busy > QUIET_CORES:
        print(f"\nother work used {busy:.1f} cores meanwhile: the wall times are not reliable")
    if args.json:
        args.json.write_text(json.dumps(report(runs, judged, sizes), indent=1) + "\n")
    missed = not args.quick and any(target.met is False for target in judged)
    return 1 if missed or any(not rows for rows in runs.values()) else 0


if __name__ == "__main__":
    raise SystemExit(main())
