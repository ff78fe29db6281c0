"""Check, average and compare the scores that people gave to generated videos (SurgVeo)."""

from transforms.scoring.surgveo.agreement import icc_2_1, quadratic_kappa, rater_agreement
from transforms.scoring.surgveo.cells import Cell, cells, drop_over_time, violin_points
from transforms.scoring.surgveo.design import (
    Design,
    Sample,
    design_of,
    make_design,
    missing,
    require_complete,
)
from transforms.scoring.surgveo.errors import ErrorShares, error_shares
from transforms.scoring.surgveo.paired import Paired, paired, sign_test
from transforms.scoring.surgveo.report import report_of
from transforms.scoring.surgveo.rows import read_rows, write_rows
from transforms.scoring.surgveo.spread import cell_intervals, stage_means

__all__ = [
    "Cell",
    "Design",
    "ErrorShares",
    "Paired",
    "Sample",
    "cell_intervals",
    "cells",
    "design_of",
    "drop_over_time",
    "error_shares",
    "icc_2_1",
    "make_design",
    "missing",
    "paired",
    "quadratic_kappa",
    "rater_agreement",
    "read_rows",
    "report_of",
    "require_complete",
    "sign_test",
    "stage_means",
    "violin_points",
    "write_rows",
]
