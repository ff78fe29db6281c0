"""Check, average and compare the scores that people gave to generated videos (SurgVeo)."""

from transforms.scoring.surgveo.design import Design, design_of, missing, require_complete
from transforms.scoring.surgveo.measures import error_shares
from transforms.scoring.surgveo.report import report_of
from transforms.scoring.surgveo.rows import read_rows, write_rows

__all__ = [
    "Design", "design_of", "error_shares", "missing", "read_rows", "report_of",
    "require_complete", "write_rows",
]  # fmt: skip
