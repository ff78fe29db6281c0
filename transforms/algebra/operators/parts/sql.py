"""A stretch cut into equal parts."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.references import reference
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import SPANS, STRETCH, SqlValue
from surgqa.transforms.algebra.tree import Call


def sql(call: Call, scope: SqlScope) -> SqlValue:
    """The parts are equal; their borders are as uncertain as those of the whole stretch."""
    whole, n = reference(call.get("of"), scope), int(call.get("n"))
    start, end = (
        ", ".join(
            f"v.{low} + (v.{high} - v.{low}) * (k.place + {more}) // {n} as {name}"
            for low, high, name in zip(("a0", "a", "a1"), ("b0", "b", "b1"), names, strict=True)
        )
        for more, names in ((0, ("a0", "a", "a1")), (1, ("b0", "b", "b1")))
    )
    rows = scope.add(
        f"""select *, coalesce(a_ok and b_ok and a1 < b0, false) as ok from (select v.q, k.place,
          {start}, null::bigint as a_mark, v.ok as a_ok, {end}, null::bigint as b_mark,
          v.ok as b_ok from {whole.cte} v, (select unnest(range({n})) as place) k)""", "parts"
    )  # fmt: skip
    return SqlValue(SPANS, scope.add(f"select q, ok from {whole.cte}", SPANS), rows, of=STRETCH)
