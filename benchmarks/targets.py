"""Compare the medians of a run with the targets of the performance page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from benchmarks.measure import Measure


@dataclass(frozen=True, slots=True)
class Target:
    """A measured value with the limit that it should meet.

    Attributes:
        value: the measured value; None if a case that it needs did not run.
        limit: the bound: a lower bound if ``at_least`` is set, else an upper bound.
    """

    name: str
    value: float | None
    limit: float
    unit: str = "x"
    at_least: bool = False

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None if nothing was measured."""
        if self.value is None:
            return None
        return self.value >= self.limit if self.at_least else self.value <= self.limit


def medians(runs: Mapping[str, list[Measure]]) -> dict[str, Measure]:
    """Return each case's median of every figure; cases without a run are left out."""

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
    """Return the average number of cores that other work used while the cases ran."""
    known = [(m.others_cpu_s, m.wall_s) for m in of_case.values() if m.others_cpu_s is not None]
    wall = sum(wall for _, wall in known)
    return sum(cpu for cpu, _ in known) / wall if wall else 0.0


class Figures:
    """Figures by case; a figure that needs a missing case is None."""

    def __init__(self, of_case: Mapping[str, Measure]) -> None:
        self.of_case = of_case

    def get(self, case: str, name: str) -> float | None:
        found = self.of_case.get(case)
        return getattr(found, name) if found else None

    def per_item(self, case: str) -> float | None:
        """Return the processor time per item in microseconds."""
        cpu, items = self.get(case, "cpu_s"), self.get(case, "items")
        return 1e6 * cpu / items if cpu and items else None


def ratio(a: float | None, b: float | None) -> float | None:
    """Return a / b, or None if either is missing."""
    return None if a is None or not b else a / b


def targets(of_case: Mapping[str, Measure], scale: int) -> list[Target]:
    """Return the targets. Those whose names begin with the same number are about one subject.

    Costs (1-4, 7) are compared by processor time, which other work on the machine affects least.
    Speed-up and response time (1, 5, 6) are wall time.

    Args:
        scale: size of the data of ``large_*``, as a multiple of that of ``build_1``.
    """
    f = Figures(of_case)
    walls = [w for w in (f.get("build_1", "wall_s"), f.get("build_2", "wall_s")) if w]
    cpu, again = f.get("build_1", "cpu_s"), f.get("rebuild", "cpu_s")
    memory = ratio(f.get("large_1", "peak_mb"), f.get("build_1", "peak_mb"))
    return [
        Target("1 build / plain script, CPU", ratio(cpu, f.get("plain", "cpu_s")), 0.5),
        Target("1 build, wall on two cores", min(walls) if walls else None, 15.0, "s"),
        Target(
            "2 CPU per item, current / paper",
            ratio(f.per_item("build_current"), f.per_item("build_1")), 1.0,
        ),
        *(Target(f"2 CPU per item, {name} / paper",
                 ratio(f.per_item(name), f.per_item("build_1")), 1.0)
          for name in ("surgcot", "sapbench", "medstream")),
        Target("3 check / build, CPU", ratio(f.get("check", "cpu_s"), cpu), 1.0),
        Target("4 memory, 1 worker", f.get("build_1", "peak_mb"), 450.0, "MB"),
        Target(f"4 memory at {scale}x / at 1x", memory, 1.15),
        Target(
            f"4 memory, all processes of 2 workers at {scale}x", f.get("large_2", "peak_mb"),
            700.0, "MB",
        ),
        Target(
            f"4 CPU at {scale}x / linear",
            ratio(f.get("large_1", "cpu_s"), None if cpu is None else scale * cpu), 1.0,
        ),
        Target(
            f"5 speed-up of 2 workers at {scale}x",
            ratio(f.get("large_1", "wall_s"), f.get("large_2", "wall_s")), 1.8, at_least=True,
        ),
        Target(
            "5 speed-up of 2 workers, full size",
            ratio(f.get("build_1", "wall_s"), f.get("build_2", "wall_s")), 1.6, at_least=True,
        ),
        Target(
            "5 speed-up of 2 workers, one long video",
            ratio(f.get("long_1", "wall_s"), f.get("long_2", "wall_s")), 1.7, at_least=True,
        ),
        Target(
            "5 speed-up of 2 workers, decoding",
            ratio(f.get("decode_1", "wall_s"), f.get("decode_2", "wall_s")), 1.6, at_least=True,
        ),
        Target("6 surgqa --help", f.get("help", "wall_s"), 0.3, "s"),
        Target("6 surgqa list", f.get("list", "wall_s"), 0.3, "s"),
        Target("7 rebuild / build, CPU", ratio(again, cpu), 0.40),
    ]  # fmt: skip
