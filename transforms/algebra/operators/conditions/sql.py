"""``all``, ``any``, ``cases``, ``compare``, ``not`` in SQL, with the results of ``columns.py``."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.truths import holds, joined
from surgqa.transforms.algebra.sql.values import FACT, GROUP, LABEL, RANGE, TRUTH, SqlValue
from surgqa.transforms.algebra.tree import Call


def all_(call: Call, scope: SqlScope) -> SqlValue:
    return joined(call, "and", scope)


def any_(call: Call, scope: SqlScope) -> SqlValue:
    return joined(call, "or", scope)


def cases(call: Call, scope: SqlScope) -> SqlValue:
    parts = {f"p{k}": holds(node, scope) for k, (_, node) in enumerate(call.get("of"))}
    number = " ".join(f"when {name}.value then '{k}'" for k, name in enumerate(parts))
    known = [f"{name}.ok and {name}.value is not null" for name in parts]
    held = " + ".join(f"coalesce({name}.value, false)::int" for name in parts)
    ok = f"{' and '.join(known)} and {held} = 1"
    columns = f"case {number} end as value, ({ok}) as ok, false as none"
    return scope.row(LABEL, columns, **parts)


SIGNS = {"<": "<", "<=": "<=", ">": "<", ">=": "<="}


ONE = "coalesce(a.mark = b.mark, false)"


def compare(call: Call, scope: SqlScope) -> SqlValue:
    left, right = (scope.value(call.get(side)) for side in ("left", "right"))
    sign = call.get("sign")
    if sign in ("=", "!="):
        value, ok = _equal(left, right)
        value = f"not ({value})" if sign == "!=" else value
        return scope.row(TRUTH, f"{value} as value, {ok} as ok", a=left, b=right)
    if sign in (">", ">="):
        left, right = right, left
    return scope.row(TRUTH, _ordered(SIGNS[sign]), a=left, b=right)


def _ordered(sign: str) -> str:
    """``a < b`` or ``a <= b``; false where either is ``none``."""
    less, most = f"(a.hi < b.lo and not {ONE})", f"(a.hi <= b.lo or {ONE})"
    more, least = f"(b.hi < a.lo and not {ONE})", f"(b.hi <= a.lo or {ONE})"
    yes, no = (less, least) if sign == "<" else (most, more)
    value = f"case when a.none or b.none then false when {yes} then true when {no} then false end"
    return f"{value} as value, {DEFINED} as ok"


DEFINED = "((a.ok or a.none) and (b.ok or b.none))"


def _equal(a: SqlValue, b: SqlValue) -> tuple[str, str]:
    """Return (value, ok) of ``a = b``; ``none`` equals only ``none``."""
    if a.shape == GROUP and b.shape == GROUP:
        return "(a.value = b.value)", "(a.ok and b.ok)"
    if a.shape == TRUTH and b.shape == TRUTH:
        return "(a.value = b.value)", "(a.ok and b.ok)"
    match a.shape, b.shape:
        case (one, other) if one == other == RANGE:
            same = f"({ONE} or (a.lo = b.hi and a.hi = b.lo))"
            apart = f"((a.hi < b.lo or b.hi < a.lo) and not {ONE})"
        case (one, other) if one == other == FACT:
            same = "(a.proof is not distinct from b.proof and a.s = b.s)"
            apart = "(a.grp <> b.grp)"
        case (one, other) if one == other == LABEL:
            same, apart = "(a.value = b.value)", "(a.value <> b.value)"
        case _:
            same, apart = "false", "true"
    value = (f"case when a.none and b.none then true when a.none or b.none then false "
             f"when {same} then true when {apart} then false end")  # fmt: skip
    return value, DEFINED


def not_(call: Call, scope: SqlScope) -> SqlValue:
    return scope.row(TRUTH, "not v.value as value, v.ok as ok", v=holds(call.get("of"), scope))
