"""The independent checker: computes each answer of a dataset again from the folder ``evidence/``.

The checker shares no code with the packages that generate questions. The modules that compute
answers are imported on first use, so that 'surgqa list' and 'surgqa show' can print the codes
without DuckDB.

``docs/README.md`` explains words such as template, item, filling, window, fact and hole. Here also:

- Finding: an error, a warning or a measurement, with a code.
- To prove a row of ``data/``: to compute its values and texts from the evidence again, and to
  compare the row with them.
- Pointer: a reference to the row of ``evidence/``, or the place in a label file, that a value was
  read from.
- Case: the data of one item that a query starts from: its window, its query time and the values of
  its names.
- D01, S01 and so on: codes of the rules for rows of MedStreamBench (``docs/medstream.md``). The
  docstring of the function that tests a rule begins with its code.
"""

from typing import TYPE_CHECKING

from surgqa.ontology.on_use import on_use
from surgqa.transforms.checks.codes import CODES, Severity

if TYPE_CHECKING:
    from surgqa.transforms.checks.report import CheckFinding, CheckReport
    from surgqa.transforms.checks.run import check_output

__all__ = ["CODES", "CheckReport", "CheckFinding", "Severity", "check_output"]

__getattr__ = on_use(__name__, {"report": "CheckFinding CheckReport", "run": "check_output"})
