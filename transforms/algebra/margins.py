"""How far a wrong option is from the correct answer, in a unit such as seconds or pixels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from math import hypot
from typing import Any

import orjson

from surgqa.ontology.levels import BOUNDS, EASY, HARD, MEDIUM
from surgqa.transforms.algebra.columns.typed import at_us, number_of

DECIMALS = 6
SECOND = 1_000_000


def margin(of: str, answer: Any, value: Any) -> float | None:
    """Return the distance of an option from the answer; None if the type has no distance.

    Args:
        of: name of the answer's type, a key of :data:`ontology.levels.BOUNDS`.
    """
    measure = MEASURES.get(of)
    if measure is None or answer is None or value is None:
        return None
    return round(float(measure(answer, value)), DECIMALS)


def level(of: str, margins: Iterable[float | None]) -> int | None:
    """Return the difficulty level of an item, from its distractors' distances to the answer.

    It is None if there are no distances, and for fractional numbers, because of their unknown unit.
    """
    known = [one for one in margins if one is not None]
    if not known or (of == "number" and any(one % 1 for one in known)):
        return None
    hard, easy = BOUNDS[of]
    least = min(known)
    return HARD if least < hard else MEDIUM if least < easy else EASY


def _times(a: Any, b: Any) -> float:
    return abs(at_us(a) - at_us(b)) / SECOND


def _ends(a: Mapping[str, Any], b: Mapping[str, Any]) -> float:
    return max(_times(a[end], b[end]) for end in ("start", "end"))


def _numbers(a: Any, b: Any) -> float:
    return abs(number_of(a) - number_of(b))


def _durations(a: Any, b: Any) -> float:
    return _numbers(a, b) / SECOND


def _centres(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the distance of the centres of two boxes; a point is a box with equal corners.

    The frame's width and height are 1 each.
    """
    (ax, ay), (bx, by) = (((p[0] + p[-2]) / 2, (p[1] + p[-1]) / 2) for p in (a, b))
    return hypot(ax - bx, ay - by)


def _members(a: Sequence[Any], b: Sequence[Any]) -> int:
    return len({_text(one) for one in a} ^ {_text(one) for one in b})


def _places(a: Sequence[Any], b: Sequence[Any]) -> int:
    return sum(x != y for x, y in zip_longest(map(_text, a), map(_text, b)))


def _text(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


MEASURES: Mapping[str, Callable[[Any, Any], float]] = {
    "instant": _times, "stretch": _ends, "duration": _durations, "number": _numbers,
    "box": _centres, "point": _centres, "set": _members, "sequence": _places,
}  # fmt: skip
