"""Time relations between a fact and a stretch (the reference), as SQL conditions.

Each relation has two conditions: that it certainly holds, and that it possibly holds. The reference
is ``[a, b)`` with a in [a0, a1] and b in [b0, b1]; the fact starts in [s0, s1] and ends in [e0,
e1]. The fact may be a part of a longer fact from x0 to x1; relations that name a start or an end
use the longer fact. Borders with the same mark are one instant, whatever their bounds.
"""

from __future__ import annotations

from typing import NamedTuple


class Border(NamedTuple):
    """SQL of a start or end: its bounds, and a number (mark) that equal borders share."""

    lo: str
    hi: str
    mark: str


START, END = Border("s0", "s1", "s_mark"), Border("e0", "e1", "e_mark")
FROM = Border("x0", "s1", "case when x0 = s0 then s_mark end")
UNTIL = Border("e0", "x1", "case when x1 = e1 then e_mark end")
A, B = Border("a0", "a1", "a_mark"), Border("b0", "b1", "b_mark")


def same(x: Border, y: Border) -> str:
    """Return the SQL condition that two borders are certainly the same instant."""
    return f"coalesce(({x.mark}) = ({y.mark}), false)"


def less(x: Border, y: Border) -> str:
    """Return the SQL condition that certainly x < y."""
    return f"({x.hi} < {y.lo} and not {same(x, y)})"


def may_less(x: Border, y: Border) -> str:
    """Return the SQL condition that x < y in some possible world."""
    return f"({x.lo} < {y.hi} and not {same(x, y)})"


def most(x: Border, y: Border) -> str:
    """Return the SQL condition that certainly x <= y."""
    return f"({x.hi} <= {y.lo} or {same(x, y)})"


def may_most(x: Border, y: Border) -> str:
    """Return the SQL condition that x <= y in some possible world."""
    return f"({x.lo} <= {y.hi} or {same(x, y)})"


_OVERLAPS = (f"{less(START, B)} and {less(A, END)}",
             f"{may_less(START, B)} and {may_less(A, END)}")  # fmt: skip

_READINGS = {
    "at": _OVERLAPS,
    "overlaps": _OVERLAPS,
    "throughout": (f"{most(START, A)} and {most(B, END)}",
                   f"{may_most(FROM, A)} and {may_most(B, UNTIL)}"),
    "inside": (f"{most(A, FROM)} and {most(UNTIL, B)}",
               f"{may_most(A, START)} and {may_most(END, B)}"),
    "starts_in": (f"{most(A, FROM)} and {less(START, B)}",
                  f"{may_most(A, START)} and {may_less(START, B)}"),
    "ends_in": (f"{less(A, END)} and {less(UNTIL, B)}",
                f"{may_less(A, END)} and {may_less(END, B)}"),
    "before": (most(UNTIL, A), may_most(END, A)),
    "after": (most(B, FROM), may_most(B, START)),
}  # fmt: skip


def readings(relation: str, within: int) -> tuple[str, str]:
    """Return the SQL conditions that the relation certainly, and possibly, holds in a row."""
    if relation != "meets":
        return _READINGS[relation]
    one = same(UNTIL, A)
    return (f"({one} or (a1 - e0 <= {within} and x1 - a0 <= {within}))",
            f"({one} or (a0 - e1 <= {within} and e0 - a1 <= {within}))")  # fmt: skip


def reach(relation: str, within: int) -> tuple[str, str]:
    """Return SQL of two times (from, to); a match starts before ``to`` and ends after ``from``.

    '' means that there is no such bound.
    """
    match relation:
        case "before":
            return "", "a1"
        case "after":
            return "b0", ""
        case "meets":
            return f"a0 - {within + 1}", f"a1 + {within + 1}"
    return "a0", "b1"


def near(relation: str, within: int, begin: str, end: str, overlap: int) -> str:
    """Return the SQL condition that [begin, end) overlaps :func:`reach` by ``overlap`` or more.

    ``overlap`` is in microseconds; if it is negative, a distance is allowed.
    """
    low, high = reach(relation, within)
    parts = [f"{end} >= {low} + ({overlap})"] if low else []
    parts += [f"{begin} <= {high} - ({overlap})"] if high else []
    return " and ".join(parts)
