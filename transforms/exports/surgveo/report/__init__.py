"""What a study found: tables, charts and a page."""

from transforms.exports.surgveo.report.tables import Titled, gaps_table, tables
from transforms.exports.surgveo.report.write import write_report

__all__ = ["Titled", "gaps_table", "tables", "write_report"]
