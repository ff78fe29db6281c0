"""Runs a template's query, and compares its values with the names, answers and options of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb
import pyarrow as pa

from surgqa.ontology.times import SECOND_US
from surgqa.transforms.algebra.sql.options import options_query
from surgqa.transforms.algebra.sql.program import compiled
from surgqa.transforms.algebra.sql.query import Query, rows_of
from surgqa.transforms.algebra.sql.typed import known, typed
from surgqa.transforms.algebra.sql.values import GROUP
from surgqa.transforms.algebra.tree import Node
from surgqa.transforms.checks.proof.options import canonical, pool_name
from surgqa.transforms.checks.proof.proved import same
from surgqa.transforms.checks.proof.reading import RowValues
from surgqa.transforms.checks.proof.rows import Problem, ProofRow
from surgqa.transforms.language.program import Program, Stage


class Open(Exception):
    """The evidence does not decide a value: more than one value is possible."""


@dataclass(frozen=True)
class Proved:
    """The results of a stage's queries for one row.

    Attributes:
        values: column of the query -> its value, a struct.
        ruled_out: letter of a distractor -> two flags: whether it is certainly not the answer (None
            if the answer has several fields), and whether the condition ``unless`` of its pool is
            certainly false.
    """

    query: Query
    values: Mapping[str, dict[str, Any]]
    ruled_out: dict[str, tuple[bool | None, bool]] = field(default_factory=dict)

    def typed(self, name: str) -> Any:
        """Return the certain value of a column.

        Raises:
            Open: the evidence does not decide the value.
        """
        struct = self.values[name]
        if not known(struct):
            raise Open(name)
        return typed(self.query.columns[name], struct)

    def more(self) -> dict[Node, Any]:
        """Return the certain values of the expressions that :func:`proved` got as ``more``."""
        columns, nodes = self.query.columns, self.query.nodes
        return {nodes[name]: typed(columns[name], self.values[name])
                for name in self.query.more if known(self.values[name])}  # fmt: skip


def proved(
    con: duckdb.DuckDBPyConnection, program: Program, stage: Stage, asked: Sequence[ProofRow],
    more: Sequence[Node] = (),
) -> list[Proved]:  # fmt: skip
    """Return the values that the evidence gives for each row of the table ``cases``.

    Args:
        more: further expressions, whose values texts or limits contain but no column does.
    """
    query = compiled(program, stage, more)
    for name, sql in query.shared.items():
        con.execute(f"create temp table if not exists {name} as {sql}")
    out = [Proved(query, row) for row in rows_of(con, query.rest)]
    assert len(out) == len(asked), f"{program.id}: {len(out)} rows of {len(asked)} cases"
    for k, pool in enumerate(stage.wrong):
        _rule_out(con, program, stage, asked, out, k, pool_name(pool))
    return out


def _rule_out(
    con: duckdb.DuckDBPyConnection, program: Program, stage: Stage, asked: Sequence[ProofRow],
    out: Sequence[Proved], pool: int, name: str,
) -> None:  # fmt: skip
    """Store for each distractor of one pool whether it is certainly wrong."""
    options = [
        (q, option)
        for q, one in enumerate(asked)
        for option in one.row["options"] or ()
        if option["kind"] == name and not option["is_answer"]
    ]
    if not options:
        return
    table = pa.table({
        "o": pa.array(range(len(options)), pa.int64()),
        "q": pa.array([q for q, _ in options], pa.int64()),
        "value": pa.array([option["value"] for _, option in options], pa.string()),
    })  # fmt: skip
    con.register("given_options", table)
    con.execute("create or replace temp table options as from given_options")
    con.unregister("given_options")
    for o, differs, excluded in con.execute(options_query(program, stage, pool)).fetchall():
        q, option = options[o]
        before = out[q].ruled_out.get(option["key"])
        if before is None or not before[1]:
            out[q].ruled_out[option["key"]] = (differs, excluded)


def answered(asked: ProofRow, known: RowValues, found: Proved) -> RowValues:
    """Return a row's values with the answer that the evidence gives.

    Raises:
        Open: the evidence does not decide the answer.
    """
    values = [found.typed(f"answer.{name}") for name, _ in asked.stage.answer]
    return known.with_answer(asked.stage, values[0] if len(values) == 1 else values)


def truth_problems(asked: ProofRow, found: Proved) -> Iterator[Problem]:
    """Yield (code, detail) where a row differs from the evidence."""
    yield from _names(asked, found)
    for k, node in enumerate((*asked.program.where, *asked.stage.where)):
        struct = found.values[f"where.{k}"]
        if not (struct["ok"] and struct["value"] is True):
            said = "false" if struct["ok"] and struct["value"] is False else "not certain"
            yield "gate_failed", f"condition {k + 1} (line {node.place[0]}) is {said}"
    yield from _answer(asked, found)
    yield from _offered(asked, found)


def _names(asked: ProofRow, found: Proved) -> Iterator[Problem]:
    for step in asked.program.let:
        for name in step.names:
            value = asked.slots[name]
            try:
                wanted = found.typed(f"let.{name}")
            except Open:
                if value is None and step.node.type.name == "truth":
                    continue  # the row states that neither value is certain
                code = "draw_inadmissible" if step.draws else "slot_differs"
                yield code, f"{name}: {value!r} is not certain"
                continue
            if not same(value, wanted, step.node.type):
                yield "slot_differs", f"{name}: {value!r}, the evidence gives {wanted!r}"


def _answer(asked: ProofRow, found: Proved) -> Iterator[Problem]:
    for name, node in asked.stage.answer:
        try:
            wanted = found.typed(f"answer.{name}")
        except Open:
            yield "answer_undecided", f"{name}: the evidence does not decide it"
            continue
        if not same(asked.value[name], wanted, node.type):
            yield "answer_differs", f"{name}: {asked.value[name]!r}, the evidence gives {wanted!r}"
        elif _open(wanted, node.type.name):
            yield "answer_undecided", f"{name}: it may be anything in {wanted!r}"


def _open(value: Any, name: str) -> bool:
    """Return whether a number or duration is so uncertain that stating it says nothing.

    Its bounds are then farther apart than the value itself and than 2 s (of a number: 0.2).
    """
    if not isinstance(value, dict) or not {"least", "most"} <= set(value):
        return False
    if value["most"] is None:
        return True
    apart = value["most"] - value["least"]
    return bool(apart > max(abs(value["value"]), 2 * SECOND_US if name == "duration" else 0.2))


def _offered(asked: ProofRow, found: Proved) -> Iterator[Problem]:
    """Check that each distractor is certainly not the answer and is a value of its pool."""
    texts: dict[int, tuple[set[str], set[str] | None]] = {}
    for option, value in zip(asked.row["options"] or (), asked.offered, strict=True):
        if option["is_answer"]:
            continue
        what = f"{option['key']}) {option['text']}"
        differs, excluded = found.ruled_out.get(option["key"], (None, True))
        if differs is False:
            yield "option_true", f"{what} may have the same value as the answer"
        if not excluded:
            yield "option_true", f"{what} may be right: its pool's 'unless' is not certainly false"
        pools = [k for k, pool in enumerate(asked.stage.wrong)
                 if pool_name(pool) == option["kind"]]  # fmt: skip
        texts |= {k: _pool_texts(found, k) for k in pools if k not in texts}
        if pools and not any(_holds(canonical(value), *texts[k]) for k in pools):
            yield "option_foreign", f"{what} is not offered by {option['kind']}"


def _pool_texts(found: Proved, k: int) -> tuple[set[str], set[str] | None]:
    """Return the values that pool k excludes, and the values that it contains, as texts.

    The second result is None if the pool computes its values from the answer.
    """
    pool = _members(found, f"pool.{k}") if f"pool.{k}" in found.values else None
    return _listed(found, f"except.{k}."), pool


def _holds(text: str, left_out: set[str], pool: set[str] | None) -> bool:
    """Return whether a pool contains a value, as far as the evidence shows."""
    return text not in left_out and (pool is None or text in pool)


def _listed(found: Proved, prefix: str) -> set[str]:
    names = [name for name in found.values if name.startswith(prefix)]
    return {one for name in names for one in _members(found, name)}


def _members(found: Proved, name: str) -> set[str]:
    """Return the value of a column as text; for a collection, the texts of all known members.

    A box or a point is one value, although it is a list of numbers.
    """
    column = found.query.columns[name]
    try:
        value = typed(column, found.values[name]) if column.shape == GROUP else found.typed(name)
    except Open:
        return set()
    many = isinstance(value, list) and column.type not in ("box", "point")
    return {canonical(one) for one in value} if many else {canonical(value)}
