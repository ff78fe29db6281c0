"""A relation as the tables that queries read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from surgqa.transforms.algebra.sql import complete
from surgqa.transforms.algebra.sql.query import root, rows_of, written
from surgqa.transforms.algebra.sql.scope import SqlScript
from surgqa.transforms.algebra.sql.values import MARKS, TEXTS, TIMES
from surgqa.transforms.algebra.tree import Node
from surgqa.transforms.timeline.relation import SHIFT, Relation

NONE = -1
CORNERS = ("x1", "y1", "x2", "y2")


def connection(relation: Relation) -> duckdb.DuckDBPyConnection:
    """A database with the tables of a relation."""
    db = duckdb.connect(config={"threads": 1})
    for name, table in tables(relation):
        put(db, name, table)
    complete(db)
    return db


def put(db: duckdb.DuckDBPyConnection, name: str, table: pa.Table) -> None:
    """Make a table: ``cases`` for the items asked about, ``options`` for their wrong options."""
    db.register("given", table)
    db.execute(f"create or replace table {name} as from given")
    db.unregister("given")


def evaluated(db: duckdb.DuckDBPyConnection, nodes: Sequence[Node]) -> list[list[dict[str, Any]]]:
    """The values of expressions for the rows of ``cases``: for each, one dict per case."""
    script = SqlScript()
    scope = root(script)
    values = {f"n{k}": scope.value(node) for k, node in enumerate(nodes)}
    rows = rows_of(db, script.query(written(script, scope, values, whole=True)))
    return [[row[name] for row in rows] for name in values]


def tables(relation: Relation) -> Iterator[tuple[str, pa.Table]]:
    """Name and content of each table."""
    keys = [one.key for one in relation.recordings]
    yield "facts", _facts(relation, keys)
    yield "holes", _holes(relation, keys)
    yield "looked", _looked(relation, keys)
    samples = relation.samples or {
        "track": np.zeros(0, int),
        "t": np.zeros(0, int),
        "box": np.zeros((0, 4)),
    }
    video = samples["t"] >> SHIFT
    yield "samples", pa.table({
        "video": _names(keys, video), "track": _ids(relation, samples["track"]),
        "t": pa.array(samples["t"] - (video << SHIFT), pa.int64()),
        **{name: pa.array(samples["box"][:, k], pa.float64()) for k, name in enumerate(CORNERS)},
    })  # fmt: skip
    at = [(keys[v], int(t) - (v << SHIFT)) for v, times in relation.instants.items() for t in times]
    yield "instants", pa.table({"video": pa.array([v for v, _ in at], pa.string()),
                                "t": pa.array([t for _, t in at], pa.int64())})  # fmt: skip
    yield "videos", pa.table({
        "video": keys, "duration_us": [one.duration_us for one in relation.recordings],
        "fps": [float(one.fps) for one in relation.recordings],
        "procedure": [one.procedure for one in relation.recordings],
    })  # fmt: skip


def _facts(relation: Relation, keys: list[str]) -> pa.Table:
    facts = relation.facts
    base = facts.video.astype(np.int64) << SHIFT
    columns = {"video": _names(keys, facts.video)}
    columns |= {name: _ids(relation, getattr(facts, name)) for name in TEXTS}
    columns |= {name: pa.array(getattr(facts, name) - base, pa.int64()) for name in TIMES}
    for name in (*MARKS, "proof"):
        column = getattr(facts, name).astype(np.int64)
        columns[name] = pa.array(column, pa.int64(), mask=column == NONE)
    nowhere = facts.t1 == NONE
    columns["t0"] = pa.array(np.where(nowhere, 0, facts.t0 - base), pa.int64())
    columns["t1"] = pa.array(np.where(nowhere, NONE, facts.t1 - base), pa.int64())
    for name in ("value_lo", "value_hi"):
        column = getattr(facts, name)
        columns[name] = pa.array(column, pa.float64(), mask=np.isnan(column))
    return pa.table({**columns, "sure": facts.sure})


def _holes(relation: Relation, keys: list[str]) -> pa.Table:
    holes = relation.holes
    base = holes.video.astype(np.int64) << SHIFT
    columns = {"video": _names(keys, holes.video)}
    columns |= {name: _ids(relation, getattr(holes, name)) for name in ("kind", "label", "subject")}
    columns |= {name: pa.array(getattr(holes, name) - base, pa.int64()) for name in ("u0", "u1")}
    return pa.table({**columns, "floor": pa.array(holes.floor, pa.int64())})


def _looked(relation: Relation, keys: list[str]) -> pa.Table:
    rows = [(keys[v], kind, "", []) for v, kind in sorted(relation.looked)]
    sought = relation.looked_for.items()
    rows += [(keys[v], kind, field, sorted(ids)) for (v, kind), fields in sought
             for field, ids in fields.items()]  # fmt: skip
    columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
    types = (pa.string(), pa.string(), pa.string(), pa.list_(pa.string()))
    names = ("video", "kind", "field", "ids")
    return pa.table({n: pa.array(c, t) for n, c, t in zip(names, columns, types, strict=True)})


def _names(keys: list[str], video: np.ndarray) -> pa.Array:
    return pa.array([keys[int(v)] for v in video], pa.string())


def _ids(relation: Relation, codes: np.ndarray) -> pa.Array:
    return pa.array([relation.codes.name(int(code)) or None for code in codes], pa.string())
