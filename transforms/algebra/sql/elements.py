"""The elements of a collection: facts, labels, times or stretches, one row each."""

from __future__ import annotations

from dataclasses import dataclass

from surgqa.transforms.algebra.sql.reduce import counted
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import (
    COLUMNS,
    FACT,
    FACT_COLUMNS,
    FACTS,
    GROUP,
    LABEL,
    LISTED,
    SPANS,
    STRETCH,
    SqlValue,
    names,
)
from surgqa.transforms.algebra.tree import Node

KNOWN = "true as ok, false as none"


@dataclass(frozen=True, slots=True)
class SqlElements:
    """The elements of a collection such as "all phases", in SQL, for each row (q) of a scope.

    Attributes:
        shape: the form of one element, such as ``fact`` or ``label``.
        rows: SQL with q (of the element), up (its row), video, place, the columns of the shape,
            and sure: whether the element certainly belongs to the collection.
        head: SQL with q (of the row) and ok: whether the collection is defined and certainly has
            no other elements.
        inner: the scope of ``rows``, in which the name ``it`` is the element.
    """

    shape: str
    rows: str
    head: str
    inner: SqlScope
    it: SqlValue


def elements_of(main: Node | tuple[Node, ...], scope: SqlScope) -> SqlElements:
    """Return the elements of a pattern, of a name with several values, or of a written list."""
    if isinstance(main, tuple):
        return _listed([scope.value(node) for node in main], scope)
    found = scope.value(main)
    match found.shape:
        case shape if shape == FACTS:
            rows = scope.add(
                f"select q, {names(FACT_COLUMNS)}, {KNOWN}, sure, row_number() over (partition by "
                f"q order by {names(FACT_COLUMNS)}) as place from {found.rows}", "each"
            )  # fmt: skip
            head = scope.add(
                f"select q, ok and not unlooked as ok from {counted(found, scope)}", "head"
            )
            return _made(FACT, rows, head, scope)
        case shape if shape == LISTED:
            rows = scope.add(
                f"select q, {names(FACT_COLUMNS)}, {KNOWN}, true as sure, place from {found.rows}",
                "each",
            )
            return _made(FACT, rows, found.cte, scope)
        case shape if shape == GROUP:
            rows = scope.add(
                f"select q, unnest(value) as value, {KNOWN}, true as sure, "
                f"generate_subscripts(value, 1) as place from {found.cte}", "each"
            )  # fmt: skip
            return _made(LABEL, rows, found.cte, scope)
        case shape if shape == SPANS:
            kept = names(COLUMNS[found.of])
            rows = scope.add(f"select q, {kept}, true as sure, place from {found.rows}", "each")
            return _made(found.of, rows, found.cte, scope)
    raise TypeError(f"a {found.shape} is not a collection")


def _listed(values: list[SqlValue], scope: SqlScope) -> SqlElements:
    """Return the values of a written list, without those that are certainly none."""
    shape = values[0].shape
    none = "false" if shape == STRETCH else "v.none"
    rows = scope.add(" union all ".join(
        f"select v.q, {names(COLUMNS[shape], 'v')}, v.ok as sure, {k} as place from {one.cte} v "
        f"where not {none}" for k, one in enumerate(values)
    ), "each")  # fmt: skip
    parts = {f"p{k}": one for k, one in enumerate(values)}
    known = " and ".join(f"(p{k}.ok or {none.replace('v.', f'p{k}.')})" for k in range(len(parts)))
    return _made(shape, rows, scope.row(GROUP, f"{known} as ok", "head", **parts).cte, scope)


def _made(shape: str, rows: str, head: str, scope: SqlScope) -> SqlElements:
    kept = f"{names(COLUMNS[shape], 'm')}, m.sure, m.place"
    inner, cte = scope.elements(rows, kept, "m.place")
    it = SqlValue(shape, scope.add(f"select q, {names(COLUMNS[shape])} from {cte}", "it"))
    return SqlElements(shape, cte, head, inner, it)
