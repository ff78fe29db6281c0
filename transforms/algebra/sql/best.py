"""The element with the greatest or least value, such as the longest phase, if it is certain."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.elements import SqlElements, elements_of
from surgqa.transforms.algebra.sql.reduce import picked
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import COLUMNS, FACT, FACTS, STRETCH, SqlValue, names
from surgqa.transforms.algebra.tree import Amount, Call


def best(call: Call, scope: SqlScope, sign: int) -> SqlValue:
    """Return, for each q, the element with certainly the greatest or the least value.

    The operator's argument ``by`` is the value. No element is returned if the printed value of the
    next element is less than the argument ``lead`` away.

    Args:
        sign: 1 for the greatest, -1 for the least.
    """
    main = call.get("of")
    found = elements_of(main, scope)
    found.inner.bound[str(call.get("as", "it"))] = found.it
    by = found.inner.value(call.get("by"))
    leader = _leader(found, by, sign, call.get("same"), scope)
    certain = _leads(call.get("lead"))
    facts = None if isinstance(main, tuple) else scope.value(main)
    if facts is not None and facts.shape == FACTS:
        return picked(facts, leader, call, scope, f"{certain} and not n.unlooked")
    ok = f"coalesce(v.ok and {certain}, false)"
    known = ("ok", "none", "a_ok", "b_ok")
    columns = [f"x.{one}" for one in COLUMNS[found.shape] if one not in known]
    columns += [f"{ok} as {one}" for one in known
                if one in COLUMNS[found.shape] and one != "none"]  # fmt: skip
    if found.shape != STRETCH:
        columns.append("false as none")
    return SqlValue(found.shape, scope.add(
        f"select v.q, {', '.join(columns)} from {found.head} v left join {leader} x on x.q = v.q",
        found.shape,
    ))  # fmt: skip


def _leader(found: SqlElements, by: SqlValue, sign: int, same: object, scope: SqlScope) -> str:
    """Return SQL of each row's best element (greatest lower bound), and the best other value."""
    low, high, at = ("b.lo", "b.hi", "b.at") if sign > 0 else ("-b.hi", "-b.lo", "-b.at")
    rated = scope.add(
        f"""select i.up as q, {names(COLUMNS[found.shape], 'i')}, i.place as order_, b.ok as fine,
          case when i.sure and b.ok then {low} else '-inf'::double end::double as low,
          case when b.ok then {high} else 'inf'::double end::double as high,
          case when b.ok then {at} else 0 end::double as printed
        from {found.rows} i join {by.cte} b on b.q = i.q""", "rated"
    )  # fmt: skip
    ranked = scope.add(
        "select *, row_number() over (partition by q order by low desc, high desc, order_) as rank "
        f"from {rated}", "ranked"
    )  # fmt: skip
    near = "false"
    if isinstance(same, Amount) and found.shape == FACT:
        near = f"(r.s1 - t.x0 <= {int(same.low)} and r.x0 > t.s1)"
    rest = scope.add(
        f"""select r.q, max(r.high) filter (where not near) as rest_high,
          max(r.printed) filter (where not near) as rest_at,
          bool_and(r.fine and not (near and r.rank > 1 and r.high > r.top)) as all_fine
        from (select r.*, t.low as top, {near} or r.rank = 1 as near from {ranked} r
          join {ranked} t on t.q = r.q and t.rank = 1) r group by r.q""", "rest"
    )  # fmt: skip
    return scope.add(
        f"select r.*, o.* exclude (q) from {ranked} r join {rest} o on o.q = r.q where r.rank = 1",
        "leader",
    )


def _leads(lead: object) -> str:
    """Return SQL: the best element is certainly best, by ``lead`` (a share, or a number)."""
    ahead = ("x.all_fine and x.low > '-inf'::double and "
             "(x.rest_high is null or x.low > x.rest_high)")  # fmt: skip
    if lead is None:
        return f"({ahead})"
    assert isinstance(lead, Amount)
    apart = f"{lead.low!r}"
    if lead.unit == "share":
        apart += " * greatest(abs(x.printed), abs(x.rest_at))"
    return f"({ahead} and (x.rest_at is null or x.printed - x.rest_at >= {apart}))"
