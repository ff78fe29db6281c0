"""Functions that visit the syntax tree of a template."""

from __future__ import annotations

from collections.abc import Iterator

from surgqa.transforms.algebra import tree

NODES = (tree.Const, tree.Name, tree.Read, tree.Between, tree.Pattern, tree.Call)


def children(node: object) -> Iterator[object]:
    """Yield the nodes directly below a node, a text, or a tuple of these."""
    match node:
        case tuple():
            yield from node
        case tree.Print():
            yield node.node
        case tree.Read():
            yield node.base
            yield node.argument
        case tree.Between():
            yield from (node.start, node.end)
        case tree.FieldTest():
            yield from node.values
        case tree.Pattern():
            yield from (node.source, *node.tests, node.reference, node.cut, node.where)
        case tree.Call():
            yield from (value for _, value in node.args)


def every(node: object) -> Iterator[tree.Node]:
    """Yield all nodes of a tree, outer nodes first."""
    if isinstance(node, NODES):
        yield node
    for child in children(node):
        yield from every(child)


def prints(text: object) -> Iterator[tree.Print]:
    """Yield the values that a text, or several texts in tuples, prints."""
    if isinstance(text, tree.Print):
        yield text
    elif isinstance(text, tuple):
        for part in text:
            yield from prints(part)


def names_in(node: object) -> frozenset[str]:
    """Return all names that an expression uses."""
    return frozenset(one.name for one in every(node) if isinstance(one, tree.Name))


def nodes_of(argument: object) -> tuple[tree.Node, ...]:
    """Return the nodes of an argument: one node, a tuple of nodes, or none if left out."""
    if argument is None:
        return ()
    return argument if isinstance(argument, tuple) else (argument,)
