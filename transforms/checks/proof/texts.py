"""Texts of a template printed again from what a row holds, and held against its words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ontology.alerts import ALERT
from transforms.algebra.tree import Node, Print, Read, Text
from transforms.algebra.types import BOX
from transforms.checks.proof.printing import Page, printed
from transforms.checks.proof.reading import Known, Unread, cases_of, value_of
from transforms.language.program import Stage

SHAPES = {
    "box": r"\[\d+, \d+, \d+, \d+\]", "where": r"( at \[\d+, \d+, \d+, \d+\])?",
    "whole": r"-?\d+", "clock": r"-?\d+\.\d\d s", "letters": r"[A-Z](, [A-Z])*",
}  # fmt: skip
"""What a filter prints of a value that the row does not hold; any words for others."""


class Unprintable(Exception):
    """A value is not one that its filter prints."""


def says(text: Text, found: str, known: Known, page: Page) -> bool:
    """Whether a text of a row is what its template prints of the row's values.

    A text begins with a capital.  A value that the row does not hold may be anything of its
    filter's shape; the evidence settles it.

    Raises:
        Unprintable: a value is not one that its filter prints.
    """
    if found != capital(found):
        return False
    either = (found, found[:1].lower() + found[1:])
    if not any(_has_ends(text, one) for one in either):
        return False  # of another wording: its values need not be printed
    try:
        return "".join(_pieces(text, known, page)) in either
    except Unread:
        pattern = "".join(_pattern(piece, known, page) for piece in text)
        return any(re.fullmatch(pattern, one, re.DOTALL) for one in either)


def _has_ends(text: Text, found: str) -> bool:
    """Whether a text may be found by what it has before its first value and after its last."""
    first, last = text[:1], text[-1:]
    return all(not isinstance(one, str) or found.startswith(one) for one in first) and all(
        not isinstance(one, str) or found.endswith(one) for one in last
    )


def _pieces(text: Text, known: Known, page: Page) -> Iterator[str]:
    for piece in text:
        yield piece if isinstance(piece, str) else _printed(piece, known, page)


def expected(text: Text, known: Known, page: Page) -> str:
    """A whole text as it is printed, for messages: dots for what the row does not hold."""
    line = plain(text, known, page)
    return capital(line)


def capital(text: str) -> str:
    """A text as it begins a line: with a capital, unless it is an alert."""
    return text if text.startswith(ALERT) else text[:1].upper() + text[1:]


def plain(text: Text, known: Known, page: Page) -> str:
    """What a text prints within another, without a capital of its own."""
    out = []
    for piece in text:
        try:
            out.append(piece if isinstance(piece, str) else _printed(piece, known, page))
        except Unread:
            out.append("…")
    return "".join(out)


def _pattern(piece: str | Print, known: Known, page: Page) -> str:
    if isinstance(piece, str):
        return re.escape(piece)
    try:
        return re.escape(_printed(piece, known, page))
    except Unread:
        return SHAPES.get(piece.filter, r".+")


def _printed(piece: Print, known: Known, page: Page) -> str:
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


def statement(piece: Print, value: Any, known: Known, page: Page) -> str:
    """The words of a statement, by its number or by themselves."""
    texts = [text for text, _ in cases_of(piece.node, known.program)]
    if not texts:
        raise Unread("statement")
    if isinstance(value, str):
        words = ["".join(_pieces(one, known, page)) for one in texts]
        if value not in words:
            raise Unprintable(f"{value!r} is no statement of the template")
        return value
    if not isinstance(value, int) or not 0 <= value < len(texts):
        raise Unprintable(f"{value!r} is no statement of the template")
    return "".join(_pieces(texts[value], known, page))


def node_of(piece: Print) -> Node:
    """What a piece prints: the place of a fact is its box."""
    if piece.filter == "where" and piece.node.type.name == "fact":
        return Read(BOX, piece.node, "box")
    return piece.node


def unread_nodes(stage: Stage) -> list[Node]:
    """What a question's texts print and no row holds, each once."""
    grounds = stage.rubric.grounds if stage.rubric is not None else ()
    texts = (*stage.texts, grounds)
    nodes = [node_of(piece) for text in texts for piece in text if isinstance(piece, Print)]
    return [one for one in dict.fromkeys(nodes) if isinstance(one, Read) and _is_unread(one)]


def _is_unread(node: Read) -> bool:
    base = node.base
    if base.type.name == "fact" and node.reader in ("box", "value", "centre", "rater", "text"):
        return True
    return isinstance(base, Read) and _is_unread(base)
