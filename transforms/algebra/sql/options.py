"""Check in SQL whether each wrong option of an item is certainly wrong."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.asked import SqlProgram, SqlStage
from surgqa.transforms.algebra.sql.program import Compiling
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.slots import value_of
from surgqa.transforms.algebra.sql.truths import holds
from surgqa.transforms.algebra.sql.values import BOX, GROUP, RANGE, SPANS, STRETCH, TRUTH, SqlValue
from surgqa.transforms.algebra.tree import Call, Name, Node
from surgqa.transforms.algebra.types import TRUTH as TRUTH_TYPE
from surgqa.transforms.algebra.types import Type

OPTIONS = "options"
"""The table's columns ``o q value``: number of each option, its item, and its value as JSON."""


def options_query(program: SqlProgram, stage: SqlStage | None = None, pool: int = 0) -> str:
    """Return SQL that gives ``o, differs, excluded`` for each wrong option from one source (pool).

    ``differs``: the option certainly differs from the answer (NULL for answers of several fields).
    ``excluded``: the pool's condition ``unless`` is certainly false for the option; true if there
    is no ``unless``.

    Args:
        stage: a stage of a chain; None for the first.
        pool: index in the template's list ``wrong``.
    """
    stage = stage or program.stages[0]
    making = Compiling(program)
    outer = making.stage(stage)
    rows = outer.add(
        f"select p.o as q, p.q as up, s.video from {OPTIONS} p join {outer.rows} s on s.q = p.q",
        "options",
    )
    inner = outer.inside(rows)
    differs = "null::boolean"
    joins = ""
    node = stage.wrong[pool]
    if len(stage.answer) == 1:
        field = stage.answer[0][1]
        option = _option(field, inner)
        if option is not None:
            inner.bound[_alias(node)] = option
            apart = _different(option, inner.value(field), inner)
            differs = "coalesce(d.ok and d.value, false)"
            joins += f" join {apart.cte} d on d.q = r.q"
    excluded = "true"
    unless = node.get("unless") if isinstance(node, Call) else None
    if isinstance(unless, Node):
        truth = holds(unless, inner)
        excluded = "coalesce(u.ok and not u.value, false)"
        joins += f" join {truth.cte} u on u.q = r.q"
    return making.script.query(
        f"select r.q as o, {differs} as differs, {excluded} as excluded from {rows} r {joins} "
        "order by r.q"
    )


def _alias(pool: Node) -> str:
    return str(pool.get("as", "it")) if isinstance(pool, Call) else "it"


def _option(answer: Node, inner: SqlScope) -> SqlValue | None:
    """Return the option's value in the answer's type; None if no option can have that type."""
    given = (f"(select r.q, p.value::json as j from {inner.rows} r join {OPTIONS} p on p.o = r.q)",
             "g.j")  # fmt: skip
    try:
        return value_of(answer.type, given, inner)
    except TypeError:
        return None


def _different(a: SqlValue, b: SqlValue, scope: SqlScope) -> SqlValue:
    """Return SQL of whether two values certainly differ, one row for each q."""
    if a.shape == STRETCH:
        apart = "(a.a <> b.a or a.b <> b.b)"
    elif a.shape == BOX:
        apart = "(a.x1 <> b.x1 or a.y1 <> b.y1 or a.x2 <> b.x2 or a.y2 <> b.y2)"
    elif a.shape == SPANS:
        a, b, apart = _printed(a, scope), _printed(b, scope), "(a.value <> b.value)"
    else:
        sides = ("left", Name(Type("none"), "a")), ("right", Name(Type("none"), "b"))
        unequal = Call(TRUTH_TYPE, "compare", (("sign", "!="), *sides))
        return SqlScope(scope.script, scope.rows, {"a": a, "b": b}).value(unequal)
    return scope.row(TRUTH, f"{apart} as value, a.ok and b.ok as ok", a=a, b=b)


def _printed(value: SqlValue, scope: SqlScope) -> SqlValue:
    """Return the printed values of several times, as one list in order."""
    one = "m.at" if value.of == RANGE else "[m.a, m.b]"
    return SqlValue(GROUP, scope.add(
        f"""select v.q, coalesce(m.value, []) as value, v.ok from {value.cte} v left join
        (select m.q, list({one} order by m.place) as value from {value.rows} m group by m.q) m
        on m.q = v.q""", GROUP
    ))  # fmt: skip
