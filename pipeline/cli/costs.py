"""CPU time of a build, by template and by operator."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from surgqa.pipeline.cli.console import table

if TYPE_CHECKING:
    from surgqa.pipeline.run import BuildResult

MOST = 20
"""Lines of each table; the remaining entries are summed."""


def costs(result: BuildResult) -> str:
    """Two tables: CPU seconds of templates with their numbers of units, and of steps.

    The tables count the work of the workers on each video: reading labels, facts, questions, rows
    and files. Start-up, selection and writing the output are not included.
    """
    templates: dict[str, float] = defaultdict(float)
    steps: dict[str, float] = defaultdict(float)
    for (template, step), seconds in result.cost.items():
        templates[template] += seconds
        steps[step] += seconds
    shared = templates.pop("", 0.0)
    units = {name: entry["units"] for name, entry in result.ledger.items()}
    lines = [["template", "s", "%", "units", "us a unit"]]
    whole = sum(steps.values()) or 1.0
    for name, seconds in _first(templates):
        of = units.get(name, 0)
        cells = [str(of), f"{1e6 * seconds / of:.0f}"] if of else ["", ""]
        lines.append([name, f"{seconds:.2f}", f"{100 * seconds / whole:.1f}", *cells])
    lines.append(["for all templates", f"{shared:.2f}", f"{100 * shared / whole:.1f}", "", ""])
    by_step = [["operator or step", "s", "%"]]
    by_step += [[name, f"{s:.2f}", f"{100 * s / whole:.1f}"] for name, s in _first(steps)]
    return f"{table(lines)}\n\n{table(by_step)}"


def _first(seconds: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return the most expensive entries, and the sum of all others."""
    ordered = sorted(seconds.items(), key=lambda one: (-one[1], one[0]))
    rest = ordered[MOST:]
    more = [(f"{len(rest)} others", sum(one for _, one in rest))] if rest else []
    return ordered[:MOST] + more
