"""Tests that look at one filling at a time, on those that passed everything else."""

from __future__ import annotations

from collections.abc import Callable

from ontology.times import SECOND_US
from transforms.questions.candidates import Candidates
from transforms.questions.facts import Facts

LazyTest = Callable[[Candidates, Facts, dict, int], tuple[bool, float, str]]
"""(candidates, facts, arguments, row) to (passed, measured, limit)."""


def distinct_extremes(c: Candidates, facts: Facts, args: dict, row: int) -> tuple[bool, float, str]:
    """The runner-up of each extreme is farther off than ``by`` or close in time."""
    view = c.view
    tool = int(c.col(args["tool"])[row])
    first, last = c.col(args["during"])[row].tolist()
    axis = int(c.value(args["axis"], row) == "vertical")
    span = slice(first, last + 1)
    value = view.centre[tool, span, axis].tolist()
    time = view.sample_time[tool, span].tolist()
    near = args["or_within_seconds"] * SECOND_US
    worst = float("inf")
    for sign in (1, -1):
        best = min(range(len(value)), key=lambda k: (sign * value[k], k))
        for k in range(len(value)):
            if k != best and abs(time[k] - time[best]) > near:
                worst = min(worst, sign * (value[k] - value[best]))
    return worst >= args["by"], worst, f">= {args['by']}"


LAZY: dict[str, LazyTest] = {"distinct_extremes": distinct_extremes}
