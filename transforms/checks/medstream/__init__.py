"""Rows in MedStreamBench's released schema, ours or anyone's, held against what is known to
go wrong with such rows.

Nothing is needed but the rows; shares no code with what makes or exports them.
"""

from transforms.checks.medstream.codes import CODES
from transforms.checks.medstream.facts import Facts
from transforms.checks.medstream.report import RowFinding, RowReport
from transforms.checks.medstream.run import (
    RowChecks,
    check_files,
    check_rows,
    row_files,
    row_problems,
)

__all__ = [
    "CODES",
    "Facts",
    "RowChecks",
    "RowFinding",
    "RowReport",
    "check_files",
    "check_rows",
    "row_files",
    "row_problems",
]
