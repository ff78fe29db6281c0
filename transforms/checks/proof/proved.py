"""Compares a value of a row with the value that the evidence gives."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from surgqa.transforms.algebra.types import Type
from surgqa.transforms.checks.proof.options import canonical

CLOSE = 2e-6
"""Largest relative difference that rounding causes between equal measured numbers."""


def same(row: Any, proved: Any, of: Type) -> bool:
    """Return whether a row's value equals the value that the evidence gives.

    The members of a set have no order; measured numbers may differ by rounding errors.
    """
    if row == proved and _alike(row, proved):
        return True
    if isinstance(row, list) and isinstance(proved, list):
        if of.name == "set":
            row, proved = (sorted(many, key=canonical) for many in (row, proved))
        one = Type("label")
        return len(row) == len(proved) and all(
            same(a, b, one) for a, b in zip(row, proved, strict=True)
        )
    if isinstance(proved, float) and math.isinf(proved):
        return row is None  # a count over time that nobody annotated
    if isinstance(row, Mapping) and isinstance(proved, Mapping):
        return set(row) == set(proved) and all(same(row[k], proved[k], of) for k in row)
    if _is_number(row) and _is_number(proved) and float in (type(row), type(proved)):
        return abs(row - proved) <= CLOSE * max(1.0, abs(proved))
    return type(row) is type(proved) and bool(row == proved)


def _alike(row: Any, proved: Any) -> bool:
    """Return whether equal values also have equal types at every level: in Python, True == 1."""
    if isinstance(row, (list, dict)):
        return canonical(row) == canonical(proved)
    return type(row) is type(proved)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def plain(value: Any) -> Any:
    """Return a drawn value as queries return it: times as printed, actions as texts."""
    if not isinstance(value, Mapping):
        return value
    if "time_us" in value:
        return value["time_us"]
    if "verb" in value:
        return ",".join(filter(None, (value["verb"], value.get("target"))))
    return [plain(value["start"]), plain(value["end"])]
