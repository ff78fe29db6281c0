"""The limits that an item keeps, with what was measured: conditions on numbers and durations."""

from __future__ import annotations

from collections.abc import Iterator

from ontology.records import Check
from ontology.times import SECOND_US
from transforms.algebra.columns.rows import Rows
from transforms.algebra.said import said
from transforms.algebra.tree import Call, Const, Node
from transforms.language.program import Program
from transforms.questions.typed import typed

SIGNS = (">=", "<=", ">", "<")
UNITS = {"duration": SECOND_US, "number": 1}
"""Type of what is measured -> how much of it is one in ``measured``: a second, a number."""


def gates(program: Program, rows: Rows) -> list[tuple[Check, ...]]:
    """Of each row the limits of ``where``, durations in seconds, in the template's order."""
    out: list[list[Check]] = [[] for _ in range(rows.n)]
    for left, sign, right in _limits(program.where):
        unit = UNITS[left.type.name]
        assert isinstance(right.value, int | float)
        limit = f"{sign} {right.value / unit:g}"
        for found, value in zip(out, typed(left, rows), strict=True):
            measured = value["value"] if isinstance(value, dict) else value
            found.append(Check(said(left), round(measured / unit, 6), limit))
    return [tuple(found) for found in out]


def _limits(nodes: tuple[Node, ...]) -> Iterator[tuple[Node, str, Const]]:
    for node in nodes:
        if isinstance(node, Call) and node.op == "compare" and node.get("sign") in SIGNS:
            left, right = node.get("left"), node.get("right")
            if isinstance(right, Const) and left.type.name in UNITS:
                yield left, node.get("sign"), right
