"""Items of templates held against what their queries give."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import duckdb
import pyarrow as pa

from surgqa.ontology.items import Item
from surgqa.transforms.algebra.sql import compiled, known, options_query, typed
from surgqa.transforms.algebra.tree import Call
from surgqa.transforms.language.program import Program, Stage
from tests.transforms.algebra.sql.tables import put

TO_LAST_LABEL = """
update cases set window_end_us = coalesce((
  select max(t) + 1 from instants i
  where i.video = cases.video and t >= window_start_us and t < window_end_us), window_end_us)"""
"""Nothing was annotated after the last label, so the windows of cases end there."""


@dataclass
class Held:
    """What was compared, and what differs."""

    compared: Counter[str] = field(default_factory=Counter)
    bad: list[str] = field(default_factory=list)


def cases_of(program: Program, video: str, items: Sequence[Item]) -> pa.Table:
    """Items of one stage as the table of cases."""
    windows = [item.window for item in items]
    now = {"now": [w.end_us - 1 for w in windows], "stream": [w.start_us for w in windows]}
    return pa.table({
        "q": pa.array(range(len(items)), pa.int64()),
        "video": pa.array([video] * len(items), pa.string()),
        "window_start_us": pa.array([w.start_us for w in windows], pa.int64()),
        "window_end_us": pa.array([w.end_us for w in windows], pa.int64()),
        "now_us": pa.array(now.get(program.unit.kind, [None] * len(items)), pa.int64()),
        "slots": pa.array([json.dumps({**item.slots, **_round(program, item)}) for item in items],
                          pa.string()),
    })  # fmt: skip


def _round(program: Program, item: Item) -> dict[str, int]:
    """What is asked every so often is answered at the last of its rounds."""
    every = program.rounds.every if program.rounds else 0
    if not every:
        return {}
    start, end = item.window.start_us, item.window.end_us
    return {"round": start + (end - start - 1) // every * every}


def hold(
    db: duckdb.DuckDBPyConnection, program: Program, video: str, items: Sequence[Item], held: Held
) -> None:
    """The answers, names, conditions and wrong options of all items of a program."""
    for place, stage in enumerate(program.stages):
        mine = [_with_windows(one, program, items) for one in items if (one.stage or 0) == place]
        if mine:
            put(db, "cases", cases_of(program, video, mine))
            if program.unit.kind in ("clip", "still", "recording"):
                db.execute(TO_LAST_LABEL)
            _answers(db, program, stage, mine, held)
            _options(db, program, stage, mine, held)


def _with_windows(item: Item, program: Program, items: Sequence[Item]) -> Item:
    """A chain's item with the windows of its other stages among its slots."""
    windows = {
        f"{program.stages[other.stage].name}.window":
            {"start": other.window.start_us, "end": other.window.end_us}
        for other in items if other.chain_id is not None and other.chain_id == item.chain_id
    }  # fmt: skip
    return replace(item, slots={**item.slots, **windows})


def _answers(
    db: duckdb.DuckDBPyConnection, program: Program, stage: Stage, items: Sequence[Item],
    held: Held,
) -> None:  # fmt: skip
    query = compiled(program, stage)
    for row in db.sql(query.sql).to_arrow_table().to_pylist():
        item = items[row["q"]]
        for name, column in query.columns.items():
            what, _, rest = name.partition(".")
            held.compared[what] += 1
            wrong = _wrong(what, rest, column, row[name], item)
            if wrong is not None:
                held.bad.append(f"{program.id} {stage.name} {item.window} {name}: {wrong}")


def _options(
    db: duckdb.DuckDBPyConnection, program: Program, stage: Stage, items: Sequence[Item],
    held: Held,
) -> None:  # fmt: skip
    """Wrong options of the pools that one node each describes."""
    for pool, node in enumerate(stage.wrong):
        kind = node.op if isinstance(node, Call) else "word"
        rows = [(q, one.value) for q, item in enumerate(items) for one in item.options
                if not one.is_answer and one.kind.partition(":")[0] == kind]  # fmt: skip
        if not rows or kind == "halves":
            continue
        put(db, "options", pa.table({
            "o": range(len(rows)), "q": [q for q, _ in rows],
            "value": [json.dumps(value) for _, value in rows],
        }))  # fmt: skip
        for row in db.sql(options_query(program, stage, pool)).to_arrow_table().to_pylist():
            held.compared["option"] += 1
            if row["differs"] is False or not row["excluded"]:
                held.bad.append(f"{program.id} {stage.name} {kind} {rows[row['o']]}: {row}")


def _wrong(what: str, name: str, column: Any, value: Any, item: Item) -> str | None:
    if what == "where":
        return None if value["ok"] and value["value"] is True else f"not so: {value}"
    if what not in ("answer", "let") or column.shape == "facts":
        return None
    wanted = (item.answer_value if what == "answer" else item.slots)[name]
    if not known(value):
        # A name whose truth stays open is null in the row: the question does not hang on it.
        if what == "let" and wanted is None:
            return None
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
