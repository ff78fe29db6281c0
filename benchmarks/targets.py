"""The targets of the performance page, judged from one run's medians."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from benchmarks.measure import Measure


@dataclass(frozen=True, slots=True)
class Target:
    """One sentence to hold true.

    Attributes:
        value: what was measured, None where a case it needs did not run.
        limit: the bound; ``at_least`` says on which side the value must lie.
    """

    name: str
    value: float | None
    limit: float
    unit: str = "x"
    at_least: bool = False

    @property
    def met(self) -> bool | None:
        """None where nothing was measured."""
        if self.value is None:
            return None
        return self.value >= self.limit if self.at_least else self.value <= self.limit


def medians(runs: Mapping[str, list[Measure]]) -> dict[str, Measure]:
    """Per case, the median of each figure over its runs; cases that never ran are left out."""

    def known(rows: list[Measure], name: str) -> list[float]:
        return [getattr(row, name) for row in rows if getattr(row, name) is not None]

    def middle(rows: list[Measure], name: str) -> float:
        return median(known(rows, name))

    def middle_or_none(rows: list[Measure], name: str) -> float | None:
        return middle(rows, name) if known(rows, name) else None

    return {
        name: Measure(
            wall_s=middle(rows, "wall_s"),
            cpu_s=middle(rows, "cpu_s"),
            peak_mb=middle(rows, "peak_mb"),
            largest_mb=middle(rows, "largest_mb"),
            tree_mb=middle_or_none(rows, "tree_mb"),
            exit_status=max(row.exit_status for row in rows),
            others_cpu_s=middle_or_none(rows, "others_cpu_s"),
            items=rows[0].items,
        )
        for name, rows in runs.items()
        if rows
    }


def others_cores(of_case: Mapping[str, Measure]) -> float:
    """Cores that other work kept busy on average while the cases ran."""
    known = [(m.others_cpu_s, m.wall_s) for m in of_case.values() if m.others_cpu_s is not None]
    wall = sum(wall for _, wall in known)
    return sum(cpu for cpu, _ in known) / wall if wall else 0.0


class Figures:
    """Figures by case; anything computed from a missing case is None."""

    def __init__(self, of_case: Mapping[str, Measure]) -> None:
        self.of_case = of_case

    def get(self, case: str, name: str) -> float | None:
        found = self.of_case.get(case)
        return getattr(found, name) if found else None

    def per_item(self, case: str) -> float | None:
        """Processor microseconds per item."""
        cpu, items = self.get(case, "cpu_s"), self.get(case, "items")
        return 1e6 * cpu / items if cpu and items else None


def ratio(a: float | None, b: float | None) -> float | None:
    """a / b, None where either is missing."""
    return None if a is None or not b else a / b


def targets(of_case: Mapping[str, Measure], scale: int) -> list[Target]:
    """The seven targets, in parts.

    Costs (1-4, 7) compare processor time, which other work on the machine disturbs least;
    speed-up and response (1, 5, 6) are wall time.

    Args:
        scale: how many times the data of ``large_*`` is that of ``build_1``.
    """
    f = Figures(of_case)
    walls = [w for w in (f.get("build_1", "wall_s"), f.get("build_2", "wall_s")) if w]
    cpu, again = f.get("build_1", "cpu_s"), f.get("rebuild", "cpu_s")
    memory = ratio(f.get("large_1", "peak_mb"), f.get("build_1", "peak_mb"))
    return [
        Target("1 build / plain script, CPU", ratio(cpu, f.get("plain", "cpu_s")), 2.0),
        Target("1 build, wall on two cores", min(walls) if walls else None, 15.0, "s"),
        Target(
            "2 CPU per item, current / paper",
            ratio(f.per_item("build_current"), f.per_item("build_1")), 1.0,
        ),
        Target("3 check / build, CPU", ratio(f.get("check", "cpu_s"), cpu), 3.0),
        Target("4 memory, 1 worker", f.get("build_1", "peak_mb"), 450.0, "MB"),
        Target(f"4 memory at {scale}x / at 1x", memory, 1.15),
        Target(
            f"4 CPU at {scale}x / linear",
            ratio(f.get("large_1", "cpu_s"), None if cpu is None else scale * cpu), 1.1,
        ),
        Target(
            f"5 speed-up of 2 workers at {scale}x",
            ratio(f.get("large_1", "wall_s"), f.get("large_2", "wall_s")), 1.6, at_least=True,
        ),
        Target(
            "5 speed-up of 2 workers, full size",
            ratio(f.get("build_1", "wall_s"), f.get("build_2", "wall_s")), 1.6, at_least=True,
        ),
        Target(
            "5 speed-up of 2 workers, decoding",
            ratio(f.get("decode_1", "wall_s"), f.get("decode_2", "wall_s")), 1.6, at_least=True,
        ),
        Target("6 surgqa --help", f.get("help", "wall_s"), 0.5, "s"),
        Target("6 surgqa list", f.get("list", "wall_s"), 0.7, "s"),
        Target("7 rebuild / build, CPU", ratio(again, cpu), 0.40),
    ]  # fmt: skip
