"""Wording: a closed subset of Jinja, cut once into pieces.

Jinja's parser gives the braces people know and line numbers; the tree is then walked
and only text, names, attributes and filters of our own list are let through.  Nothing
is ever evaluated by Jinja.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache

from jinja2 import Environment, TemplateSyntaxError, nodes


@dataclass(frozen=True, slots=True)
class Ref:
    """``{{ name.attribute | filter }}``: a path of names and the filters, in order."""

    path: tuple[str, ...]
    filters: tuple[str, ...]


Wording = tuple["str | Ref", ...]
"""A text cut once into literal pieces and references; filling it is joining."""


class WordingError(Exception):
    """What is not allowed, with its finding code."""

    def __init__(self, code: str, message: str, fix: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.fix = fix


@cache
def _parser() -> Environment:
    return Environment(autoescape=False)  # noqa: S701  (parser only, renders nothing)


def compile_wording(text: str, filters: Collection[str]) -> Wording:
    """Cut a wording into literal text and references.

    Args:
        filters: names of those that there are.

    Raises:
        WordingError: T107 for a construct that is not allowed, T106 for a filter that
            does not exist.
    """
    try:
        tree = _parser().parse(text)
    except TemplateSyntaxError as error:
        raise WordingError("T107", f"cannot be read: {error.message}") from None
    pieces: list[str | Ref] = []
    for node in tree.body:
        if not isinstance(node, nodes.Output):
            raise WordingError(
                "T107",
                f"'{type(node).__name__}' is not part of the language",
                "only text and {{ name.attribute | filter }} are allowed",
            )
        pieces += [_piece(part, filters) for part in node.nodes]
    return tuple(pieces)


def _piece(node: nodes.Node, known: Collection[str]) -> str | Ref:
    if isinstance(node, nodes.TemplateData):
        return node.data
    filters: list[str] = []
    while isinstance(node, nodes.Filter):
        if node.args or node.kwargs or node.dyn_args or node.dyn_kwargs:
            raise WordingError("T107", f"filter {node.name!r} takes no arguments")
        if node.name not in known:
            raise WordingError("T106", f"no filter named {node.name!r}", _near(node.name, known))
        filters.insert(0, node.name)
        node = node.node  # type: ignore[assignment]
    path: list[str] = []
    while isinstance(node, nodes.Getattr):
        path.insert(0, node.attr)
        node = node.node
    if not isinstance(node, nodes.Name):
        raise WordingError(
            "T107",
            f"'{type(node).__name__}' is not part of the language",
            "only {{ name.attribute | filter }} is allowed",
        )
    return Ref((node.name, *path), tuple(filters))


def _near(name: str, known: Collection[str]) -> str:
    close = get_close_matches(name, sorted(known), 1)
    return f"did you mean {close[0]!r}?" if close else "filters: " + ", ".join(sorted(known))
