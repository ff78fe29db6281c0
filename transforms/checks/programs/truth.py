"""The query of a template against its rows: names, conditions, answers, options and rounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import duckdb

from transforms.algebra.sql.program import compiled
from transforms.algebra.sql.query import Column, Query
from transforms.algebra.tree import Call
from transforms.checks.programs.options import canonical, pool_name
from transforms.checks.programs.proved import Open, Struct, same, typed
from transforms.checks.programs.rows import Asked, Problem
from transforms.language.program.program import Program, Stage


@dataclass(frozen=True)
class Proved:
    """What the query of one stage gives for one case.

    Attributes:
        values: name of a column -> its struct.
    """

    query: Query
    values: Mapping[str, Struct]

    def typed(self, name: str) -> Any:
        """The typed value of a column.

        Raises:
            Open: the evidence does not settle it.
        """
        column: Column = self.query.columns[name]
        return typed(self.values[name], self.query.nodes[name].type, column.fields)


def proved(
    con: duckdb.DuckDBPyConnection, program: Program, stage: Stage, cases: int
) -> list[Proved]:
    """What the evidence gives for every row of the table ``cases``, all of one stage."""
    query = compiled(program, stage)
    table = con.sql(query.sql).to_arrow_table()
    rows = table.to_pylist()
    if len(rows) != cases:
        raise RuntimeError(f"{program.id}: {len(rows)} rows of {cases} cases")
    return [Proved(query, row) for row in rows]


def truth_problems(asked: Asked, found: Proved) -> Iterator[Problem]:
    """What a row says otherwise than the evidence (code, detail)."""
    yield from _names(asked, found)
    for k, node in enumerate((*asked.program.where, *asked.stage.where)):
        struct = found.values[f"where.{k}"]
        if not (struct["ok"] and struct["value"] is True):
            said = "false" if struct["ok"] and struct["value"] is False else "not certain"
            yield "gate_failed", f"condition {k + 1} at line {node.place[0]} is {said}"
    yield from _answer(asked, found)
    yield from _offered(asked, found)


def _names(asked: Asked, found: Proved) -> Iterator[Problem]:
    for step in asked.program.let:
        for name in step.names:
            value = asked.slots[name]
            try:
                wanted = found.typed(f"let.{name}")
            except Open:
                code = "draw_inadmissible" if step.draws else "slot_differs"
                yield code, f"{name}: {value!r} is not certain"
                continue
            if not same(value, wanted, step.node.type):
                yield "slot_differs", f"{name}: {value!r}, the evidence gives {wanted!r}"


def _answer(asked: Asked, found: Proved) -> Iterator[Problem]:
    for name, node in asked.stage.answer:
        try:
            wanted = found.typed(f"answer.{name}")
        except Open:
            yield "answer_undecided", f"{name}: the evidence does not settle it"
            continue
        if not same(asked.value[name], wanted, node.type):
            yield "answer_differs", f"{name}: {asked.value[name]!r}, the evidence gives {wanted!r}"


def _offered(asked: Asked, found: Proved) -> Iterator[Problem]:
    """Wrong options: values of the pools that they come from, and none that is left out."""
    for option, value in zip(asked.row["options"] or (), asked.offered, strict=True):
        if option["is_answer"]:
            continue
        what = f"{option['key']}) {option['text']}"
        pools = [k for k, pool in enumerate(asked.stage.wrong)
                 if pool_name(pool) == option["kind"]]  # fmt: skip
        if pools and not any(_holds(asked, found, k, value) for k in pools):
            yield "option_foreign", f"{what} is not offered by {option['kind']}"


def _holds(asked: Asked, found: Proved, k: int, value: Any) -> bool:
    """Whether pool k holds a value, as far as the evidence tells."""
    pool, text = asked.stage.wrong[k], canonical(value)
    left_out = _listed(found, f"except.{k}.")
    if text in left_out:
        return False
    if f"pool.{k}" in found.values:
        return text in _members(found, f"pool.{k}")
    spare = _listed(found, f"from.{k}.")
    if isinstance(pool, Call) and pool.op == "change" and isinstance(value, list):
        known = spare | {canonical(one) for one in asked.answer}
        return all(canonical(one) in known for one in value)
    return True


def _listed(found: Proved, prefix: str) -> set[str]:
    names = [name for name in found.values if name.startswith(prefix)]
    return {one for name in names for one in _members(found, name)}


def _members(found: Proved, name: str) -> set[str]:
    """The values of a column as text: of many its members."""
    try:
        value = found.typed(name)
    except Open:
        return set()
    return {canonical(one) for one in value} if isinstance(value, list) else {canonical(value)}


