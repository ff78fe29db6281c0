"""How many fillings a unit can have: the product of what its names enumerate."""

from __future__ import annotations

from collections.abc import Iterable
from math import comb

from ontology.kinds import terms_of
from transforms.algebra.tree import Call, Const, Node, Pattern, Step

MOST = 1_000_000
DRAWN = {"instant": 30, "stretch": 435}
"""Of a clip of thirty annotated instants."""

FACTS = 10
LABELS = 6
"""Facts, and different values of a field, that a unit is taken to have."""


def cost_of(let: Iterable[Step]) -> int:
    """Number of fillings for a unit, at most."""
    product = 1
    for step in let:
        if step.draws and isinstance(step.node, Call):
            size = _size(step.node)
            product *= comb(size, 2) if len(step.names) == 2 else size
    return product


def _size(call: Call) -> int:
    main = call.get("of")
    if isinstance(main, str):
        return DRAWN.get(main) or int(call.get("grid", 5) or 5) ** 2  # type: ignore[call-overload]
    if isinstance(main, tuple):
        return 1 if call.get("take") else len(main)
    return _many(main)  # type: ignore[arg-type]


def _many(node: Node) -> int:
    if isinstance(node, Pattern):
        return LABELS if node.field else FACTS
    if isinstance(node, Call) and node.op == "labels":
        of = node.get("of")
        return len(terms_of(of.type.of)) or LABELS if isinstance(of, Const) else LABELS
    return LABELS
