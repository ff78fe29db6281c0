"""Properties of a value that templates read with a dot, such as ``act.start``, in SQL."""

from __future__ import annotations

from surgqa.transforms.algebra.sql.boxes import box_at, start_of
from surgqa.transforms.algebra.sql.patterns import field
from surgqa.transforms.algebra.sql.reduce import FROM_TO, counted
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import (
    BOX,
    LABEL,
    RANGE,
    SqlValue,
)
from surgqa.transforms.algebra.tree import Name, Read

_EXACT = "{0} as lo, {0} as at, {0} as hi, null::bigint as mark, v.ok as ok, {1} as none"

_LENGTH = "greatest(v.e0 - v.s1, 1) as lo, v.e - v.s as at, v.x1 - v.x0 as hi"

OF_FACT = {
    "start": "v.x0 as lo, v.s as at, v.s1 as hi, case when v.x0 = v.s0 then v.s_mark end as mark",
    "end": "v.e0 as lo, v.e as at, v.x1 as hi, case when v.x1 = v.e1 then v.e_mark end as mark",
    "length": f"{_LENGTH}, null::bigint as mark",
    "middle": "floor((v.x0 + v.e0) / 2)::bigint as lo, floor((v.s + v.e) / 2)::bigint as at, "
              "floor((v.s1 + v.x1) / 2)::bigint as hi, "
              "null::bigint as mark",
}  # fmt: skip

OF_STRETCH = {
    "start": "v.a0 as lo, v.a as at, v.a1 as hi, v.a_mark as mark, v.a_ok as ok",
    "end": "v.b0 as lo, v.b as at, v.b1 as hi, v.b_mark as mark, v.b_ok as ok",
    "length": "greatest(v.b0 - v.a1, 1) as lo, v.b - v.a as at, v.b1 - v.a0 as hi, "
              "null::bigint as mark, v.ok as ok",
    "middle": "floor((v.a0 + v.b0) / 2)::bigint as lo, floor((v.a + v.b) / 2)::bigint as at, "
              "floor((v.a1 + v.b1) / 2)::bigint as hi, "
              "null::bigint as mark, v.ok as ok",
}  # fmt: skip

OF_BOX = {"x": "(v.x1 + v.x2) / 2", "y": "(v.y1 + v.y2) / 2",
          "area": "(v.x2 - v.x1) * (v.y2 - v.y1)"}  # fmt: skip


def read(node: Read, scope: SqlScope) -> SqlValue:
    """Return the property in ``base.reader``, such as the start in ``act.start``."""
    if isinstance(node.base, Name) and node.base.type.name == "stage":
        return scope.value(Name(node.type, f"{node.base.name}.{node.reader}"))
    if node.base.type.name == "video" and node.reader == "procedure":
        return procedure(scope)
    value = scope.value(node.base)
    match value.shape:
        case "fact":
            return of_fact(value, node, scope)
        case "range":
            bound = "v.lo" if node.reader == "earliest" else "v.hi"
            return scope.row(RANGE, _EXACT.format(bound, "v.none"), v=value)
        case "stretch":
            return scope.row(RANGE, f"{OF_STRETCH[node.reader]}, false as none", v=value)
        case "group":
            return _of_group(value, node.reader, scope)
        case "facts":
            return size(value, scope)
        case "listed":
            return _length_of(value, scope)
        case "motion":
            return scope.row(RANGE, _EXACT.format(f"v.{node.reader}", "v.none"), v=value)
        case "box":
            return _of_box(value, node.reader, scope)
    raise TypeError(f"a {value.shape} has no property {node.reader!r}")


def procedure(scope: SqlScope) -> SqlValue:
    """Return the operation (such as cholecystectomy) that the video of each row shows."""
    sql = (f"select c.q, v.operation as value, true as ok, v.operation is null as none "
           f"from {scope.rows} c left join operations v on v.video = c.video")  # fmt: skip
    return SqlValue(LABEL, scope.add(sql, LABEL))


def of_fact(value: SqlValue, node: Read, scope: SqlScope) -> SqlValue:
    """Return a field or a time of a fact."""
    reader = node.reader
    if reader == "track":
        return value
    if reader in ("box", "centre"):
        return _of_picture(value, node, scope)
    if reader in OF_FACT:
        return scope.row(RANGE, f"{OF_FACT[reader]}, v.ok as ok, v.none as none", v=value)
    if reader == "value":
        return scope.row(
            RANGE, "v.value_lo as lo, (v.value_lo + v.value_hi) / 2 as at, v.value_hi as hi, "
            "null::bigint as mark, v.ok and v.value_lo is not null as ok, v.none as none", v=value
        )  # fmt: skip
    one = field(reader, "v")
    null = "false" if reader == "act" else f"(v.ok and {one} is null)"
    return scope.row(LABEL, f"{one} as value, v.ok as ok, v.none or {null} as none", v=value)


def _of_picture(value: SqlValue, node: Read, scope: SqlScope) -> SqlValue:
    """Return a fact's box at its start, or the x or y of the box's centre."""
    box = box_at(value, start_of(value, scope), scope)
    if node.reader == "box" or node.argument is None:
        return box
    axis = scope.value(node.argument)
    number = f"case when a.value = 'horizontal' then {OF_BOX['x']} else {OF_BOX['y']} end"
    return scope.row(
        RANGE, f"{number} as lo, {number} as at, {number} as hi, null::bigint as mark, "
        "v.ok and a.ok as ok, v.none as none", v=box, a=axis
    )  # fmt: skip


def _of_group(value: SqlValue, reader: str, scope: SqlScope) -> SqlValue:
    if reader == "size":
        return scope.row(RANGE, _EXACT.format("len(v.value)::double", "false"), v=value)
    place = 1 if reader == "first" else -1
    columns = f"v.value[{place}] as value, v.ok and len(v.value) > 0 as ok, false as none"
    return scope.row(LABEL, columns, v=value)


def _length_of(value: SqlValue, scope: SqlScope) -> SqlValue:
    count = scope.add(
        f"""select v.q, count(m.q)::double as n, v.ok from {value.cte} v
        left join {value.rows} m on m.q = v.q group by v.q, v.ok""", "size"
    )  # fmt: skip
    return scope.row(RANGE, _EXACT.format("v.n", "false"), v=SqlValue(value.shape, count))


def _of_box(value: SqlValue, reader: str, scope: SqlScope) -> SqlValue:
    if reader == "centre":
        x, y = OF_BOX["x"], OF_BOX["y"]
        columns = f"{x} as x1, {y} as y1, {x} as x2, {y} as y2, v.ok as ok, v.none as none"
        return scope.row(BOX, columns, v=value)
    return scope.row(RANGE, _EXACT.format(OF_BOX[reader], "v.none"), v=value)


def size(value: SqlValue, scope: SqlScope) -> SqlValue:
    """Return the number of facts: a range from the certain to the possible matches."""
    tally = SqlValue(value.shape, counted(value, scope))
    return scope.row(RANGE, FROM_TO, v=tally)
