"""Blinded score sheets of SurgVeo: as CSV, and as a page that shows the videos."""

from surgqa.transforms.exports.surgveo.sheets.page import page
from surgqa.transforms.exports.surgveo.sheets.study import (
    RatedClip,
    Study,
    StudySample,
    make_study,
    order,
    sheet_name,
    study_from_dict,
    study_to_dict,
)
from surgqa.transforms.exports.surgveo.sheets.table import write_table
from surgqa.transforms.exports.surgveo.sheets.take_in import take_in

__all__ = [
    "RatedClip",
    "Study",
    "StudySample",
    "make_study",
    "order",
    "page",
    "sheet_name",
    "study_from_dict",
    "study_to_dict",
    "take_in",
    "write_table",
]
