"""Read the values that were drawn for an item from its column ``slots``.

``slots`` is a JSON object. A drawn fact is stored there with its labels, start and end; it is found
again among the facts from which it was drawn, and must certainly be one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from surgqa.transforms.algebra.sql.elements import elements_of
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import (
    BOX,
    COLUMNS,
    FACT,
    GROUP,
    LABEL,
    RANGE,
    SPANS,
    STRETCH,
    TRUTH,
    SqlValue,
    names,
    text,
)
from surgqa.transforms.algebra.types import Type, element

FIELDS = ("label", "subject", "verb", "target", "track")

Given = tuple[str, str]
"""(SQL with q, SQL of the value's JSON in a row with the alias ``g``)."""


def slot(name: str, source: str) -> Given:
    """Return where the column ``slots`` has the value of a name."""
    path = f'$."{name}"'
    return source, f"json_extract(g.slots, {text(path)})"


def value_of(type_: Type, given: Given, scope: SqlScope, among: object = None) -> SqlValue:
    """Return a value that is stored as JSON, compiled like the value of an expression.

    Args:
        among: expressions of the collections in which a fact is found again.
    """
    maker = MAKERS.get(type_.name)
    if type_.name in ("fact", "track"):
        return _fact(given, scope, among)
    if type_.name in ("set", "sequence"):
        return _many(type_, given, scope)
    if maker is None:
        raise TypeError(f"values of type {type_} cannot be read from JSON")
    return maker(given, scope)


def _add(shape: str, columns: str, given: Given, scope: SqlScope) -> SqlValue:
    source, json = given
    return SqlValue(shape, scope.add(
        f"select g.q, {columns} from (select g.q, {json} as j from {source} g) g", shape
    ))  # fmt: skip


_PRESENT = "coalesce(json_type(g.j) <> 'NULL', false)"
_NULL = "coalesce(json_type(g.j) = 'NULL', false)"


def _range(kind: str, printed: str, low: str, high: str) -> Callable[[Given, SqlScope], SqlValue]:
    def made(given: Given, scope: SqlScope) -> SqlValue:
        def one(key: str) -> str:
            whole = "json_type(g.j) = 'OBJECT'"
            inner = f"json_extract(g.j, '$.{key}')"
            return f"(case when {whole} then {inner} when {_PRESENT} then g.j end)::{kind}"

        bounds = f"{one(low)} as lo, {one(printed)} as at, {one(high)} as hi"
        known = f"null::bigint as mark, {_PRESENT} as ok, {_NULL} as none"
        return _add(RANGE, f"{bounds}, {known}", given, scope)

    return made


def _label(given: Given, scope: SqlScope) -> SqlValue:
    act = "concat_ws(',', g.j->>'$.verb', g.j->>'$.target')"
    value = f"case when json_type(g.j) = 'OBJECT' then {act} else g.j->>'$' end"
    return _add(
        LABEL, f"{value} as value, {_PRESENT} or {_NULL} as ok, {_NULL} as none", given, scope
    )


def _truth(given: Given, scope: SqlScope) -> SqlValue:
    return _add(TRUTH, f"g.j::boolean as value, {_PRESENT} as ok", given, scope)


def _stretch(given: Given, scope: SqlScope) -> SqlValue:
    def edge(side: str, key: str, part: str) -> str:
        inner = f"json_extract(g.j, '$.{key}')"
        bounds = f"json_extract(g.j, '$.{key}.{part}')"
        return f"coalesce({bounds}, {inner})::bigint as {side}"

    columns = [
        edge(f"{side}{n}", key, part)
        for side, key in (("a", "start"), ("b", "end"))
        for n, part in (("0", "earliest_us"), ("", "time_us"), ("1", "latest_us"))
    ]
    marks = (
        f"null::bigint as a_mark, {_PRESENT} as a_ok, null::bigint as b_mark, {_PRESENT} as b_ok"
    )
    value = _add(STRETCH, f"{', '.join(columns)}, {marks}", given, scope)
    return SqlValue(STRETCH, scope.add(
        f"select *, coalesce(a_ok and a1 < b0, false) as ok from {value.cte}", STRETCH
    ))  # fmt: skip


def _box(given: Given, scope: SqlScope) -> SqlValue:
    sides = ", ".join(
        f"json_extract(g.j, '$[{k}]')::double as {name}"
        for k, name in enumerate(("x1", "y1", "x2", "y2"))
    )
    return _add(BOX, f"{sides}, {_PRESENT} as ok, {_NULL} as none", given, scope)


def _fact(given: Given, scope: SqlScope, among: object) -> SqlValue:
    """Return the fact of a collection that certainly exists and has these labels and times."""
    source, json = given
    found = elements_of(among, scope)  # type: ignore[arg-type]
    same = " and ".join(f"e.{one} is not distinct from g.j->>'$.{one}'" for one in FIELDS)
    times = ("e.s = json_extract(g.j, '$.start_us')::bigint and "
             "e.e = json_extract(g.j, '$.end_us')::bigint")  # fmt: skip
    one = scope.add(
        f"""select g.q, {names(COLUMNS[FACT][:-2], 'e')} from (select g.q, {json} as j
          from {source} g) g join {found.rows} e on e.up = g.q
        where e.sure and {times} and {same}
        qualify row_number() over (partition by g.q order by e.place) = 1""", "told"
    )  # fmt: skip
    return SqlValue(FACT, scope.add(
        f"select c.q, {names(COLUMNS[FACT][:-2], 'o')}, o.q is not null as ok, false as none "
        f"from {scope.rows} c left join {one} o on o.q = c.q", FACT
    ))  # fmt: skip


def _many(type_: Type, given: Given, scope: SqlScope) -> SqlValue:
    """Return a set or a sequence of labels, or a list of times in order."""
    one = element(type_)
    if one.name not in ("instant", "stretch"):
        ids = "list_transform(json_extract(g.j, '$[*]'), lambda x: x->>'$')"
        return _add(GROUP, f"{ids} as value, {_PRESENT} as ok", given, scope)
    source, json = given
    rows = scope.add(
        f"select row_number() over (order by g.q, k.place) as q, g.q as up, k.place, "
        f"json_extract(g.j, '$[' || k.place || ']') as j from (select g.q, {json} as j from "
        f"{source} g) g, (select unnest(range(64)) as place) k "
        "where k.place < json_array_length(g.j)", "member"
    )  # fmt: skip
    value = value_of(one, (rows, "g.j"), scope)
    kept = scope.add(
        f"select r.up as q, r.place, {names(COLUMNS[value.shape], 'v')} from {rows} r "
        f"join {value.cte} v on v.q = r.q", "spans"
    )  # fmt: skip
    return SqlValue(SPANS, _add(SPANS, f"{_PRESENT} as ok", given, scope).cte, kept, of=value.shape)


MAKERS: Mapping[str, Callable[[Given, SqlScope], SqlValue]] = {
    "instant": _range("bigint", "time_us", "earliest_us", "latest_us"),
    "duration": _range("bigint", "value", "least", "most"),
    "number": _range("double", "value", "least", "most"),
    **dict.fromkeys(("label", "act", "word", "statement", "none", "absent", "rater", "text"),
                    _label),
    "truth": _truth, "stretch": _stretch, "video": _stretch, "stage": _stretch,
    "point": _box, "box": _box,
}  # fmt: skip
"""Name of a type -> function that reads a value of the type from JSON."""
