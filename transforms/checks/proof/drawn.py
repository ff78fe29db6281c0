"""Checks values that the build drew at random: the template must allow each of them.

Drawn facts and instances are checked by the query of the template, which looks them up. This module
checks drawn labels, times, time intervals and places.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import duckdb
import pyarrow as pa

from surgqa.transforms.algebra.sql.elements import elements_of
from surgqa.transforms.algebra.sql.program import Compiling
from surgqa.transforms.algebra.tree import Call, Name, Pattern, Step
from surgqa.transforms.checks.proof.numbers import when
from surgqa.transforms.checks.proof.options import canonical
from surgqa.transforms.checks.proof.proved import plain
from surgqa.transforms.checks.proof.rows import ProofRow
from surgqa.transforms.checks.proof.truth import Proved

Found = tuple[str, str, str]
"""(item id, code, detail)"""

LOOKED_UP = ("fact", "track")
GRID = 5
"""Number of grid cells per side if a template does not state it."""


def drawn_problems(
    con: duckdb.DuckDBPyConnection, asked: Sequence[ProofRow], found: Sequence[Proved]
) -> Iterator[Found]:
    """Yield drawn values that the template does not allow.

    Args:
        asked: the rows of the table ``cases``.
        found: for each row, the values that the evidence gives.
    """
    program = asked[0].program
    for step in program.let:
        if not step.draws or step.node.type.name in LOOKED_UP:
            continue
        assert isinstance(step.node, Call)
        main = step.node.get("of")
        if main in ("instant", "stretch"):
            yield from _times(con, step, asked, found)
        elif main == "point":
            yield from _points(step, asked)
        else:
            yield from _members(con, step, asked)


def _bad(one: ProofRow, name: str) -> Found:
    return one.id, "draw_inadmissible", f"{name}: {one.slots[name]!r} is not one of the values"


def _members(
    con: duckdb.DuckDBPyConnection, step: Step, asked: Sequence[ProofRow]
) -> Iterator[Found]:
    """Check values drawn from the members of a collection, or from a field of its facts."""
    assert isinstance(step.node, Call)
    main, making = step.node.get("of"), Compiling(asked[0].program)
    elements = elements_of(main, making.names)
    column = _column(main, elements.shape)
    sql = f"select up, {column} as value from {elements.rows} where sure"
    known: dict[int, set[str]] = defaultdict(set)
    for q, value in con.execute(making.script.query(sql)).fetchall():
        known[q].add(canonical(value))
    for q, one in enumerate(asked):
        drawn = [(name, canonical(plain(value)))
                 for name in step.names for value in _each(step, one.slots[name])]  # fmt: skip
        for name in dict.fromkeys(name for name, value in drawn if value not in known[q]):
            yield _bad(one, name)
        if len({value for _, value in drawn}) < len(drawn):
            yield _bad(one, step.names[0])


def _each(step: Step, value: Any) -> list[Any]:
    """Return the drawn values of a name as a list, which has one member if one value was drawn."""
    many = step.node.type.name in ("set", "sequence")
    return value if many and isinstance(value, list) else [value]


def _column(main: Any, shape: str) -> str:
    if shape == "range":
        return '"at"'  # quoted, because "at" is a reserved word in SQL
    if shape == "stretch":
        return "[a, b]"
    if shape == "label":
        return "value"
    field = main.field if isinstance(main, Pattern) else "label"
    return "concat_ws(',', verb, target)" if field == "act" else field


def _times(
    con: duckdb.DuckDBPyConnection, step: Step, asked: Sequence[ProofRow], found: Sequence[Proved]
) -> Iterator[Found]:
    """Check drawn times and time intervals, which must begin and end at annotated instants."""
    assert isinstance(step.node, Call)
    named = [(q, name) for q in range(len(asked)) for name in step.names]
    ends = [_ends(asked[q].slots[name]) for q, name in named]
    unlabelled = _unlabelled(con, [(q, t) for (q, _), some in zip(named, ends, strict=True)
                                   for t in dict.fromkeys(some)])  # fmt: skip
    least = int(step.node.get("at_least") or 1)
    for (q, name), (a, b) in zip(named, ends, strict=True):
        fine = not {(q, a), (q, b)} & unlabelled
        if isinstance(asked[q].slots[name], Mapping):
            fine = fine and b - a >= least and _seen(step, found[q], a, b)
        if not fine:
            yield _bad(asked[q], name)


def _ends(value: Any) -> tuple[int, int]:
    """Return the start and end of a drawn time interval; both are equal for an instant."""
    if isinstance(value, Mapping):
        return when(value["start"]), when(value["end"])
    return value, value


def _unlabelled(
    con: duckdb.DuckDBPyConnection, times: Sequence[tuple[int, int]]
) -> set[tuple[int, int]]:
    """Return those of the (case, time) pairs whose time is no annotated instant of the window."""
    given = pa.table({"q": pa.array([q for q, _ in times], pa.int64()),
                      "t": pa.array([t for _, t in times], pa.int64())})  # fmt: skip
    con.register("given_times", given)
    missing = con.execute(
        "select g.q, g.t from given_times g join windows w on w.q = g.q "
        "left join instants i on i.video = w.video and i.t = g.t "
        "where i.t is null or g.t < w.a or g.t >= w.b"
    ).fetchall()
    con.unregister("given_times")
    return set(missing)


def _seen(step: Step, found: Proved, start: int, end: int) -> bool:
    """Return whether the instances of a drawn interval are certainly in view all the time."""
    assert isinstance(step.node, Call)
    nodes = step.node.get("seen") or ()
    for node in nodes if isinstance(nodes, tuple) else (nodes,):
        fact = found.values.get(f"let.{node.name}") if isinstance(node, Name) else None
        if fact is not None and not (fact["s1"] <= start and end < fact["e0"]):
            return False
    return True


def _points(step: Step, asked: Sequence[ProofRow]) -> Iterator[Found]:
    """Check drawn places, which must be centres of the cells of a grid."""
    assert isinstance(step.node, Call)
    size = int(step.node.get("grid") or GRID)
    centres = {round((k + 0.5) / size, 6) for k in range(size)}
    for one in asked:
        for name in step.names:
            x, y, *again = one.slots[name]
            if not {x, y} <= centres or again != [x, y]:
                yield _bad(one, name)
