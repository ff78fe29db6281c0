"""Checks rows in the format of MedStreamBench, from any source, for known defects.

Only the rows are needed. This package shares no code with the code that makes or exports rows.

Symbols, as in the benchmark's paper: t_q is the time of the question, w the length of the window
that a model sees, t* the time of the event that a stream waits for, and delta the tolerance around
t*. D01 to S10 are the codes of the rules (``docs/medstream.md``).
"""

from surgqa.transforms.checks.medstream.codes import CODES
from surgqa.transforms.checks.medstream.run import RowChecks, RowReport, check_files, row_files
from surgqa.transforms.checks.medstream.times import StreamFacts

__all__ = ["CODES", "RowChecks", "RowReport", "StreamFacts", "check_files", "row_files"]
