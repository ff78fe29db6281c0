"""Compile expressions of a template to SQL: one common table expression (CTE) for each."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from surgqa.ontology.keys import digest
from surgqa.transforms.algebra.operators import form
from surgqa.transforms.algebra.sql.values import (
    BOX,
    FACT,
    FACT_COLUMNS,
    LABEL,
    RANGE,
    SqlValue,
    names,
    text,
)
from surgqa.transforms.algebra.tree import Between, Call, Const, Name, Node, Pattern, Read

Form = Callable[[Call, "SqlScope"], SqlValue]

SHARED = "shared_"
"""Start of the names of shared expressions."""


class SqlScript:
    """The common table expressions (CTEs) of one query; equal SQL is stored once.

    CTEs that depend on the evidence alone, not on the items, are *shared*: they have the same name
    in all queries, and can be kept as tables.
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._shared: dict[str, str] = {}

    def add(self, sql: str, hint: str = "n") -> str:
        """Add a CTE and return its name, which begins with ``hint``."""
        return self._names.setdefault(sql, f"{hint}{len(self._names)}")

    def share(self, sql: str, hint: str) -> str:
        """Add a CTE that depends only on the evidence and on other such CTEs; return its name."""
        return self._shared.setdefault(sql, f"{SHARED}{hint}_{digest(sql)}")

    @property
    def shared(self) -> dict[str, str]:
        """SQL of shared CTEs by name; each comes after those that it uses."""
        return {name: sql for sql, name in self._shared.items()}

    def query(self, last: str, with_shared: bool = True) -> str:
        """Return the whole query: all CTEs, then ``last``, which may use each of them.

        Args:
            with_shared: False if the shared CTEs exist as tables.
        """
        names = {**(self._shared if with_shared else {}), **self._names}
        ctes = ",\n".join(f"{name} as materialized ({sql})" for sql, name in names.items())
        return f"with {ctes}\n{last}" if ctes else last


class SqlScope:
    """The rows for which expressions are evaluated: items (cases), or elements in a pattern.

    Args:
        rows: name of a CTE with one row each: ``q`` and ``video``; in an inner scope also ``up``,
            the ``q`` of the outer row.
        bound: the values of the names that are known from the start.
        makers: functions that compute the values of other names when they are first needed.
    """

    def __init__(
        self, script: SqlScript, rows: str, bound: Mapping[str, SqlValue],
        outer: SqlScope | None = None, makers: Mapping[str, Callable[[], SqlValue]] | None = None,
    ) -> None:  # fmt: skip
        self.script, self.rows, self.outer = script, rows, outer
        self.bound = dict(bound)
        self.makers = dict(makers or {})
        self._memo: dict[Node, SqlValue] = {}

    def add(self, sql: str, hint: str = "n") -> str:
        """Add a CTE and return its name."""
        return self.script.add(" ".join(sql.split()), hint)

    def share(self, sql: str, hint: str) -> str:
        """Add a CTE that depends only on the evidence, and return its name."""
        return self.script.share(" ".join(sql.split()), hint)

    def value(self, node: Node) -> SqlValue:
        """Return the compiled value of an expression, which is made when it is first needed."""
        if node not in self._memo:
            own = self.outer is None or free_names(node) & self.bound.keys()
            self._memo[node] = self._made(node) if own else self._from_outside(node)
        return self._memo[node]

    def inside(self, rows: str, **bound: SqlValue) -> SqlScope:
        """Return an inner scope for the elements in the CTE ``rows``: q, up (outer q), video."""
        return SqlScope(self.script, rows, bound, self)

    def elements(self, rows: str, columns: str, order: str) -> tuple[SqlScope, str]:
        """Return an inner scope with one row for each row of a CTE, and the name of its own CTE.

        Args:
            columns: the columns to keep.
            order: columns in which all rows differ.
        """
        inner = self.add(
            f"select row_number() over (order by m.q, {order}) as q, m.q as up, s.video, {columns} "
            f"from {rows} m join {self.rows} s on s.q = m.q", "inner"
        )  # fmt: skip
        return self.inside(inner), inner

    def row(self, shape: str, columns: str, /, hint: str = "", **parts: SqlValue) -> SqlValue:
        """Return a value that is computed row by row from the values in ``parts``.

        Args:
            columns: SQL of the new value's columns; it refers to the parts by their names.
        """
        joined = " ".join(f"join {one.cte} {name} on {name}.q = c.q" for name, one in parts.items())
        sql = f"select c.q, {columns} from {self.rows} c {joined}"
        return SqlValue(shape, self.add(sql, hint or shape))

    def _from_outside(self, node: Node) -> SqlValue:
        assert self.outer is not None
        return gathered(self.outer.value(node), self)

    def _made(self, node: Node) -> SqlValue:
        match node:
            case Name():
                return self._named(node)
            case Const():
                return constant(node, self)
            case Read():
                return _module("reads").read(node, self)
            case Between():
                return _module("references").between(node, self)
            case Pattern():
                return _module("patterns").select(node, self)
            case Call():
                return form_of(node.op)(node, self)
        raise TypeError(f"not an expression of a template: {node!r}")

    def _named(self, node: Name) -> SqlValue:
        if node.name in self.bound:
            return self.bound[node.name]
        if node.name in self.makers:
            self.bound[node.name] = self.makers[node.name]()
            return self.bound[node.name]
        raise KeyError(node.name)


