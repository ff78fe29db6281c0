"""The files of an output folder as tables of a DuckDB database.

DuckDB reads only the columns that a query uses. A report of ``surgqa check --json`` adds which
items can be answered without the video (*blind guessing*, ``docs/blind.md``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from weakref import finalize

import duckdb
import orjson
import pyarrow as pa

from surgqa.ontology import errors
from surgqa.ontology.rows import EVIDENCE_TABLES, ITEM
from surgqa.transforms.store import OutputFolder

PLAIN = (None, "BL")
"""Settings of a chain's question in which a model sees no other texts."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The results of blind guessing in a report of ``surgqa check``.

    Attributes:
        items: for each item id, the rules that answer it.
        templates: for each template with enough items, the accuracy and the name of the best rule.
    """

    items: Mapping[str, list[str]]
    templates: Mapping[str, tuple[float, str]]


def read_checked(path: Path, items: int) -> Checked:
    """Return the results of blind guessing in a report about this dataset.

    Args:
        items: number of the dataset's items.

    Raises:
        SourceMissing, SourceBroken: the file does not exist, or is not a report.
        UserError: the report belongs to another dataset.
    """
    if not path.is_file():
        raise errors.FileMissing(f"{path} is not there", where=str(path),
                                 expected="a report of 'surgqa check --json'")  # fmt: skip
    try:
        report = orjson.loads(path.read_bytes())
        found = Checked(report["blind"]["items"], _templates(report["blind"]["templates"]))
        of, read = report["items"], report["checked"]
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise errors.SourceBroken(
            f"{path} is not a report of a dataset", found=str(error),
            expected="what 'surgqa check OUT --json' writes", where=str(path),
        ) from None  # fmt: skip
    if (of, read) != (items, items):
        raise errors.Mismatched(
            "the report belongs to another dataset or to a part of one", expected=f"{items} items",
            found=f"{read} of {of}", where=str(path), fix="run 'surgqa check OUT --json FILE'",
        )  # fmt: skip
    return found


def _templates(results: list[dict[str, Any]]) -> dict[str, tuple[float, str]]:
    """Return each template's blind accuracy (mean over its stages) and its best rule's name."""
    plain = [one for one in results if one["setting"] in PLAIN and one["judged"]]
    whole = {one["template"] for one in plain if not one["left_out"]}
    out = {}
    for name in sorted(whole):
        mine = [one for one in plain if one["template"] == name]
        items = sum(one["items"] for one in mine)
        share = sum(one["items"] * one["best"] for one in mine) / items
        out[name] = (share, ", ".join(dict.fromkeys(one["rule"] for one in mine)))
    return out


MEMORY, AT_ONCE = "256MB", "1GB"
"""Memory limits of DuckDB for a served page, and for reading all data once (more goes to disk)."""
THREADS = 4
BATCH = 500
AT_HAND = 1 << 20
"""Size of a table's files in bytes up to which they are loaded once instead of for every query."""
LATER = pa.schema([("level", pa.int8()), ("blind", pa.list_(pa.string()))])
"""Optional columns of items."""
REJECTS = pa.schema(
    [(name, pa.string()) for name in ("stage", "dataset", "video_id", "key", "code", "reason",
                                      "where", "outcome")] + [("count", pa.int64())]
)  # fmt: skip
"""Columns of ``rejected/*.jsonl``."""
_READ = {".parquet": "read_parquet([{0}], union_by_name=true)",
         ".jsonl": "read_json([{0}], format='newline_delimited', columns={{{1}}})"}  # fmt: skip
_TYPES = {pa.string(): "VARCHAR", pa.bool_(): "BOOLEAN", pa.float64(): "DOUBLE",
          pa.int64(): "BIGINT", pa.int32(): "INTEGER", pa.int8(): "TINYINT"}  # fmt: skip

Row = dict[str, Any]


