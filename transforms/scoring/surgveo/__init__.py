"""SurgVeo: check, average and compare the scores that people gave to generated videos."""

from surgqa.transforms.scoring.surgveo.cells import error_shares
from surgqa.transforms.scoring.surgveo.design import (
    Design,
    design_of,
    missing,
    read_rows,
    require_complete,
    write_rows,
)
from surgqa.transforms.scoring.surgveo.report import report_of

__all__ = [
    "Design", "design_of", "error_shares", "missing", "read_rows", "report_of",
    "require_complete", "write_rows",
]  # fmt: skip
