"""Superlatives: the element with the greatest or least value, where that is certain."""

from __future__ import annotations

from transforms.algebra.sql.reduce import picked
from transforms.algebra.sql.scope import Scope, element_of
from transforms.algebra.sql.values import FACT, FACT_COLUMNS, FACTS, LABEL, Value, names
from transforms.algebra.tree import Amount, Call


def best(call: Call, scope: Scope, sign: int) -> Value:
    """The element whose ``by`` is certainly above all others', by the ``lead`` as printed.

    Args:
        sign: 1 for the greatest, -1 for the least.
    """
    found = scope.value(call.get("of"))
    of_facts = found.shape == FACTS
    if of_facts:
        kept = f"{names(FACT_COLUMNS, 'm')}, m.sure"
        inner, cte = scope.elements(found.rows, kept, names(FACT_COLUMNS, "m"))
    else:
        many = scope.add(f"select q, unnest(value) as value, true as sure from {found.cte}", "each")
        inner, cte = scope.elements(many, "m.value, m.sure", "m.value")
    inner.bound[str(call.get("as", "it"))] = element_of(cte, scope, FACT if of_facts else LABEL)
    by = inner.value(call.get("by"))
    leader = _leader(cte, by, names(FACT_COLUMNS, "i") if of_facts else "i.value", sign, scope)
    if of_facts:
        sure = f"{_leads(call.get('lead'))} and not n.unlooked"
        return picked(found, leader, call, scope, sure)
    return Value(LABEL, scope.add(
        f"""select v.q, x.value, coalesce(v.ok and {_leads(call.get('lead'))}, false) as ok,
          false as none
        from {found.cte} v left join {leader} x on x.q = v.q""", LABEL
    ))  # fmt: skip


def _leader(cte: str, by: Value, columns: str, sign: int, scope: Scope) -> str:
    """The one that leads as far as is known, with what the others may have at most."""
    low, high, at = ("b.lo", "b.hi", "b.at") if sign > 0 else ("-b.hi", "-b.lo", "-b.at")
    rated = scope.add(
        f"""select i.up as q, {columns}, b.ok as fine,
          case when i.sure and b.ok then {low} else '-inf'::double end::double as low,
          case when b.ok then {high} else 'inf'::double end::double as high,
          case when b.ok then {at} else 0 end::double as at
        from {cte} i join {by.cte} b on b.q = i.q""", "rated"
    )  # fmt: skip
    ranked = scope.add(
        f"""select *, row_number() over (partition by q order by low desc, high desc) as place
        from {rated}""", "ranked"
    )  # fmt: skip
    rest = scope.add(
        f"""select q, max(high) filter (where place > 1) as rest_high,
          max(r.at) filter (where place > 1) as rest_at, bool_and(fine) as all_fine
        from {ranked} r group by q""", "rest"
    )  # fmt: skip
    return scope.add(
        f"select r.*, o.* exclude (q) from {ranked} r join {rest} o on o.q = r.q "
        "where r.place = 1", "leader"
    )  # fmt: skip


def _leads(lead: object) -> str:
    """Certainly ahead; the printed values are as far apart as asked: a share, or absolute."""
    ahead = ("x.all_fine and x.low > '-inf'::double and "
             "(x.rest_high is null or x.low > x.rest_high)")  # fmt: skip
    if lead is None:
        return f"({ahead})"
    assert isinstance(lead, Amount)
    apart = f"{lead.low!r}"
    if lead.unit == "share":
        apart += " * greatest(abs(x.at), abs(x.rest_at))"
    return f"({ahead} and (x.rest_at is null or x.at - x.rest_at >= {apart}))"
