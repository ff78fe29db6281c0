"""Do the gates an item says it passed hold for the values it says it measured."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

EPSILON = 1e-9
SIGNS: dict[str, Callable[[float, float], bool]] = {
    ">=": lambda a, b: a >= b - EPSILON,
    "<=": lambda a, b: a <= b + EPSILON,
    ">": operator.gt,
    "<": operator.lt,
    "==": operator.eq,
}
_TERM = re.compile(r"(>=|<=|==|>|<) *(-?[0-9.]+)(?![0-9.]| *x\b)")


def gate_problems(row: Mapping[str, Any]) -> Iterator[str]:
    """Gates of ``row['checks']`` whose measured value is outside the limit."""
    for check in row["checks"] or ():
        if not passed(check["measured"], check["limit"]):
            yield f"{check['name']}: measured {check['measured']!r}, limit {check['limit']}"


def passed(measured: float, limit: str) -> bool:
    """Does a value keep a limit such as ``>= 2 and <= 8`` or ``true``.

    A limit in words, or in multiples of something, says nothing about the number and is
    kept by any.
    """
    if limit == "true":
        return measured == 1
    return all(SIGNS[sign](measured, float(bound)) for sign, bound in _TERM.findall(limit))
