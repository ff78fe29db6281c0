"""Checks rows in MedStreamBench's released schema, from any source, for known defects.

Only the rows are needed.  This package shares no code with the code that makes or exports them.
"""

from surgqa.transforms.checks.medstream.codes import CODES
from surgqa.transforms.checks.medstream.facts import StreamFacts
from surgqa.transforms.checks.medstream.report import RowFinding, RowReport
from surgqa.transforms.checks.medstream.run import (
    RowChecks,
    check_files,
    check_rows,
    row_files,
    row_problems,
)

__all__ = [
    "CODES",
    "StreamFacts",
    "RowChecks",
    "RowFinding",
    "RowReport",
    "check_files",
    "check_rows",
    "row_files",
    "row_problems",
]
