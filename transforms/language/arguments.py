"""Arguments of operators that are neither patterns nor single values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ontology.kinds import kind, kind_names
from transforms.algebra.signature import Param
from transforms.algebra.tree import Const, Name, Node
from transforms.algebra.types import WORD, Type, fields_of
from transforms.language.conditions import condition
from transforms.language.context import At, Context, Scope, nearest
from transforms.language.resolve import BROKEN, expression, is_broken, labelled
from transforms.language.settings import amount, choice, whole
from transforms.language.texts import text_of
from transforms.language.vocab import DOMAINS, scales

Argument = Callable[[Context, Any, At, Scope, Param], Any]


def values(
    c: Context, data: Any, at: At, scope: Scope, wanted: tuple[str, ...]
) -> tuple[tuple[Node, ...], Type] | None:
    """Nodes of one value or a list, and their common type; None where one is broken."""
    listed = data if isinstance(data, list) else [data]
    nodes = []
    for i, one in enumerate(listed):
        here = (*at, i) if isinstance(data, list) else at
        node = expression(c, one, here, scope)
        if not is_broken(node) and wanted and node.type.name not in (*wanted, "none"):
            c.mismatch(here, wanted, node.type, scope, node.place)
        nodes.append(node)
    if not nodes:
        c.add("T102", at, "the list is empty", "write at least one value")
        return None
    if any(map(is_broken, nodes)):
        return None
    one = joined([node.type for node in nodes])
    if one.name == "label" and one.of:
        nodes = [labelled(c, node, one.of, at) for node in nodes]
    return (tuple(nodes), one) if not any(map(is_broken, nodes)) else None


def joined(types: list[Type]) -> Type:
    """The type of one of several values; a bare word takes the type of the others."""
    for one in types:
        if one.name not in ("none",) and one != Type("label"):
            return one
    return types[0]


def cases(
    c: Context, data: Any, at: At, scope: Scope
) -> tuple[tuple[object, Node], ...]:  # fmt: skip
    """(text, condition) of every statement."""
    if not isinstance(data, dict) or len(data) < 2:
        c.add("T102", at, "'cases' needs at least two statements", "write 'statement: condition'")
        return ()
    return tuple(
        (text_of(c, text, (*at, text), scope, key=True), condition(c, one, (*at, text), scope))
        for text, one in data.items()
    )


def _choice(c: Context, data: Any, at: At, scope: Scope, param: Param) -> str:
    return choice(c, data, at, param.choices)


def _choices(c: Context, data: Any, at: At, scope: Scope, param: Param) -> tuple[str, ...]:
    listed = data if isinstance(data, list) else [data]
    return tuple(
        choice(c, one, (*at, i) if isinstance(data, list) else at, param.choices)
        for i, one in enumerate(listed)
    )


def _lengths(c: Context, data: Any, at: At, scope: Scope, param: Param) -> tuple[Any, ...]:
    listed = data if isinstance(data, list) else [data]
    return tuple(amount(c, one, (*at, i)) for i, one in enumerate(listed))


def _scale(c: Context, data: Any, at: At, scope: Scope, param: Param) -> Any:
    """Name of a scale, (word, bound) pairs, or the rating that has one."""
    if isinstance(data, dict):
        pairs = tuple((str(word), amount(c, low, (*at, word)).low) for word, low in data.items())
        if [low for _, low in pairs] != sorted(low for _, low in pairs):
            c.add("T102", at, "the bounds of a scale rise from word to word", "sort them")
        return pairs
    if isinstance(data, str) and data in scales():
        return data
    return _rated(c, data, at, scope)


def _rated(c: Context, data: Any, at: At, scope: Scope) -> Node:
    if isinstance(data, str) and data.split(".")[0] not in scope.names:
        c.add("T106", at, f"no scale {data!r}", nearest(data, scales(), "scales"))
        return BROKEN
    node = expression(c, data, at, scope)
    if not is_broken(node) and not node.type.fits(Type("label", "rating")):
        c.mismatch(at, ("label of rating",), node.type, scope, node.place)
    return node


def _labels(c: Context, data: Any, at: At, scope: Scope, param: Param) -> Node:
    """A domain of labels as a constant whose type its labels have, or the rating with a scale."""
    place = c.place(at)
    if isinstance(data, str) and data in scales():
        return Const(WORD, data, place)
    if isinstance(data, str) and data in kind_names():
        c.kinds.add(data)
        domain = kind(data).fields.get("label")
        if domain is None:
            c.add("T104", at, f"facts of {data} have no label",
                  nearest("", fields_of(data), "fields"))  # fmt: skip
            return BROKEN
        return Const(Type("label", domain), data, place)
    if isinstance(data, str) and data in DOMAINS:
        return Const(Type("label", data), data, place)
    if isinstance(data, str) and data.split(".")[0] not in scope.names:
        known = (*kind_names(), *DOMAINS, *scales())
        c.add("T106", at, f"no kind, domain or scale {data!r}", nearest(data, known))
        return BROKEN
    node = _rated(c, data, at, scope)
    return node if is_broken(node) else _with_type(node)


def _with_type(node: Node) -> Node:
    from dataclasses import replace

    return replace(node, type=WORD)


def _name(c: Context, data: Any, at: At, scope: Scope, param: Param) -> Node:
    if not isinstance(data, str) or data not in scope.names:
        c.add("T104", at, f"no name {data!r} here", nearest(str(data), scope.names, "names"))
        return BROKEN
    c.used.add(data)
    return Name(scope.names[data], data, c.place(at))


def border(c: Context, data: Any, at: At) -> str:
    """``it.start`` or ``it.end``: which border of a fact orders it."""
    if data not in ("it.start", "it.end"):
        c.add("T102", at, f"'it.start' or 'it.end' is expected, found {data!r}")
    return str(data).removeprefix("it.")


ARGUMENTS: Mapping[str, Argument] = {
    "choice": _choice,
    "choices": _choices,
    "whole": lambda c, data, at, scope, param: whole(c, data, at),
    "length": lambda c, data, at, scope, param: amount(c, data, at),
    "lengths": _lengths,
    "scale": _scale,
    "labels": _labels,
    "name": _name,
}
"""How an argument is written -> what reads it."""
