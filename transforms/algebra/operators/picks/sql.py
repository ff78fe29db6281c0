"""``argmax``, ``argmin``, ``facts``, ``first``, ``last`` and ``only`` in SQL, as ``columns.py``."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.best import best
from surgqa.transforms.algebra.sql.reduce import counted, earliest, pattern_of, picked
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import FACT_COLUMNS, SqlValue, names
from surgqa.transforms.algebra.tree import Call


def argmax(call: Call, scope: SqlScope) -> SqlValue:
    return best(call, scope, 1)


def argmin(call: Call, scope: SqlScope) -> SqlValue:
    return best(call, scope, -1)


def facts(call: Call, scope: SqlScope) -> SqlValue:
    return scope.value(pattern_of(call))


def first(call: Call, scope: SqlScope) -> SqlValue:
    return earliest(call, scope, call.get("by", "start"), 1)


def last(call: Call, scope: SqlScope) -> SqlValue:
    return earliest(call, scope, call.get("by", "end"), -1)


def only(call: Call, scope: SqlScope) -> SqlValue:
    found = scope.value(pattern_of(call))
    chosen = scope.add(
        f"select r.q, {names(FACT_COLUMNS, 'r')} from {found.rows} r join "
        f"{counted(found, scope)} n on n.q = r.q where r.sure and n.may = 1 and not n.unlooked",
        "chosen",
    )
    return picked(found, chosen, call, scope)
