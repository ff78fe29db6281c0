"""Items of templates held against what their queries give."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb
import pyarrow as pa

from ontology.records import Item
from transforms.algebra.sql import (
    compiled,
    known,
    options_query,
    put_cases,
    put_options,
    typed,
)
from transforms.algebra.tree import Call
from transforms.language.program.program import Program


@dataclass
class Held:
    """What was compared, and what differs."""

    compared: Counter[str] = field(default_factory=Counter)
    bad: list[str] = field(default_factory=list)


def cases_of(program: Program, items: Sequence[tuple[str, Item]]) -> pa.Table:
    """(video, item) pairs as the table of cases."""
    windows = [item.window for _, item in items]
    now = {"now": [w.end_us - 1 for w in windows], "stream": [w.start_us for w in windows]}
    return pa.table({
        "q": pa.array(range(len(items)), pa.int64()),
        "video": [video for video, _ in items],
        "window_start_us": pa.array([w.start_us for w in windows], pa.int64()),
        "window_end_us": pa.array([w.end_us for w in windows], pa.int64()),
        "now_us": pa.array(now.get(program.unit.kind, [None] * len(items)), pa.int64()),
        "slots": [json.dumps(item.slots) for _, item in items],
    })  # fmt: skip


def hold(
    db: duckdb.DuckDBPyConnection, program: Program, items: Sequence[tuple[str, Item]], held: Held
) -> None:
    """The answers, names and conditions of some items of one program."""
    put_cases(db, cases_of(program, items))
    query = compiled(program)
    for row in db.sql(query.sql).to_arrow_table().to_pylist():
        item = items[row["q"]][1]
        for name, column in query.columns.items():
            what, _, rest = name.partition(".")
            held.compared[what] += 1
            wrong = _wrong(what, rest, column, row[name], item)
            if wrong is not None:
                held.bad.append(f"{program.id} {item.window} {name}: {wrong}")


def _wrong(what: str, name: str, column: Any, value: Any, item: Item) -> str | None:
    if what == "where":
        return None if value["ok"] and value["value"] is True else f"not so: {value}"
    if what not in ("answer", "let") or column.shape == "facts":
        return None
    wanted = (item.answer_value if what == "answer" else item.slots)[name]
    if not known(value):
        return f"not settled: {value}, asked as {wanted}"
    found = typed(column, value)
    return None if close(found, wanted) else f"{found}, asked as {wanted}"


def close(a: Any, b: Any) -> bool:
    """The same plain data, but for what rounding leaves of measured numbers."""
    if isinstance(a, float) or isinstance(b, float):
        return a == b or abs(a - b) <= 2e-6
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(close, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(close(a[key], b[key]) for key in a)
    return a == b


def options_held(
    db: duckdb.DuckDBPyConnection, program: Program, items: Sequence[tuple[str, Item]],
    values: Sequence[Sequence[tuple[int, Any]]],
) -> Iterator[str]:  # fmt: skip
    """Wrong options that are not certainly wrong: (pool, value) pairs of each item."""
    put_cases(db, cases_of(program, items))
    for pool, node in enumerate(program.stages[0].wrong):
        rows = [(q, json.dumps(value)) for q, many in enumerate(values)
                for k, value in many if k == pool]  # fmt: skip
        if not rows or (isinstance(node, Call) and node.op == "halves"):
            continue
        put_options(db, pa.table({
            "o": range(len(rows)), "q": [q for q, _ in rows], "value": [v for _, v in rows],
        }))  # fmt: skip
        for row in db.sql(options_query(program, pool=pool)).to_arrow_table().to_pylist():
            if row["differs"] is False or not row["excluded"]:
                yield f"{program.id} pool {pool}: {rows[row['o']]} {row}"
