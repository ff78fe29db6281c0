"""The SQL query that proves an item's answer, and the result of running the query again."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import duckdb

from surgqa.ontology.errors import OutputBroken
from surgqa.transforms.checks.proof.evidence import TABLES, file_of
from surgqa.transforms.checks.proof.explain import script
from surgqa.transforms.view.database import MEMORY, Database, Row
from surgqa.transforms.view.one import item_of

PATIENCE_S = 20.0
MOST_ROWS = 50
SOURCE = "read_parquet('evidence/{}.parquet')"


def proof(db: Database, item_id: str) -> dict[str, Any]:
    """Return the query of an item, the same that ``surgqa explain --sql`` prints.

    Raises:
        UserError: the output contains no template of the item.
    """
    return {"sql": script(db.folder, item_id)}


def run_proof(db: Database, row: Row) -> dict[str, Any]:
    """Return the result of an item's query.

    A dataset determines the text of its queries, so a query is not trusted: it runs in a separate
    database, which contains only the video's evidence and cannot access files.

    Returns:
        ``results``: column names and rows of each table that the query returns.

    Raises:
        UserError: there is no query, or the query cannot be run.
    """
    text = script(db.folder, row["item_id"])
    # Comments may contain a character that ends a line in SQL only, so they are removed.
    body = "\n".join(line for line in text.split("\n") if not line.startswith("--"))
    try:
        with duckdb.connect(":memory:", config={"memory_limit": MEMORY, "threads": 2}) as con:
            body = _evidence(con, db.path, row, body)
            for setting in ("enable_external_access=false", "lock_configuration=true"):
                con.execute(f"SET {setting}")
            return {"results": _results(con, body)}
    except duckdb.Error as error:
        raise OutputBroken(
            "the query cannot be run", found=str(error).splitlines()[0][:300],
            where=row["item_id"], fix="run 'surgqa check' on the folder",
        ) from None  # fmt: skip


def _evidence(con: duckdb.DuckDBPyConnection, out: Path, row: Row, body: str) -> str:
    """Copy the video's evidence to tables; return the query with these tables instead of files."""
    for name in sorted({file_of(table) for table in TABLES}):
        path = str((out / "evidence" / f"{name}.parquet").resolve())
        con.execute(
            f"CREATE TABLE file_{name} AS SELECT * FROM read_parquet($1) "
            "WHERE dataset = $2 AND video_id = $3",
            [path, row["dataset"], row["video_id"]],
        )
        body = body.replace(SOURCE.format(name), f"file_{name}")
    return body


def _results(con: duckdb.DuckDBPyConnection, body: str) -> list[dict[str, Any]]:
    """Return the result tables of a script of queries; a script that takes too long is stopped."""
    end = threading.Timer(PATIENCE_S, con.interrupt)
    end.start()
    found = []
    try:
        for statement in con.extract_statements(body):
            con.execute(statement)
            if statement.type == duckdb.StatementType.SELECT:
                names = [one[0] for one in con.description or ()]
                rows = [[_plain(one) for one in row] for row in con.fetchmany(MOST_ROWS)]
                found.append({"columns": names, "rows": rows})
    finally:
        end.cancel()
    return found


def _plain(value: Any) -> Any:
    """Return a DuckDB value in a form that JSON supports."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return str(value)


def proof_of(db: Database, item_id: str, run: bool) -> dict[str, Any] | None:
    """Return an item's query, or its result if ``run``; None if there is no such item."""
    row = item_of(db, item_id)
    if row is None:
        return None
    return run_proof(db, row) if run else proof(db, item_id)
