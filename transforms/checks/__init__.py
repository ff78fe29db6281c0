"""The second implementation: recomputes every answer from ``evidence/`` and audits a dataset.

Shares no code with the rooms that generate questions.  What proves is imported when it is first
asked for: the codes alone, which 'surgqa list' and 'surgqa show' print, need no DuckDB.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from transforms.checks.codes import CODES, Severity

if TYPE_CHECKING:
    from transforms.checks.report import CheckReport, Finding
    from transforms.checks.run import check_output

__all__ = ["CODES", "CheckReport", "Finding", "Severity", "check_output"]

_LATER = {"CheckReport": "report", "Finding": "report", "check_output": "run"}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(name)
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
