"""Checks that a value that was read from JSON has the structure of its type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from surgqa.transforms.algebra.types import Type

FACT = {"label", "subject", "verb", "target", "track", "start_us", "end_us"}


def has_shape(value: Any, of: Type) -> bool:
    """Return whether a value is None or has the structure of a type (a box: four numbers)."""
    check = _SHAPES.get(of.name)
    return value is None or check is None or check(value)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _bounded(names: tuple[str, str, str], plain: Callable[[Any], bool]) -> Callable[[Any], bool]:
    low, at, high = names

    def check(value: Any) -> bool:
        if not isinstance(value, dict):
            return plain(value)
        if set(value) != set(names) or not plain(value[low]) or not plain(value[at]):
            return False
        if value[high] is None:  # a count over time that nobody annotated
            return bool(value[low] <= value[at])
        return plain(value[high]) and bool(value[low] <= value[at] <= value[high])

    return check


_instant = _bounded(("earliest_us", "time_us", "latest_us"), _whole)
_measure = _bounded(("least", "value", "most"), _number)


def _fact(value: Any) -> bool:
    return (isinstance(value, dict) and set(value) <= FACT
            and _whole(value.get("start_us")) and _whole(value.get("end_us"))
            and value["start_us"] < value["end_us"])  # fmt: skip


def _stretch(value: Any) -> bool:
    if not isinstance(value, dict) or set(value) != {"start", "end"}:
        return False
    return _instant(value["start"]) and _instant(value["end"])


def _corners(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 4 and all(map(_number, value))


def _act(value: Any) -> bool:
    if not isinstance(value, dict) or set(value) != {"verb", "target"}:
        return False
    return _text(value["verb"]) and (value["target"] is None or _text(value["target"]))


def _listed(value: Any) -> bool:
    return isinstance(value, list)


_SHAPES: Mapping[str, Callable[[Any], bool]] = {
    "instant": _instant, "duration": _measure, "number": _measure, "label": _text, "word": _text,
    "truth": lambda value: isinstance(value, bool), "fact": _fact, "stretch": _stretch,
    "box": _corners, "point": _corners, "act": _act, "set": _listed, "sequence": _listed,
    "stretches": _listed, "track": _fact, "motion": lambda value: isinstance(value, dict),
    "statement": lambda value: _text(value) or _whole(value),
}  # fmt: skip
