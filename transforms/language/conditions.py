"""Conditions: comparisons, names of truths, operators, and lists of them."""

from __future__ import annotations

from typing import Any

from transforms.algebra.tree import Call, Const, Node
from transforms.algebra.types import NUMBER, TRUTH
from transforms.language.context import At, Context, Scope
from transforms.language.resolve import BROKEN, is_broken, value


def condition(c: Context, data: Any, at: At, scope: Scope) -> Node:
    """The node of one condition; a list holds if all its members do."""
    if isinstance(data, list):
        if not data:
            c.add("T102", at, "a list of conditions is empty", "write a condition")
            return BROKEN
        return both(c, conditions(c, data, at, scope), at)
    node = value(c, data, at, scope)
    if is_broken(node):
        return BROKEN
    if isinstance(node, Call) and node.op == "only":
        return _one(node)
    if node.type != TRUTH:
        c.mismatch(at, ("truth",), node.type, scope, node.place)
        return BROKEN
    return node


def _one(only: Call) -> Call:
    """As a condition ``only`` says that there is one such fact and no other."""
    number = Call(NUMBER, "count", (("of", only.get("of")),), only.place)
    args = (("sign", "="), ("left", number), ("right", Const(NUMBER, 1, only.place)))
    return Call(TRUTH, "compare", args, only.place)


def conditions(c: Context, data: Any, at: At, scope: Scope) -> tuple[Node, ...]:
    """The nodes of a list of conditions."""
    if not isinstance(data, list):
        return (condition(c, data, at, scope),)
    return tuple(condition(c, one, (*at, i), scope) for i, one in enumerate(data))


def both(c: Context, nodes: tuple[Node, ...], at: At) -> Node:
    """All of some conditions as one node."""
    if len(nodes) == 1:
        return nodes[0]
    return Call(TRUTH, "all", (("of", nodes),), c.place(at))