class Database:
    """A finished dataset for SQL queries; can be used by several threads.

    Args:
        folder: a local folder of ``surgqa build``.
        name: name to show; the folder's name by default.
        memory: memory limit of DuckDB.
        checked: a report of ``surgqa check --json``, for the results of blind guessing.
        threads: number of threads per query; one thread uses the least CPU time.

    Raises:
        UserError: the folder is remote, or the report belongs to another dataset.
    """

    def __init__(
        self, folder: OutputFolder, name: str | None = None, memory: str = MEMORY,
        checked: Path | None = None, threads: int = THREADS,
    ) -> None:  # fmt: skip
        if not isinstance(folder.path, Path):
            raise errors.PlaceUnusable(
                "only a folder of this machine can be viewed", expected="a local folder",
                found=str(folder.path), fix="copy the output here first",
            )  # fmt: skip
        self.folder, self.path = folder, folder.path
        self.name = self.path.resolve().name if name is None else name
        scratch = mkdtemp(prefix="surgqa-view-")
        finalize(self, rmtree, scratch, ignore_errors=True)
        self._db = duckdb.connect(":memory:", config={
            "memory_limit": memory, "threads": threads, "temp_directory": scratch,
        })  # fmt: skip
        self._db.execute("SET enable_progress_bar=false")
        self._db.execute("SET preserve_insertion_order=false")
        self._db.execute("SET parquet_metadata_cache=true")
        kind = self._items()
        self.guessed: Mapping[str, tuple[float, str]] = {}
        if checked is not None:
            self._take(checked, kind)
        for name, schema in EVIDENCE_TABLES.items():
            file = self.path / "evidence" / f"{name}.parquet"
            self._view(name, [file] if file.is_file() else [], schema)
        rejected = self.path / "rejected"
        files = sorted(rejected.glob("*.jsonl")) if rejected.is_dir() else []
        self._view("rejects", [one for one in files if one.stat().st_size], REJECTS)
        self._close_doors()

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """Return the rows of a query; ``?`` stands for a value."""
        cursor = self._db.cursor()
        try:
            found = cursor.execute(sql, list(values))
            names = [one[0] for one in found.description or ()]
            return [dict(zip(names, row, strict=True)) for row in found.fetchall()]
        except duckdb.OutOfMemoryException as error:
            raise errors.OutOfMemory(
                "the dataset needs more memory than the viewer may use",
                found=str(error).splitlines()[0][:300], where=str(self.path),
                fix="build an output with fewer benchmarks or datasets, and view that",
            ) from None  # fmt: skip
        except duckdb.Error as error:
            raise errors.OutputBroken(
                "the dataset's files have an unexpected form",
                found=str(error).splitlines()[0][:300], where=str(self.path),
                fix="build it again, or copy it again from where it was built",
            ) from None  # fmt: skip
        finally:
            cursor.close()

    def stream(self, sql: str) -> Iterator[Row]:
        """Yield the rows of a large query, with a few hundred in memory at a time."""
        with self._db.cursor() as cursor:
            names = [one[0] for one in cursor.execute(sql).description or ()]
            while some := cursor.fetchmany(BATCH):
                yield from (dict(zip(names, row, strict=True)) for row in some)

    def count(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Return the single number that a query returns."""
        (row,) = self.rows(sql, values)
        return int(next(iter(row.values())) or 0)

    def keep(self, name: str, columns: Mapping[str, Sequence[Any]], types: Sequence[str]) -> None:
        """Create a small table from columns of equal length."""
        declared = ", ".join(f'"{one}" {kind}' for one, kind in zip(columns, types, strict=True))
        self.run(f"CREATE OR REPLACE TABLE {name} ({declared})")
        self.add(name, columns, types)

    def add(self, name: str, columns: Mapping[str, Sequence[Any]], types: Sequence[str]) -> None:
        """Append rows to a table that :meth:`keep` created."""
        parts = ", ".join(f"unnest(?::{kind}[])" for kind in types)
        self.run(f"INSERT INTO {name} SELECT {parts}", [list(c) for c in columns.values()])

    def run(self, sql: str, values: Sequence[Any] = ()) -> None:
        """Run a statement that changes a table."""
        with self._db.cursor() as cursor:
            cursor.execute(sql, list(values))

    def _items(self) -> str:
        files = [Path(str(shard)) for name in self.folder.benchmarks()
                 for shard in self.folder.shards(name)]  # fmt: skip
        known = [*ITEM, *(one for one in LATER if one.name not in ITEM.names)]
        return self._view("items", files, pa.schema(known))

    def _take(self, path: Path, kind: str) -> None:
        """Replace the column ``blind`` of all items by the results in a report."""
        found = read_checked(path, self.count("SELECT count(*) FROM items"))
        self.guessed = found.templates
        ids = sorted(found.items)
        self.keep("guessed", {"item_id": ids, "by": [found.items[one] for one in ids]},
                  ["VARCHAR", "VARCHAR[]"])  # fmt: skip
        names = sorted(found.templates)
        self.keep("guessable", {"template_id": names}, ["VARCHAR"])
        self._db.execute(f"ALTER {kind} items RENAME TO all_items")
        self._db.execute(
            "CREATE VIEW items AS SELECT all_items.* REPLACE (CASE WHEN g.template_id IS NULL THEN "
            "all_items.blind ELSE coalesce(guessed.by, []) END AS blind) FROM all_items "
            "LEFT JOIN guessable g USING (template_id) LEFT JOIN guessed USING (item_id)"
        )

    def _view(self, name: str, files: Sequence[Path], schema: pa.Schema) -> str:
        """Create a view with these columns, or a table for small files; return VIEW or TABLE.

        A column that the files lack is null. If there are no files, the view has no rows.
        """
        if not files:
            nulls = ", ".join(f'NULL::{duck(one.type)} AS "{one.name}"' for one in schema)
            self._db.execute(f"CREATE VIEW {name} AS SELECT {nulls} WHERE false")
            return "VIEW"
        # Quotes are doubled because the names are texts in the query and may contain any character.
        named = ", ".join("'" + str(one.resolve()).replace("'", "''") + "'" for one in files)
        declared = ", ".join(f"'{one.name}': '{duck(one.type)}'" for one in schema)
        source = _READ[files[0].suffix].format(named, declared)
        try:
            found = self._db.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
        except duckdb.Error as error:
            raise errors.OutputBroken(
                f"{name} cannot be read", found=str(error).splitlines()[0][:300],
                where=str(files[0]), fix="build the dataset again, or copy it again",
            ) from None  # fmt: skip
        there = {one[0] for one in found}
        parts = [f'"{one.name}"' if one.name in there else f'NULL::{duck(one.type)} AS "{one.name}"'
                 for one in schema]  # fmt: skip
        kind = "TABLE" if sum(one.stat().st_size for one in files) <= AT_HAND else "VIEW"
        self._db.execute(f"CREATE {kind} {name} AS SELECT {', '.join(parts)} FROM {source}")
        return kind

    def _close_doors(self) -> None:
        """Forbid DuckDB to read files outside the folder, and to change its settings."""
        where = str(self.path.resolve()).replace("'", "''")
        for setting in (
            f"allowed_directories=['{where}/']", "enable_external_access=false",
            "autoinstall_known_extensions=false", "autoload_known_extensions=false",
            "lock_configuration=true",
        ):  # fmt: skip
            self._db.execute(f"SET {setting}")


def duck(kind: pa.DataType) -> str:
    """Return the DuckDB type for an Arrow type, such as ``BIGINT`` for ``int64``."""
    if pa.types.is_list(kind):
        return f"{duck(kind.value_type)}[]"
    if pa.types.is_struct(kind):
        parts = ", ".join(f'"{one.name}" {duck(one.type)}' for one in kind)
        return f"STRUCT({parts})"
    return _TYPES[kind]


def parsed(text: Any) -> Any:
    """Return the value of a JSON text; a text that is not JSON is returned unchanged."""
    if not isinstance(text, str):
        return text
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
