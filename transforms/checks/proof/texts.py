"""Prints the texts of a template with a row's values, and compares the row's texts with them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from surgqa.ontology.alerts import ALERT
from surgqa.transforms.algebra.tree import Node, Print, Read, Text
from surgqa.transforms.algebra.types import BOX
from surgqa.transforms.checks.proof.printing import Page, printed
from surgqa.transforms.checks.proof.reading import RowValues, Unread, cases_of, value_of
from surgqa.transforms.language.program import Stage

SHAPES = {
    "box": r"\[\d+, \d+, \d+, \d+\]", "where": r"( at \[\d+, \d+, \d+, \d+\])?",
    "whole": r"-?\d+", "clock": r"-?\d+\.\d\d s", "letters": r"[A-Z](, [A-Z])*",
}  # fmt: skip
"""Filter -> pattern for its text if the value is unknown; for other filters, any text matches."""


class Unprintable(Exception):
    """A filter cannot print a value."""


def says(text: Text, found: str, known: RowValues, page: Page) -> bool:
    """Return whether a text of a row is the text that the template gives for the row's values.

    If a value is unknown, any text in the format of its filter is accepted in its place; queries
    check such values.

    Raises:
        Unprintable: a filter does not accept its value.
    """
    if found != capital(found):
        return False
    small = found[:1].lower() + found[1:]
    if not _has_ends(text, found) and not _has_ends(text, small):
        return False  # another wording, so its values need not be printed
    try:
        return "".join(_pieces(text, known, page)) in (found, small)
    except Unread:
        pattern = "".join(_pattern(piece, known, page) for piece in text)
        return any(re.fullmatch(pattern, one, re.DOTALL) for one in (found, small))


def _has_ends(text: Text, found: str) -> bool:
    """Return whether a text begins and ends with the fixed words of the template's text."""
    if not text:
        return True
    first, last = text[0], text[-1]
    return (not isinstance(first, str) or found.startswith(first)) and (
        not isinstance(last, str) or found.endswith(last)
    )


def _pieces(text: Text, known: RowValues, page: Page) -> Iterator[str]:
    for piece in text:
        yield piece if isinstance(piece, str) else _printed(piece, known, page)


def expected(text: Text, known: RowValues, page: Page) -> str:
    """Return the expected text for a message, with dots for unknown values."""
    line = plain(text, known, page)
    return capital(line)


def capital(text: str) -> str:
    """Return a text with a capital first letter, unless it is an alert."""
    return text if text.startswith(ALERT) else text[:1].upper() + text[1:]


def plain(text: Text, known: RowValues, page: Page) -> str:
    """Return a text without a capital first letter, for use inside another text."""
    out = []
    for piece in text:
        try:
            out.append(piece if isinstance(piece, str) else _printed(piece, known, page))
        except Unread:
            out.append("…")
    return "".join(out)


def _pattern(piece: str | Print, known: RowValues, page: Page) -> str:
    if isinstance(piece, str):
        return re.escape(piece)
    try:
        return re.escape(_printed(piece, known, page))
    except Unread:
        return SHAPES.get(piece.filter, r".+")


def _printed(piece: Print, known: RowValues, page: Page) -> str:
    value = value_of(node_of(piece), known)
    if piece.node.type.name == "stage":
        return str(value)
    if piece.node.type.name == "statement":
        return statement(piece, value, known, page)
    try:
        of = piece.node.type
        return printed(piece.filter, of.name, value, page.on(of.of))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError) as error:
        raise Unprintable(f"{piece.filter} of {value!r}") from error


def statement(piece: Print, value: Any, known: RowValues, page: Page) -> str:
    """Return the text of a statement, given its number or its text."""
    texts = [text for text, _ in cases_of(piece.node, known.program)]
    if not texts:
        raise Unread("statement")
    if isinstance(value, str):
        words = ["".join(_pieces(one, known, page)) for one in texts]
        if value not in words:
            raise Unprintable(f"{value!r} is not a statement of the template")
        return value
    if not isinstance(value, int) or not 0 <= value < len(texts):
        raise Unprintable(f"{value!r} is not a statement of the template")
    return "".join(_pieces(texts[value], known, page))


def node_of(piece: Print) -> Node:
    """Return the expression that a piece of a text prints; for ``where``, the box of a fact."""
    if piece.filter == "where" and piece.node.type.name == "fact":
        return Read(BOX, piece.node, "box")
    return piece.node


def unread_nodes(stage: Stage) -> list[Node]:
    """Return the expressions that a stage's texts print and whose values no row contains."""
    grounds = stage.rubric.grounds if stage.rubric is not None else ()
    texts = (*stage.texts, grounds)
    nodes = [node_of(piece) for text in texts for piece in text if isinstance(piece, Print)]
    return [one for one in dict.fromkeys(nodes) if isinstance(one, Read) and _is_unread(one)]


def _is_unread(node: Read) -> bool:
    base = node.base
    if base.type.name == "fact" and node.reader in ("box", "value", "centre", "rater", "text"):
        return True
    return isinstance(base, Read) and _is_unread(base)
