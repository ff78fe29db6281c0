"""Estimate how many fillings a unit can have: the product of the number of values of each name."""

from __future__ import annotations

from collections.abc import Iterable
from math import comb, perm

from surgqa.ontology.kinds import terms_of
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.algebra.tree import Call, Const, Node, Pattern, Step
from surgqa.transforms.language.program import Unit

MOST = 1_000_000
CLIP, RECORDING = 30, 3600
"""Assumed number of annotated instants of a clip and of a whole video."""

FACTS = 10
LABELS = 6
"""Assumed number of facts in a unit, and of different values of one field."""


def cost_of(let: Iterable[Step], unit: Unit) -> int:
    """Upper estimate of the number of fillings of one unit."""
    product = _times(unit)
    for step in let:
        if step.draws and isinstance(step.node, Call):
            size = _size(step.node, _instants(unit))
            product *= comb(size, 2) if len(step.names) == 2 else size
    return product


def _times(unit: Unit) -> int:
    """Return how many query times one stretch of the unit can contain."""
    anywhere = unit.kind in ("now", "stream") and unit.now is None
    return max(unit.every // SECOND_US, 1) if anywhere and unit.every else 1


def _instants(unit: Unit) -> int:
    """Assumed number of annotated instants in the window, at one a second."""
    if unit.kind in ("clip", "still"):
        return CLIP
    seen = unit.length[1] if unit.kind == "stream" else unit.see
    return max(seen // SECOND_US, 1) if seen else RECORDING


def _size(call: Call, instants: int) -> int:
    main, take = call.get("of"), call.get("take")
    if isinstance(main, str):
        sizes = {"instant": instants, "stretch": comb(instants, 2)}
        size = sizes.get(main) or int(call.get("grid") or 5) ** 2
    else:
        size = len(main) if isinstance(main, tuple) else _many(main)
    return perm(size, take) if take else size


def _many(node: Node) -> int:
    if isinstance(node, Pattern):
        return LABELS if node.field else FACTS
    of = node.get("of") if isinstance(node, Call) and node.op == "labels" else None
    return len(terms_of(of.type.of)) or LABELS if isinstance(of, Const) else LABELS
