"""Estimate how many possible questions (fillings) a template has for one clip or other unit.

The estimate is the product of the numbers of values that the template's names can have.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import comb, perm

from surgqa.ontology.kinds import terms_of
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.algebra.tree import Call, Const, Node, Pattern, Step
from surgqa.transforms.language.program import Unit

MOST = 1_000_000
CLIP, RECORDING = 30, 3600
"""Assumed numbers of annotated instants: in a clip, and in a whole video."""

FACTS = 10
LABELS = 6
"""Assumed numbers in a unit such as a clip: of facts, and of different values of one field."""


def cost_of(let: Iterable[Step], unit: Unit) -> int:
    """Return an upper estimate of the number of possible questions for one unit, such as a clip."""
    product = _times(unit)
    for step in let:
        if step.draws and isinstance(step.node, Call):
            size = _size(step.node, _instants(unit))
            product *= comb(size, 2) if len(step.names) == 2 else size
    return product


def _times(unit: Unit) -> int:
    """Return how many query times one stretch of ``unit.every`` can contain."""
    anywhere = unit.kind in ("now", "stream") and unit.now is None
    return max(unit.every // SECOND_US, 1) if anywhere and unit.every else 1


def _instants(unit: Unit) -> int:
    """Return the assumed number of annotated instants in the window, at one a second."""
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
