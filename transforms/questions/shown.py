"""What an item shows and tells beside its texts: pictures, and what else counts as right."""

from __future__ import annotations

from typing import Any

from transforms.algebra.columns.rows import Rows
from transforms.language.program import Program
from transforms.questions.printers import at_us
from transforms.questions.typed import typed

SHOWN, ALSO = "shown_us", "also"
"""Slots that are no names of a template: times of the pictures that are shown, in their order;
what a ranking may put first as well."""


def shown_times(program: Program, rows: Rows) -> list[tuple[int, ...]]:
    """Of each row the times of its pictures, microseconds of the recording."""
    if program.show is None:
        return [()] * rows.n
    values = typed(program.show, rows)
    return [tuple(map(at_us, one if isinstance(one, list) else [one])) for one in values]


def more_slots(program: Program, rows: Rows) -> list[dict[str, Any]]:
    """Of each row the slots that stand beside the template's names."""
    out: list[dict[str, Any]] = [{} for _ in range(rows.n)]
    if program.show is not None:
        for slots, times in zip(out, shown_times(program, rows), strict=True):
            slots[SHOWN] = list(times)
    ranked = program.stages[0].ranked
    if ranked is not None and ranked.also is not None:
        for slots, value in zip(out, typed(ranked.also, rows), strict=True):
            slots[ALSO] = value
    return out
