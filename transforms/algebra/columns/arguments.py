"""Helpers for the arguments of operators."""

from __future__ import annotations

import numpy as np

from surgqa.transforms.algebra.columns.evaluate import evaluate
from surgqa.transforms.algebra.columns.lazy import rows_of, taken
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.select import WINDOW, stretch_of
from surgqa.transforms.algebra.columns.values import Many, One, Stretch
from surgqa.transforms.algebra.tree import Call, Pattern

BEYOND = np.iinfo(np.int64).max


def pattern_of(call: Call) -> Pattern:
    """Return the pattern that an operator reduces."""
    pattern = call.get("of")
    assert isinstance(pattern, Pattern)
    return pattern


def facts_of(call: Call, rows: Rows) -> Many:
    """Return the facts of the operator's pattern."""
    found = evaluate(pattern_of(call), rows)
    assert isinstance(found, Many)
    return found


def field_of(call: Call) -> str:
    """Return the field of ``kind.field``; '' if the pattern stands for the facts themselves."""
    return pattern_of(call).field


def reference_of(call: Call, rows: Rows) -> Stretch:
    """Return the stretch to which the pattern's time relation refers."""
    return stretch_of(evaluate(pattern_of(call).reference or WINDOW, rows))


def picked(found: Many, chosen: np.ndarray, call: Call) -> One:
    """Return one fact for each filling.

    Args:
        chosen: bool (m,), at most one fact of each filling.
    """
    n = found.n
    place = np.full(n, -1, np.int64)
    place[found.filling[chosen]] = np.flatnonzero(chosen)
    has = place >= 0
    nothing = ~found.any(np.ones(len(found.filling), bool)) & ~found.unlooked & found.ok
    may_be_none = nothing & pattern_of(call).or_none
    row = np.where(has, rows_of(found.row, place), -1)
    return One(row, taken(found.columns, place), has & found.ok, may_be_none)


def earliest(call: Call, rows: Rows, border: str, sign: int) -> One:
    """Return the fact whose start or end certainly comes first, or last with ``sign`` -1.

    The fact certainly matches. No other possible match and no unlisted fact in a gap can come as
    early. Facts may be parts of one longer fact, which starts with its first part and ends with its
    last. A part of the same longer fact is not a competing match.

    Args:
        border: ``start`` or ``end``.
    """
    found = facts_of(call, rows)
    at = found.columns
    low, high = (np.minimum(at["s0"], at["x0"]), at["s1"]) if border == "start" else (
        at["e0"], np.maximum(at["e1"], at["x1"]))  # fmt: skip
    best, worst = (low, high) if sign > 0 else (-high, -low)
    bound = np.full(rows.n, BEYOND)
    np.minimum.at(bound, found.filling[found.sure], worst[found.sure])
    rivals = best <= bound[found.filling]
    if (border == "start") == (sign > 0):
        rivals &= ~_parts(found, found.sure & (worst == bound[found.filling]), bound, sign)
    count = np.bincount(found.filling[rivals], minlength=rows.n)
    edge = found.hole_u0 if sign > 0 else -found.hole_u1
    open_hole = np.bincount(found.hole_filling[edge <= bound[found.hole_filling]],
                            minlength=rows.n) > 0  # fmt: skip
    settled = (count == 1) & ~open_hole
    return picked(found, rivals & found.sure & settled[found.filling], call)


def _parts(found: Many, ahead: np.ndarray, bound: np.ndarray, sign: int) -> np.ndarray:
    """Return bool (m,), True where a fact competes with the leader only as a part of the same fact.

    The leader is the fact that comes first as far as is known. The result is True if no other fact
    of the leader's group can come as early by itself. Facts that the pattern excludes count too,
    because they may be parts of a match. ``cut`` changes nothing, because it only shortens facts.

    Args:
        ahead: bool (m,), the leader: the fact that comes first as far as is known.
        bound: int64 (n,), latest possible time of the leader; times are negated for ``sign`` -1.
    """
    group = found.columns["grp"]
    leader = np.full(found.n, -1, np.int64)
    leader[found.filling[ahead]] = group[ahead]
    alike = ~ahead & (group >= 0) & (group == leader[found.filling])
    if found.table is None or not alike.any():
        return np.zeros(len(alike), bool)
    facts = found.table
    second = _second(facts.grp, facts.s0 if sign > 0 else -facts.e1)
    return alike & (second[group] > bound[found.filling])


def _second(group: np.ndarray, time: np.ndarray) -> np.ndarray:
    """Return int64 (groups,), the second time of each group; BEYOND if it has only one."""
    order = np.lexsort((time, group))
    group, time = group[order], time[order]
    place = np.arange(len(group)) - np.searchsorted(group, group)
    out = np.full(group[-1] + 1, BEYOND)
    out[group[place == 1]] = time[place == 1]
    return out


def members(
    found: Many, field: str, rows: Rows
) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Return (filling, code) of the different values of a field: of the certain values, then of the
    possible values.

    Both are sorted by filling and then by the names of the ids. Nulls are left out.
    """
    if field == "act":
        from surgqa.transforms.algebra.columns.read import acts

        true = np.ones(len(found.filling), bool)
        code = acts(found.columns["verb"], found.columns["target"], true, ~true, rows).code
    else:
        code = found.columns[field].astype(np.int64)
    rank = rows.relation.codes.ranks(code)
    width = int(rank.max(initial=0)) + 1
    out = []
    for which in (found.sure & (code >= 0), code >= 0):
        pairs, first = np.unique((found.filling * width + rank)[which], return_index=True)
        out.append((pairs // width, code[which][first]))
    return out[0], out[1]
