"""Plain settings of operators: lengths, whole numbers, words of closed lists."""

from __future__ import annotations

from typing import Any

from transforms.algebra.tree import Amount
from transforms.language.context import At, Context, nearest
from transforms.language.syntax import UNITS, Quantity, SyntaxProblem, parse_expression

NO_AMOUNT = Amount("number", 0, 0)


def amount(c: Context, data: Any, at: At) -> Amount:
    """``2 s``, ``10 %``, ``0.05``, ``20..60 s``; in microseconds, shares or plain numbers."""
    if isinstance(data, int | float) and not isinstance(data, bool):
        return Amount("number", data, data)
    try:
        found = parse_expression(data) if isinstance(data, str) else None
    except SyntaxProblem as problem:
        c.add("T102", at, f"cannot be read: {problem}", offset=problem.offset)
        return NO_AMOUNT
    if not isinstance(found, Quantity):
        c.add("T102", at, f"a length is expected, found {data!r}", "such as '2 s' or '10 %'")
        return NO_AMOUNT
    if found.unit in UNITS:
        factor = UNITS[found.unit]
        return Amount("us", round(found.low * factor), round(found.high * factor))
    if found.unit == "%":
        return Amount("share", found.low / 100, found.high / 100)
    return Amount(found.unit or "number", found.low, found.high)


def duration(c: Context, data: Any, at: At) -> int:
    """One length of time in microseconds."""
    found = amount(c, data, at)
    if found is not NO_AMOUNT and (found.unit != "us" or found.low != found.high):
        c.add("T117", at, f"expected one length of time, found {data!r}", "such as '2 s'")
        return 0
    return int(found.low)


def durations(c: Context, data: Any, at: At) -> tuple[int, int]:
    """A length of time or a range of them, in microseconds."""
    found = amount(c, data, at)
    if found is not NO_AMOUNT and found.unit != "us":
        c.add("T117", at, f"expected a length of time, found {data!r}", "such as '24..80 s'")
    return int(found.low), int(found.high)


def wholes(c: Context, data: Any, at: At) -> tuple[int, int]:
    """A whole number or a range of them."""
    found = amount(c, data, at)
    if found.unit != "number" or found.low != int(found.low) or found.high != int(found.high):
        c.add("T117", at, f"expected a whole number, found {data!r}", "such as '2..3'")
    return int(found.low), int(found.high)


def whole(c: Context, data: Any, at: At) -> int:
    """One whole number."""
    if isinstance(data, bool) or not isinstance(data, int):
        c.add("T117", at, f"expected a whole number, found {data!r}")
        return 0
    return data


def choice(c: Context, data: Any, at: At, known: tuple[str, ...]) -> str:
    """A word of a closed list."""
    if data not in known:
        c.add("T102", at, f"{data!r} is not known here", nearest(str(data), known, "choices"))
    return str(data)
