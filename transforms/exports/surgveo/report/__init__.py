"""The report of a study: tables, charts and an HTML page."""

from surgqa.transforms.exports.surgveo.report.tables import Titled, gaps_table, tables
from surgqa.transforms.exports.surgveo.report.write import write_report

__all__ = ["Titled", "gaps_table", "tables", "write_report"]
