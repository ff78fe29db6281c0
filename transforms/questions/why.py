"""Why not: what left a unit without an item, found by asking again with the doubt taken away."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from transforms.language.program import Program
from transforms.questions.fill import Filled, filled
from transforms.questions.units import Units
from transforms.timeline.relation import Relation
from transforms.timeline.relation.readings import crisp, looked_everywhere

NOT_SO = "it does not hold here, whatever the labels leave open"
REASONS: Mapping[tuple[bool, bool], str] = {
    (True, False): "nobody looked at part of what this rests on",
    (False, True): "the borders of the labels are not known closely enough for this",
    (
        True,
        True,
    ): "nobody looked at part of what this rests on, or its borders are not known closely",
    (False, False): NOT_SO,
}
"""(looking everywhere would have settled it, exact borders would have) -> the reason."""


def reasons(program: Program, relation: Relation, clips: Units, found: Filled) -> dict[int, str]:
    """Of each unit that has no filling one sentence on what caused it.

    A unit is asked again as if everything had been looked at, and as if all borders were exact;
    what then goes further than it did was caused by that.
    """
    if not found.failed:
        return {}
    order = {what: place for place, what in enumerate(found.order)}
    further = [
        _further(found, filled(program, other, clips), order)
        for other in (looked_everywhere(relation), crisp(relation))
    ]
    return {unit: REASONS[unit in further[0], unit in further[1]] for unit in found.failed}


def _further(found: Filled, again: Filled, order: Mapping[str, int]) -> set[int]:
    """Units that come to a filling, or fail at a later step, when asked again."""
    ids = {name: place for place, name in enumerate(again.units.ids)}
    left = np.zeros(len(again.units.ids), bool)
    left[again.unit] = True
    out = set()
    for unit, what in found.failed.items():
        place = ids.get(found.units.ids[unit])
        if place is not None and (
            left[place] or order.get(again.failed.get(place, ""), -1) > order[what]
        ):
            out.add(unit)
    return out
