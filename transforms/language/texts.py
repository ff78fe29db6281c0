"""Texts: wordings, statements and clues, cut into pieces with typed values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from transforms.algebra.tree import Node, Place, Print, Read, Text
from transforms.language.context import BROKEN, At, Context, Scope
from transforms.language.filters import FILTERS, filters_for, takes
from transforms.language.resolve import is_broken, named, read_in_turn
from transforms.language.wording import Ref, Wording, WordingError, compile_wording

_OPENS = re.compile(r"\{\{\s*")


def text_of(c: Context, data: Any, at: At, scope: Scope, key: bool = False) -> Text:
    """A text cut into pieces; each reference is held against the names in reach."""
    pieces = wording_of(c, data, at)
    places = iter(_places(c, data, at, key) if pieces else ())
    return tuple(
        piece if isinstance(piece, str) else printed(c, piece, at, scope, next(places))
        for piece in pieces
    )


def _places(c: Context, data: str, at: At, key: bool) -> Iterator[Place]:
    """Where each reference begins; the text itself where it is folded or escaped."""
    exact = not key and "\n" not in data and "\\" not in data
    for found in _OPENS.finditer(data):
        yield c.place(at, found.end() if exact else 0, key)


def wording_of(c: Context, data: Any, at: At) -> Wording:
    """A text cut into literal pieces and references; empty with a finding where it is none."""
    if not isinstance(data, str) or not data.strip():
        c.add("T102", at, f"a text is expected, found {data!r}", "put it in quotes")
        return ()
    try:
        return compile_wording(data, FILTERS)
    except WordingError as error:
        c.add(error.code, at, str(error), error.fix)
        return ()


def printed(c: Context, ref: Ref, at: At, scope: Scope, place: Place) -> Print:
    """One reference as a node with its filter."""
    shown = ".".join(ref.path)
    node = _node(c, ref.path, at, scope, place)
    if is_broken(node):
        return Print(BROKEN, "", place)
    if len(ref.filters) > 1:
        c.add("T107", at, "one filter only: a filter gives finished text", place=place)
    if not ref.filters:
        if not (isinstance(node, Read) and node.base.type.name == "stage"):
            fix = f"filters: {', '.join(filters_for(node.type))}"
            c.add("T104", at, f"{shown!r} ({node.type}) needs a filter", fix, place=place)
        return Print(node, "", place)
    name = ref.filters[0]
    if not takes(name, node.type):
        fix = f"filters: {', '.join(filters_for(node.type))}"
        c.add("T117", at, f"filter {name!r} does not take {node.type} ({shown})", fix, place=place)
    return Print(node, name, place)


def _node(c: Context, path: tuple[str, ...], at: At, scope: Scope, place: Place) -> Node:
    head, *rest = path
    if head == "variant":
        message = "a variant's text is put in as '{{ variant.key }}', with no filter"
        return c.add("T107", at, message, place=place)
    if head in scope.forbidden:
        message = f"{head!r} cannot be said here: {scope.forbidden[head]}"
        return c.add("T109", at, message, place=place)
    node = named(c, head, at, scope, place)
    if node.type.name == "stage" and rest[:1] == ["answer"]:
        node, rest = Read(node.type, node, "answer", None, place), rest[1:]
    return read_in_turn(c, node, [(reader, "") for reader in rest], ".".join(path), at, scope)
