"""Columns of a user's table that are named after a label and state whether it applies."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from surgqa.ontology.records import Code
from surgqa.transforms.readers.base.delimited import number
from surgqa.transforms.readers.base.tables.lines import LinePlace

SCORED = ("rating", "count")
"""Kinds whose columns hold a score instead of 1 or 0."""
SWITCH: Mapping[str | float, bool] = {
    **dict.fromkeys(("", "no", "false", 0.0), False),
    **dict.fromkeys(("yes", "x", "true", 1.0), True),
}
"""Cells of a flag, as lower-case words or as numbers -> whether the label applies."""


def refused(row: LinePlace, again: Collection[int]) -> tuple[Code, str] | None:
    """Return why a line of flags is invalid; ``again``: lines that repeat a frame or a video."""
    if row.line in again:
        time = row.text("at") or row.text("picture")
        what = f"the frame at {time!r}" if row.plan.timed else "the same video"
        code = Code.DUPLICATE_FRAME if row.plan.timed else Code.BAD_ROW
        return code, f"several lines are about {what}; none of them is used"
    for kind, columns in row.plan.flags.items():
        for column in columns if kind not in SCORED else ():
            if applies(row, column) is None:
                reason = f"{column} is {row.cell(column)[:40]!r} and not 1 or 0, yes or no"
                return Code.BAD_VALUE, reason
    return None


def applies(row: LinePlace, column: str) -> bool | None:
    """Return whether a flag says that its label applies; None if it says neither yes nor no."""
    return _switched(row.plain(row.cell(column)))


@lru_cache(maxsize=1024)
def _switched(cell: str) -> bool | None:
    value = number(cell)
    return SWITCH.get(cell.casefold() if value is None else value)


def torn_totals(row: LinePlace, labels: Sequence[tuple[str, str, str]]) -> dict[str, str]:
    """Return a reason for each total that is not the sum of its flags, and for these flags."""
    values = {word: number(row.plain(text)) for _, word, text in labels if row.plan.total}
    out: dict[str, str] = {}
    for total, parts in row.plan.total.items():
        stated, items = values.get(total), [values.get(part) for part in parts]
        known = [item for item in items if item is not None]
        if stated is not None and len(known) == len(parts) and stated != sum(known):
            reason = f"the {total} {stated:g} is not the sum {sum(known):g} of its items"
            out |= dict.fromkeys((total, *parts), reason)
    return out
