"""The second implementation: recomputes every answer from ``evidence/`` and audits a dataset.

Shares no code with the rooms that generate questions.
"""

from transforms.checks.codes import CODES, Severity
from transforms.checks.report import CheckReport, Finding
from transforms.checks.run import check_output

__all__ = ["CODES", "CheckReport", "Finding", "Severity", "check_output"]
