"""Rows in MedStreamBench's format held against the rules without a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from surgqa.transforms.checks.medstream import RowChecks, RowReport, StreamFacts

Row = dict[str, Any]


def check_rows(
    rows: Iterable[Row], facts: StreamFacts | None = None, shown: Iterable[Row] = ()
) -> RowReport:
    """The report on rows with answers, and on rows for models, without."""
    checks = RowChecks(facts)
    for row in rows:
        checks.add(row)
    for row in shown:
        checks.add_shown(row)
    return checks.report()


def row_problems(row: Row, facts: StreamFacts | None = None) -> Iterator[tuple[str, str, Any]]:
    """(code, detail, severity) of all that is wrong with one row by itself."""
    for one in check_rows([row], facts).findings:
        yield one.code, one.detail, one.severity
