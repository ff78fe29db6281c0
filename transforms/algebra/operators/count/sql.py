"""The number of matching facts, or of different values of a field."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.reduce import FROM_TO, counted, members, pattern_of
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import RANGE, SqlValue
from surgqa.transforms.algebra.tree import Call


def sql(call: Call, scope: SqlScope) -> SqlValue:
    """The number lies between those of certain, certainly distinct matches and of possible
    matches.
    """
    pattern = pattern_of(call)
    found = scope.value(pattern)
    tally = counted(found, scope)
    if pattern.field:
        what = members(found, pattern.field, scope)
        number = "count(*) filter (where sure) as sure, count(*) as may, true as apart"
        if pattern.field == "track":  # two tracks may be the same instance
            what = found.rows
            number = (
                "count(distinct subject) filter (where sure) as sure, "
                "count(distinct track) as may, count(*) = count(track) as apart"
            )
    else:
        what = found.rows
        number = "count(distinct grp) filter (where sure) as sure, count(*) as may, true as apart"
    numbers = scope.add(
        f"select t.q, coalesce(m.sure, 0) as sure, coalesce(m.may, 0) as may, t.unlooked, "
        f"t.ok and coalesce(m.apart, true) as ok "
        f"from {tally} t left join (select q, {number} from {what} group by q) m on m.q = t.q",
        "number",
    )
    return scope.row(RANGE, FROM_TO, v=SqlValue(RANGE, numbers))
