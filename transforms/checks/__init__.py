"""The independent checker: computes every answer again from ``evidence/`` and audits a dataset.

The checker shares no code with the packages that generate questions. The modules that prove answers
are imported on first use, so that 'surgqa list' and 'surgqa show' can print the codes without
DuckDB.

Terms of this room:

- Finding: an error, a warning or a measurement, with a code.
- To prove a row: to compute its values and texts from the evidence again, and to compare them.
- Pointer: the place in ``evidence/``, or in a label file, on which a value rests.
- Case: the filling of one item, that is, its drawn names and its window.
- D01, S01 and so on: rules for rows of MedStreamBench, whose codes begin the docstrings of the
  functions that test them.
"""

from typing import TYPE_CHECKING

from surgqa.ontology.on_use import on_use
from surgqa.transforms.checks.codes import CODES, Severity

if TYPE_CHECKING:
    from surgqa.transforms.checks.report import CheckFinding, CheckReport
    from surgqa.transforms.checks.run import check_output

__all__ = ["CODES", "CheckReport", "CheckFinding", "Severity", "check_output"]

__getattr__ = on_use(__name__, {"report": "CheckFinding CheckReport", "run": "check_output"})
