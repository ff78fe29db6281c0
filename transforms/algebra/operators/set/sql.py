"""The different values of a field."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.elements import SqlElements, elements_of
from surgqa.transforms.algebra.sql.reduce import counted, members
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import (
    FACT_COLUMNS,
    FACTS,
    GROUP,
    LABEL,
    LISTED,
    SqlValue,
    names,
)
from surgqa.transforms.algebra.tree import Call, Pattern


def sql(call: Call, scope: SqlScope) -> SqlValue:
    """The result is known if every possible value is certain, and no gap may hide another."""
    main = call.get("of")
    if isinstance(main, Pattern):
        found, field = scope.value(main), main.field or "label"
    else:
        elements = elements_of(main, scope)
        if elements.shape == LABEL:
            return _distinct(elements, scope)
        found, field = _facts(elements, scope), "label"
    fields = call.get("fields")
    return _listed(found, tuple(fields), scope) if fields else _group(found, field, scope)


def _facts(elements: SqlElements, scope: SqlScope) -> SqlValue:
    """Return elements as the facts of a pattern that has no gaps."""
    rows = scope.add(f"select up as q, {names(FACT_COLUMNS)}, sure as held, sure "
                     f"from {elements.rows}", "facts")  # fmt: skip
    none = scope.add(f"select q from {elements.head} where false", "none")
    return SqlValue(FACTS, elements.head, rows, none)


def _distinct(elements: SqlElements, scope: SqlScope) -> SqlValue:
    """Return each label once, sorted by id."""
    return SqlValue(GROUP, scope.add(
        f"""select h.q, coalesce(m.value, []) as value,
          coalesce(h.ok and coalesce(m.sure, true), false) as ok
        from {elements.head} h left join (select up, list(distinct value order by value nulls first)
          as value, bool_and(sure) as sure from {elements.rows} group by up) m on m.up = h.q""",
        GROUP,
    ))  # fmt: skip


def _listed(found: SqlValue, fields: tuple[str, ...], scope: SqlScope) -> SqlValue:
    tally = counted(found, scope)
    ok = scope.add(
        f"""select t.q, t.ok and not t.unlooked and t.sure = t.may and coalesce(m.apart, true) as ok
        from {tally} t left join (select q, count(*) = count(distinct grp) as apart
          from {found.rows} group by q) m on m.q = t.q""", LISTED
    )  # fmt: skip
    rows = scope.add(
        f"select q, row_number() over (partition by q order by s, track) as place, "
        f"{names(FACT_COLUMNS)} from {found.rows}", "listed"
    )  # fmt: skip
    return SqlValue(LISTED, ok, rows, fields=fields)


def _group(found: SqlValue, field: str, scope: SqlScope) -> SqlValue:
    return SqlValue(GROUP, scope.add(
        f"""select t.q, coalesce(m.value, []) as value,
          t.ok and not t.unlooked and coalesce(m.sure, true) as ok
        from {counted(found, scope)} t left join (select q, list(value order by value) as value,
          bool_and(sure) as sure from {members(found, field, scope)} group by q) m on m.q = t.q""",
        GROUP,
    ))  # fmt: skip
