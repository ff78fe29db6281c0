"""Wording: a closed subset of Jinja, cut once into pieces.

Jinja's parser gives the braces people know and line numbers; the tree is then walked
and only text, names, attributes and filters of our own list are let through.  Nothing
is ever evaluated by Jinja.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from jinja2 import Environment, TemplateSyntaxError, nodes

from transforms.language.context import nearest
from transforms.registry import datasets


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
            raise _foreign(node, "only text and {{ name.attribute | filter }} are allowed")
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
            near = nearest(node.name, known, "filters", most=len(known))
            raise WordingError("T106", f"no filter named {node.name!r}", near)
        filters.insert(0, node.name)
        node = node.node  # type: ignore[assignment]
    path: list[str] = []
    while isinstance(node, nodes.Getattr):
        path.insert(0, node.attr)
        node = node.node
    if not isinstance(node, nodes.Name):
        raise _foreign(node, "only {{ name.attribute | filter }} is allowed")
    return Ref((node.name, *path), tuple(filters))


def _foreign(node: nodes.Node, fix: str) -> WordingError:
    return WordingError("T107", f"'{type(node).__name__}' is not part of the language", fix)


# -- what is read of a wording without filling it -----------------------------------------


def literal(wording: Wording) -> str:
    """The wording with a placeholder for every reference."""
    return "".join("\N{WHITE SQUARE}" if isinstance(p, Ref) else p for p in wording)


def essence(wording: Wording) -> tuple:
    """What must differ between two wordings: case, spaces and marks do not count."""
    parts = (p if isinstance(p, Ref) else " ".join(re.findall(r"\w+", p.lower())) for p in wording)
    return tuple(p for p in parts if p)


def source_named(wording: Wording) -> str | None:
    """The dataset, file or frame number that a wording names."""
    found = _sources().search(literal(wording))
    return found.group(0) if found else None


@cache
def _sources() -> re.Pattern[str]:
    """Installed datasets, the Cholec family, files, and frame numbers."""
    known = "|".join(re.escape(name).replace("_", "[-_ ]?") for name in datasets())
    names = rf"\b(cholec\w*|{known})\b|\w+\.(json|png|mp4|txt)\b|\bframe (number|no\.?|\d+)"
    return re.compile(names, re.IGNORECASE)
