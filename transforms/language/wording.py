"""Wordings of questions: texts with references ``{{ name | filter }}``, a small part of Jinja.

Jinja's parser reads them and reports line numbers. Only text, names, attributes and the filters of
this project are accepted. Jinja never evaluates anything.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from jinja2 import Environment, TemplateSyntaxError, nodes

from surgqa.transforms.language.context import nearest
from surgqa.transforms.registry import datasets


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference ``{{ name.attribute | filter }}``: a path of names, and the filters in order."""

    path: tuple[str, ...]
    filters: tuple[str, ...]


Wording = tuple["str | Ref", ...]
"""A text split into literal pieces and references; to fill it, the pieces are joined."""


class WordingError(Exception):
    """Error for a part of a wording that is not allowed; its code is that of the mistake."""

    def __init__(self, code: str, message: str, fix: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.fix = fix


@cache
def _parser() -> Environment:
    return Environment(autoescape=False)  # noqa: S701  (parser only, renders nothing)


def compile_wording(text: str, filters: Collection[str]) -> Wording:
    """Split a wording into literal text and references.

    Args:
        filters: names of the known filters.

    Raises:
        WordingError: T107 for a construct that is not allowed, T106 for an unknown filter.
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


# -- properties of a wording before values are inserted ------------------------------------


def literal(wording: Wording) -> str:
    """Return the wording with one character in place of every reference."""
    return "".join("\N{WHITE SQUARE}" if isinstance(p, Ref) else p for p in wording)


def essence(wording: Wording) -> tuple:
    """Return a wording without case, spaces and punctuation; wordings must differ in the rest."""
    parts = (p if isinstance(p, Ref) else " ".join(re.findall(r"\w+", p.lower())) for p in wording)
    return tuple(p for p in parts if p)


def source_named(wording: Wording) -> str | None:
    """Return the first dataset, file or frame number that a wording mentions; None without one."""
    found = _sources().search(literal(wording))
    return found.group(0) if found else None


@cache
def _sources() -> re.Pattern[str]:
    """Return a pattern for installed datasets, the Cholec family, files, and frame numbers."""
    known = "|".join(re.escape(name).replace("_", "[-_ ]?") for name in datasets())
    names = rf"\b(cholec\w*|{known})\b|\w+\.(json|png|mp4|txt)\b|\bframe (number|no\.?|\d+)"
    return re.compile(names, re.IGNORECASE)
