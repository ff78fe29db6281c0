"""The different values of a field."""

from __future__ import annotations

from transforms.algebra.sql.reduce import counted, members
from transforms.algebra.sql.scope import Scope
from transforms.algebra.sql.values import FACT_COLUMNS, GROUP, LISTED, Value, names
from transforms.algebra.tree import Call


def sql(call: Call, scope: Scope) -> Value:
    """Known where every value that may be there certainly is, and nothing was overlooked."""
    main = call.get("of")
    found = scope.value(main)
    if found.shape == GROUP:
        return found
    tally = counted(found, scope)
    if call.get("fields"):
        ok = scope.add(f"select q, ok and not unlooked and sure = may as ok from {tally}", LISTED)
        rows = scope.add(
            f"select q, row_number() over (partition by q order by s, track) as place, "
            f"{names(FACT_COLUMNS)} from {found.rows}", "listed"
        )  # fmt: skip
        return Value(LISTED, ok, rows, fields=tuple(call.get("fields")))
    which = members(found, getattr(main, "field", "") or "label", scope)
    return Value(GROUP, scope.add(
        f"""select t.q, coalesce(m.value, []) as value,
          t.ok and not t.unlooked and coalesce(m.sure, true) as ok
        from {tally} t left join (select q, list(value order by value) as value,
          bool_and(sure) as sure from {which} group by q) m on m.q = t.q""", GROUP
    ))  # fmt: skip