def _module(name: str) -> Any:
    """Import a module of this package late, because it imports this one."""
    return importlib.import_module(f"surgqa.transforms.algebra.sql.{name}")


@cache
def form_of(op: str) -> Form:
    """Return the function that compiles an operator to SQL."""
    return form(op, "sql")


def constant(node: Const, scope: SqlScope) -> SqlValue:
    """Return a literal, the same in all rows."""
    name, value = node.type.name, node.value
    if name == "duration" and node.type.of == "frame":
        us = f"cast(round({float(value)!r} * 1000000 / v.fps) as bigint)"
        sql = (f"select c.q, {us} as lo, {us} as at, {us} as hi, null::bigint as mark, true as ok, "
               f"false as none from {scope.rows} c join videos v on v.video = c.video")  # fmt: skip
        return SqlValue(RANGE, scope.add(sql, "const"))
    if name in ("duration", "instant", "number"):
        lit = f"{float(value)!r}::double" if name == "number" else f"{int(value)}::bigint"
        return scope.row(RANGE, f"{lit} as lo, {lit} as at, {lit} as hi, null::bigint as mark, "
                                "true as ok, false as none", "const")  # fmt: skip
    if name == "box":
        sides = ", ".join(f"{side!r}::double as {one}" for one, side in
                          zip(("x1", "y1", "x2", "y2"), value, strict=True))  # fmt: skip
        return scope.row(BOX, f"{sides}, true as ok, false as none", "const")
    null = name == "none"
    lit = "null::varchar" if null else text(value)
    return scope.row(LABEL, f"{lit} as value, true as ok, {str(null).lower()} as none", "const")


def gathered(value: SqlValue, scope: SqlScope) -> SqlValue:
    """Return a value of the outer scope for the rows of this scope."""

    def to(cte: str) -> str:
        return scope.add(
            f"select c.q, v.* exclude (q) from {scope.rows} c join {cte} v on v.q = c.up", "outer"
        )

    return SqlValue(value.shape, to(value.cte), to(value.rows) if value.rows else "",
                 to(value.holes) if value.holes else "", value.fields, value.of,
                 value.table)  # fmt: skip


@cache
def free_names(node: Node) -> frozenset[str]:
    """Return all names that an expression uses; a pattern without a reference uses ``window``."""
    return frozenset(_names(node))


def _names(thing: object) -> Iterator[str]:
    if isinstance(thing, Name):
        yield thing.name
    elif isinstance(thing, tuple):
        for one in thing:
            yield from _names(one)
    elif hasattr(thing, "__dataclass_fields__"):
        if isinstance(thing, Pattern) and thing.reference is None:
            yield "window"
        for name in thing.__dataclass_fields__:
            if name not in ("type", "place"):
                yield from _names(getattr(thing, name))


def element_of(inner: str, scope: SqlScope, shape: str) -> SqlValue:
    """Return the value of ``it``: the element that each row of an inner scope stands for."""
    if shape == FACT:
        columns = f"{names(FACT_COLUMNS)}, true as ok, false as none"
    else:
        columns = "value, true as ok, false as none"
    return SqlValue(shape, scope.add(f"select q, {columns} from {inner}", "it"))
