"""Two instruments compared."""

from __future__ import annotations

from typing import Any

from transforms.checks.motion import centre, distance
from transforms.checks.rules.base import EPSILON, Ask, BadSlot, rule
from transforms.checks.rules.spans import constant, continuous

SIDE = 0.18
CHANGE = 0.30
CHANGE_MARGIN = 0.02


@rule("surgstu", "rel_pos")
def rel_pos(ask: Ask) -> dict[str, Any]:
    """On which side of the other the instrument's centre lies."""
    moment = ask.moment()
    tool, other = _two(ask)
    (x, y), (u, v) = centre(ask.box_at(tool, moment)), centre(ask.box_at(other, moment))
    ask.gate("horizontal distance", abs(x - u) > SIDE - EPSILON, abs(x - u))
    ask.gate("vertical distance", abs(y - v) > SIDE - EPSILON, abs(y - v))
    return {
        "horizontal": "left" if x < u else "right",
        "vertical": "above" if y < v else "below",
    }


@rule("surgstu", "rel_change")
def rel_change(ask: Ask) -> dict[str, Any]:
    """How the distance of the two changed from the span's start to its end."""
    first, second = (continuous(ask, track) for track in _two(ask))
    start = distance(centre(first[0].box), centre(second[0].box))
    end = distance(centre(first[-1].box), centre(second[-1].box))
    delta = end - start
    change = "closer" if delta <= -CHANGE else "farther" if delta >= CHANGE else "maintained"
    away = abs(abs(delta) - CHANGE)
    ask.gate("margin of the change", away >= CHANGE_MARGIN - EPSILON, delta)
    return {"change": change, "delta": delta}


@rule("surgstu", "comparison")
def comparison(ask: Ask) -> dict[str, Any]:
    """Whether both act on the same target over the whole span."""
    targets = [constant(ask, track, 1) for track in _two(ask)]
    ask.gate("both have a target", "null_target" not in targets, targets)
    return {"same": targets[0] == targets[1], "targets": targets}


def _two(ask: Ask) -> tuple[str, str]:
    tool, other = ask.track("tool"), ask.track("other")
    if tool == other:
        raise BadSlot("slots 'tool' and 'other' are the same instrument")
    return tool, other
