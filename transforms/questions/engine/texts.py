"""Filling texts: one string for each row, by joining pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from transforms.algebra.columns.rows import Rows
from transforms.algebra.tree import Print, Text
from transforms.questions.engine.printers import Sheet, printer
from transforms.questions.engine.typed import typed


def texts(text: Text, rows: Rows, sheets: Sequence[Sheet]) -> list[str]:
    """The finished text of every row.

    Args:
        sheets: of each row: where its seconds begin and how its instances are told apart.
    """
    columns = [[piece] * rows.n if isinstance(piece, str) else _printed(piece, rows, sheets)
               for piece in text]  # fmt: skip
    return ["".join(parts) for parts in zip(*columns, strict=True)] if columns else [""] * rows.n


def _printed(piece: Print, rows: Rows, sheets: Sequence[Sheet]) -> list[str]:
    show = printer(piece.filter, piece.node.type.name)
    of = piece.node.type.of
    return [show(value, replace(sheet, kind=of))
            for value, sheet in zip(typed(piece.node, rows), sheets, strict=True)]  # fmt: skip


def capital(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[:1].upper() + text[1:]
