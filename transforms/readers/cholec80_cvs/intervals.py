"""Convert rows of scores to ratings that do not contradict each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from surgqa.ontology.concepts import label_map
from surgqa.ontology.records import UNKNOWN, Code, Span
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.readers.base import (
    DelimitedLine,
    Ledger,
    sorted_spans,
    spans_of,
    whole_number,
)
from surgqa.transforms.readers.base.delimited import fold

CRITERIA = ("two_structures", "cystic_plate", "hepatocystic_triangle")
FLAG = "critical_view"
RATED = (*CRITERIA, FLAG)
TIMES = ("initial_minute", "initial_second", "final_minute", "final_second")
COLUMNS = ("video", FLAG, *TIMES, *CRITERIA, "Total")
LIMITS = dict(zip((*TIMES, *RATED), (999, 59, 999, 59, 2, 2, 2, 1), strict=True))
"""The largest number in each column; the smallest is 0."""
ACHIEVED_FROM = 5
"""Sum of the three criteria from which the view counts as achieved."""


@dataclass(frozen=True, slots=True)
class RatedInterval:
    """A valid row: the seconds start <= s < end, and a score for each of RATED."""

    line: int
    start_s: int
    end_s: int
    scores: tuple[int, ...]


def statements(rows: Sequence[tuple[DelimitedLine, str]], ledger: Ledger) -> list[RatedInterval]:
    """Return the valid rows, sorted by time; other rows are rejected."""
    out = []
    for row, where in rows:
        one = _statement(row)
        if isinstance(one, RatedInterval):
            out.append(one)
        else:
            ledger.reject((row.line,), *one, where)
    return sorted(out, key=lambda one: (one.start_s, one.end_s, one.line))


def _statement(row: DelimitedLine) -> RatedInterval | tuple[Code, str]:
    cells = row.cells
    whole: list[int] = []
    for column, limit in LIMITS.items():
        value = whole_number(cells[fold(column)])
        if value is None or not 0 <= value <= limit:
            code = Code.BAD_TIME if column in TIMES else Code.BAD_VALUE
            return code, f"{column} is not a whole number from 0 to {limit}"
        whole.append(value)
    first, last = 60 * whole[0] + whole[1], 60 * whole[2] + whole[3]
    if last < first:
        return Code.BAD_TIME, f"the interval ends at {last} s, before it starts at {first} s"
    points = sum(whole[4:7])
    if whole_number(cells["total"]) != points or (points >= ACHIEVED_FROM) != bool(whole[7]):
        return Code.CONTRADICTION, f"the criteria sum up to {points}, not to what the row says"
    return RatedInterval(row.line, first, last + 1, tuple(whole[4:]))


def resolved(
    said: Sequence[RatedInterval], source: str, ledger: Ledger
) -> tuple[tuple[Span, ...], int]:
    """Return ratings that do not overlap within a criterion, and the number of rows kept.

    If several rows cover a second and agree about a criterion, their score is attributed to the
    first of them.  If they disagree, the score is unknown.
    """
    shape = len(RATED), max((one.end_s for one in said), default=0)
    owner, score = (np.full(shape, UNKNOWN, dtype=np.int64) for _ in range(2))
    torn = np.zeros(shape, dtype=bool)
    for place, one in enumerate(said):
        here = slice(one.start_s, one.end_s)
        new = score[:, here] == UNKNOWN
        given = np.array(one.scores)[:, None]
        torn[:, here] |= ~new & (score[:, here] != given)
        owner[:, here] = np.where(new, place, owner[:, here])
        score[:, here] = np.where(new, given, score[:, here])
    kept = sum(_is_used(one, torn[:, one.start_s : one.end_s], source, ledger) for one in said)
    owner[torn] = UNKNOWN
    instants = np.arange(shape[1]) * SECOND_US
    spans = [
        _rating(column, said[int(span.label)], span)
        for column in range(len(RATED))
        for span in spans_of(
            "rating", instants, owner[column], list(map(str, range(len(said)))), SECOND_US, source,
            lambda first, last: "",
        )
    ]  # fmt: skip
    return sorted_spans(spans), kept


def _is_used(one: RatedInterval, torn: np.ndarray, source: str, ledger: Ledger) -> bool:
    """Return whether the scores of a row are used for at least one second.

    Args:
        torn: bool (len(RATED), seconds of the row), True where another row disagrees.
    """
    where, at = f"{source}:{one.line}", (one.line,)
    if torn.all():
        reason = "other rows of the same seconds give each criterion another score"
        ledger.reject(at, Code.CONTRADICTION, reason, where)
        return False
    if torn.any():
        seconds = int(torn.any(axis=0).sum())
        reason = f"another row gives other scores in {seconds} s of it; those count as unknown"
        ledger.repair(at, Code.CONTRADICTION, reason, where)
    return True


def _rating(column: int, row: RatedInterval, span: Span) -> Span:
    concept = label_map("cholec80_cvs")["rating"][RATED[column]]
    pointer = f"row {row.line}, column {RATED[column]}"
    return replace(span, label=concept, value=float(row.scores[column]), pointer=pointer)
