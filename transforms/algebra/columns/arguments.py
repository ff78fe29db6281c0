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
    """Return the pattern (the selection of facts) that is the operator's main argument."""
    pattern = call.get("of")
    assert isinstance(pattern, Pattern)
    return pattern


def facts_of(call: Call, rows: Rows) -> Many:
    """Return, for each row of ``rows``, the facts that the operator's pattern selects."""
    found = evaluate(pattern_of(call), rows)
    assert isinstance(found, Many)
    return found


def field_of(call: Call) -> str:
    """Return the field if the main argument is written ``kind.field``; '' if it is a kind."""
    return pattern_of(call).field


def reference_of(call: Call, rows: Rows) -> Stretch:
    """Return, for each row, the stretch of time with which the pattern compares facts."""
    return stretch_of(evaluate(pattern_of(call).reference or WINDOW, rows))


def picked(found: Many, chosen: np.ndarray, call: Call) -> One:
    """Return, for each row of the template's values, the one chosen fact, or none.

    Args:
        chosen: bool (m,), True for the chosen facts: at most one of each row.
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
    """Return, for each row, the fact that starts or ends first (last with ``sign`` -1), if certain.

    A fact is certain if it certainly matches the pattern, and if neither another match nor a fact
    that an unannotated gap hides can come as early. Parts of one longer fact do not compete with
    each other: the longer fact starts with its first part and ends with its last part.

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
    """Return bool (m,), True for facts that can be first only as parts of the leader's longer fact.

    The leader of a row is the certain match with the earliest latest time. Facts with the same
    ``grp`` may be parts of one longer fact. The other facts in the leader's group are such parts if
    all of them, even those that the pattern excludes, come later by themselves.

    Args:
        ahead: bool (m,), True for the leaders.
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
    """Return int64 (groups,), the second-smallest time of each group; BEYOND if there is none."""
    order = np.lexsort((time, group))
    group, time = group[order], time[order]
    place = np.arange(len(group)) - np.searchsorted(group, group)
    out = np.full(group[-1] + 1, BEYOND)
    out[group[place == 1]] = time[place == 1]
    return out


def members(
    found: Many, field: str, rows: Rows
) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Return the values of a field that certainly occur, and those that possibly occur.

    Each of the two is a pair of arrays (row, code), where ``code`` is the number of an id. They
    are sorted by row and then by id. Nulls are left out.
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
