"""Check, average and compare the scores that people gave to generated videos (SurgVeo)."""

from transforms.scoring.surgveo.cells import error_shares
from transforms.scoring.surgveo.design import (
    Design,
    design_of,
    missing,
    read_rows,
    require_complete,
    write_rows,
)
from transforms.scoring.surgveo.report import report_of

__all__ = [
    "Design", "design_of", "error_shares", "missing", "read_rows", "report_of",
    "require_complete", "write_rows",
]  # fmt: skip
