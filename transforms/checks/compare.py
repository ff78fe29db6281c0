"""Is a stored answer the recomputed one."""

from __future__ import annotations

from typing import Any

TOLERANCE = 1e-9


def difference(stored: Any, truth: Any, place: str = "") -> str | None:
    """Where and how two values first differ, or None.

    Labels, times, counts and boxes must be equal; other decimals may differ by 1e-9,
    absolutely or, above 1, relatively.
    """
    if isinstance(truth, dict):
        return _of_mapping(stored, truth, place)
    if isinstance(truth, list | tuple):
        return _of_list(stored, truth, place)
    if isinstance(truth, float) and not place.endswith("_xyxy]"):
        close = (
            isinstance(stored, int | float)
            and not isinstance(stored, bool)
            and abs(stored - truth) <= TOLERANCE * max(1.0, abs(truth))
        )
    else:
        close = stored == truth and isinstance(stored, bool) == isinstance(truth, bool)
    return None if close else f"{place or 'value'}: stored {stored!r}, recomputed {truth!r}"


def _of_mapping(stored: Any, truth: dict[str, Any], place: str) -> str | None:
    if not isinstance(stored, dict) or sorted(stored) != sorted(truth):
        found = sorted(stored) if isinstance(stored, dict) else stored
        return f"{place or 'value'}: stored {found!r}, recomputed {sorted(truth)!r}"
    for key in sorted(truth):
        found = difference(stored[key], truth[key], f"{place}.{key}" if place else key)
        if found:
            return found
    return None


def _of_list(stored: Any, truth: list | tuple, place: str) -> str | None:
    if not isinstance(stored, list | tuple) or len(stored) != len(truth):
        return f"{place or 'value'}: stored {stored!r}, recomputed {list(truth)!r}"
    for index, value in enumerate(truth):
        # a box's coordinates carry the box's name so that they are compared exactly
        inner = f"[{place}]" if place.endswith("_xyxy") else f"{place}[{index}]"
        found = difference(stored[index], value, inner)
        if found:
            return found
    return None
