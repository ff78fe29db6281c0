"""Split texts of a template (wordings, statements, clues) into literal pieces and values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from surgqa.transforms.algebra.tree import Node, Place, Print, Read, Text
from surgqa.transforms.language.context import BROKEN, At, ParseContext, Scope
from surgqa.transforms.language.filters import FILTERS, filters_for, takes
from surgqa.transforms.language.resolve import is_broken, named, read_in_turn
from surgqa.transforms.language.wording import Ref, Wording, WordingError, compile_wording

_OPENS = re.compile(r"\{\{\s*")


def text_of(c: ParseContext, data: Any, at: At, scope: Scope, key: bool = False) -> Text:
    """Return a text, split at its references ``{{ name | filter }}``; each must name a value."""
    pieces = wording_of(c, data, at)
    places = iter(_places(c, data, at, key) if pieces else ())
    return tuple(
        piece if isinstance(piece, str) else printed(c, piece, at, scope, next(places))
        for piece in pieces
    )


def _places(c: ParseContext, data: str, at: At, key: bool) -> Iterator[Place]:
    """Yield each reference's position, or the text's if the text is folded or has escapes."""
    exact = not key and "\n" not in data and "\\" not in data
    for found in _OPENS.finditer(data):
        yield c.place(at, found.end() if exact else 0, key)


def wording_of(c: ParseContext, data: Any, at: At) -> Wording:
    """Return a text, split at its references; empty, with a mistake recorded, if it is invalid."""
    if not isinstance(data, str) or not data.strip():
        c.add("T102", at, f"a text is expected, found {data!r}", "put it in quotes")
        return ()
    try:
        return compile_wording(data, FILTERS)
    except WordingError as error:
        c.add(error.code, at, str(error), error.fix)
        return ()


def printed(c: ParseContext, ref: Ref, at: At, scope: Scope, place: Place) -> Print:
    """Return the value that one reference ``{{ name | filter }}`` prints, with its filter."""
    shown = ".".join(ref.path)
    node = _node(c, ref.path, at, scope, place)
    if is_broken(node):
        return Print(BROKEN, "", place)
    if len(ref.filters) > 1:
        c.add("T107", at, "use one filter; a filter returns finished text", place=place)
    name, fix = "".join(ref.filters[:1]), f"filters: {', '.join(filters_for(node.type))}"
    if name and not takes(name, node.type):
        c.add("T117", at, f"filter {name!r} does not take {node.type} ({shown})", fix, place=place)
    elif not name and not (isinstance(node, Read) and node.base.type.name == "stage"):
        c.add("T104", at, f"{shown!r} ({node.type}) needs a filter", fix, place=place)
    return Print(node, name, place)


def _node(c: ParseContext, path: tuple[str, ...], at: At, scope: Scope, place: Place) -> Node:
    head, *rest = path
    if head == "variant":
        message = "a variant's text is inserted by '{{ variant.key }}', without a filter"
        return c.add("T107", at, message, place=place)
    if head in scope.forbidden:
        message = f"{head!r} cannot be printed here: {scope.forbidden[head]}"
        return c.add("T109", at, message, place=place)
    node = named(c, head, at, scope, place)
    if node.type.name == "stage" and rest[:1] == ["answer"]:
        node, rest = Read(node.type, node, "answer", None, place), rest[1:]
    return read_in_turn(c, node, [(reader, "") for reader in rest], ".".join(path), at, scope)
