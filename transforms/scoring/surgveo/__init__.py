"""SurgVeo: check, average and compare the scores that people gave to generated videos."""

from surgqa.transforms.scoring.surgveo.cells import error_shares, report_of
from surgqa.transforms.scoring.surgveo.design import (
    Design,
    design_of,
    missing,
    read_rows,
    require_complete,
    write_rows,
)

__all__ = [
    "Design", "design_of", "error_shares", "missing", "read_rows", "report_of",
    "require_complete", "write_rows",
]  # fmt: skip
