"""The grid-aligned stretch that certainly contains a stretch or an instant."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.references import reference
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import STRETCH, SqlValue
from surgqa.transforms.algebra.tree import Amount, Call


def sql(call: Call, scope: SqlScope) -> SqlValue:
    """The stretch is rounded outwards to a grid that is at least as wide as the borders are
    uncertain.

    All possible borders are inside the result; ``iou`` is computed from the printed stretch.
    """
    held = _held(reference(call.get("of"), scope), call.get("most"), call.get("opening"), scope)
    least, tries = call.get("iou"), []
    for grid in call.get("grid"):
        us = int(grid.low)
        first, last = f"floor(v.a0 / {us})::bigint * {us}", f"ceil(v.b1 / {us})::bigint * {us}"
        fits = f"v.ok and {us} >= greatest(v.a1 - v.a0, v.b1 - v.b0)"
        if isinstance(least, Amount):
            fits += f" and v.b - v.a > {least.low!r} * ({last} - {first})"
        tries.append(f"when {fits} then {{'a': {first}, 'b': {last}}}")
    found = scope.add(f"select v.q, case {' '.join(tries)} end as one from {held} v", "grid")
    columns = ", ".join(
        f"v.one.{side} as {side}0, v.one.{side} as {side}, v.one.{side} as {side}1, null::bigint "
        f"as {side}_mark, v.one is not null as {side}_ok"
        for side in "ab"
    )
    return scope.row(
        STRETCH, f"{columns}, coalesce(v.one.a < v.one.b, false) as ok", v=SqlValue(STRETCH, found)
    )


def _held(whole: SqlValue, most: object, opening: object, scope: SqlScope) -> str:
    """Return the stretch that must be inside, with ok; a stretch that is too long is cut."""
    if not isinstance(most, Amount) or not isinstance(opening, Amount):
        return whole.cte
    long = f"b0 - a1 > {int(most.low)}"
    moved = ", ".join(
        f"case when {long} then {start} + {int(opening.low)} else {end} end as {end}"
        for start, end in (("a0", "b0"), ("a", "b"), ("a1", "b1"))
    )
    settled = f"coalesce(ok and ({long} or b1 - a0 <= {int(most.low)}), false) as ok"
    return scope.add(f"select * replace ({moved}, {settled}) from {whole.cte}", "held")
