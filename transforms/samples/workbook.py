"""Write small workbooks (.xlsx) for samples: one sheet, inline text, always the same bytes.

No spreadsheet library is used, because those write the current time into their files.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from xml.sax.saxutils import escape

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'


def workbook(rows: Sequence[Sequence[str | float]]) -> bytes:
    """Return a workbook whose only sheet holds these rows; '' leaves a cell out."""
    body = "".join(
        f'<row r="{number}">{"".join(_cell(c, number, cell) for c, cell in enumerate(cells))}</row>'
        for number, cells in enumerate(rows, 1)
    )
    parts = {
        "[Content_Types].xml": (
            f'<Types xmlns="{_PACKAGE}/content-types">'
            '<Default Extension="rels" ContentType='
            '"application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
            f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/>'
            "</Types>"
        ),
        "_rels/.rels": _relation("officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": (
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
            '<sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>'
        ),
        "xl/_rels/workbook.xml.rels": _relation("worksheet", "worksheets/sheet1.xml"),
        "xl/worksheets/sheet1.xml": (
            f'<worksheet xmlns="{_MAIN}"><sheetData>{body}</sheetData></worksheet>'
        ),
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name), _HEAD + text, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _relation(kind: str, target: str) -> str:
    return (
        f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/{kind}" Target="{target}"/></Relationships>'
    )


def _cell(column: int, row: int, value: str | float) -> str:
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    if value == "":
        return ""
    if isinstance(value, str):
        text = f"<is><t>{escape(value)}</t></is>"
        return f'<c r="{letters}{row}" t="inlineStr">{text}</c>'
    return f'<c r="{letters}{row}"><v>{value!r}</v></c>'
