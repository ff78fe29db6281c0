"""Read an output folder: rows of ``data/``, tables of ``evidence/``, the manifest.

Used by all commands that work on a finished dataset (check, score, explain, diff, exports).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from surgqa.ontology.errors import (
    FileMissing,
    NotADataset,
    NothingAsked,
    OtherVersion,
    OutputBroken,
    UnknownName,
)
from surgqa.ontology.files import listed
from surgqa.ontology.observed import MASKING, OWN
from surgqa.ontology.rows import SCHEMA_VERSION
from surgqa.transforms.places import Place, place

MANIFEST = "manifest.json"


def datasets_in(path: Place) -> list[Place]:
    """Return the subfolders of a folder that are finished datasets."""
    below = listed(path) if path.is_dir() else []
    return [one for one in below if (one / MANIFEST).is_file()]


def _no_dataset(path: Place) -> OutputBroken:
    below = datasets_in(path)
    return NotADataset(
        f"{path} is not a finished dataset", expected=MANIFEST, where=str(path),
        found=f"finished datasets in {', '.join(one.name for one in below)}" if below
        else "no such file",
        fix=f"name the dataset's own folder: {below[0]}" if below
        else "name the folder given to 'surgqa build --out', or run the build again",
    )  # fmt: skip


class OutputFolder:
    """A finished dataset.

    Args:
        path: the folder of ``surgqa build --out``, local or in remote storage.

    Raises:
        OutputBroken: the manifest is missing or unreadable, the rows have another version, or the
            dataset contains speech that was not masked.
    """

    def __init__(self, path: Place | str) -> None:
        self.path = place(path)
        manifest = self.path / MANIFEST
        if not manifest.is_file():
            raise _no_dataset(self.path)
        try:
            self.manifest: dict[str, Any] = orjson.loads(manifest.read_bytes())
        except orjson.JSONDecodeError as error:
            raise OutputBroken(
                "manifest.json is not JSON", found=str(error), where=str(manifest)
            ) from None
        misfit = next(misfits(self.manifest), None)
        plain = self.manifest if isinstance(self.manifest, dict) else {}
        written = plain.get("row_schema", SCHEMA_VERSION)
        if written != SCHEMA_VERSION:
            raise OtherVersion(
                f"{self.path} was built by another version of surgqa",
                expected=f"rows of {SCHEMA_VERSION}", found=str(written), where=str(manifest),
                fix="build it again with this version, or use the version that built it",
            )  # fmt: skip
        if misfit is not None:
            name, expected, strange = misfit
            raise OutputBroken(
                "manifest.json has the wrong structure", expected=f"{name}: {expected}",
                found=strange, where=str(manifest),
                fix="copy it again from where it was built, or build it again with this version",
            )  # fmt: skip

        _require_masked(self.manifest, str(manifest))

    def benchmarks(self) -> list[str]:
        """Return the names of the benchmarks with a folder under ``data/``."""
        data = self.path / "data"
        return [p.name for p in listed(data) if p.is_dir()] if data.is_dir() else []

    def shards(self, benchmark: str) -> list[Place]:
        """Return the data files of a benchmark: Parquet if there are any, otherwise JSON Lines."""
        folder = self.path / "data" / benchmark
        files = listed(folder) if folder.is_dir() else []
        parquet = [p for p in files if p.suffix == ".parquet"]
        return parquet or [p for p in files if p.suffix == ".jsonl"]

    def with_items(self) -> OutputFolder:
        """Return this folder if it has items; commands call this if they need items.

        Raises:
            NothingAsked: the dataset has no items.
        """
        if not any(self.shards(name) for name in self.benchmarks()):
            raise NothingAsked(
                f"{self.path} has no items",
                expected="a dataset with a question in data/",
                found="none; rejected/, report.html and the build's messages state why",
                where=str(self.path),
                fix="correct the stated cause and build again",
            )
        return self

    def require_roots(self, roots: Mapping[str, Place]) -> None:
        """Raise an error unless each folder given with ``--root`` is of a dataset of this output.

        Raises:
            UserError: a dataset is not in the output, or its folder does not exist.
        """
        known = set(self.evidence("videos")["dataset"].to_pylist()) if roots else set()
        for dataset, root in roots.items():
            if dataset not in known:
                raise UnknownName(
                    f"the output has no dataset {dataset!r}", expected=", ".join(sorted(known)),
                    found=dataset, where="--root", fix="give a dataset of the output before '='",
                )  # fmt: skip
            if not root.is_dir():
                raise FileMissing(
                    f"the folder of {dataset} is missing", expected="the folder of the dataset",
                    found=str(root), where="--root", fix="check the path after '='",
                )  # fmt: skip

    def rejected(self, stage: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of ``rejected/<stage>.jsonl``, if the file exists."""
        path = self.path / "rejected" / f"{stage}.jsonl"
        if path.is_file():
            with path.open("rb") as lines:
                for number, line in enumerate(lines, 1):
                    yield _reject(line, f"{path}:{number}")

    def rows(
        self, benchmark: str | None = None, columns: list[str] | None = None
    ) -> Iterator[dict[str, Any]]:
        """Yield the rows as dictionaries, file by file, with a few thousand in memory at a time.

        ``answer_value`` and ``slots`` are still JSON text; see :func:`decoded`.  A column that the
        files lack is null.
        """
        for name in [benchmark] if benchmark else self.benchmarks():
            for shard in self.shards(name):
                yield from _rows_of(shard, columns)

    def tables(self, columns: list[str]) -> Iterator[pa.Table]:
        """Yield text columns of the rows as Arrow tables, one for each file.

        A column that the files lack is null.
        """
        for name in self.benchmarks():
            for shard in self.shards(name):
                yield _table_of(shard, columns)

    def evidence(self, kind: str) -> pa.Table:
        """Return one table of ``evidence/`` (``videos``, ``events``, ``tracks``, ``segments``)."""
        path = self.path / "evidence" / f"{kind}.parquet"
        if not path.is_file():
            raise OutputBroken(
                f"evidence/{kind}.parquet is missing",
                where=str(self.path),
                fix="build the dataset again; evidence is part of every build",
            )
        return pq.read_table(readable(path))

    def evidence_of(self, kind: str, dataset: str, video_id: str) -> list[dict[str, Any]]:
        """Return the rows of an evidence table for one video; only matching row groups are read."""
        path = self.path / "evidence" / f"{kind}.parquet"
        filters = [("dataset", "=", dataset), ("video_id", "=", video_id)]
        return pq.read_table(readable(path), filters=filters).to_pylist()


def readable(path: Place) -> str | BinaryIO:
    """Return a file in a form that Arrow's readers accept."""
    return str(path) if isinstance(path, Path) else path.open("rb")


def decoded(row: dict[str, Any]) -> dict[str, Any]:
    """Return the row with the JSON texts ``answer_value`` and ``slots`` parsed."""
    parsed = {key: orjson.loads(row[key]) for key in ("answer_value", "slots") if row.get(key)}
    return {**row, **parsed}


def _table_of(shard: Place, columns: list[str]) -> pa.Table:
    if shard.suffix == ".parquet":
        file = pq.ParquetFile(readable(shard))
        table = file.read(columns=columns)
        for name in sorted(set(columns) - set(table.column_names)):
            table = table.append_column(name, pa.nulls(table.num_rows, pa.string()))
        return table.select(columns)
    schema = pa.schema([pa.field(name, pa.string()) for name in columns])
    return pa.Table.from_pylist(list(_rows_of(shard, columns)), schema=schema)


def _rows_of(shard: Place, columns: list[str] | None) -> Iterator[dict[str, Any]]:
    if shard.suffix == ".parquet":
        file = pq.ParquetFile(readable(shard))
        lacking = dict.fromkeys(set(columns or ()) - set(file.schema_arrow.names))
        for batch in file.iter_batches(batch_size=2048, columns=columns):
            rows = batch.to_pylist()
            yield from (row | lacking for row in rows) if lacking else rows
        return
    with shard.open("rb") as lines:
        for line in lines:
            row = orjson.loads(line)
            yield {key: row.get(key) for key in columns} if columns else row


def _require_masked(manifest: dict[str, Any], where: str) -> None:
    """Raise an error if the transcripts were not masked by the current rules for speech."""
    found = manifest.get("masking", 0)
    datasets = manifest.get("settings", {}).get("datasets", ())
    heard = OWN in manifest.get("readers", {}) or any(one.get("evidence") for one in datasets)
    if heard and found < MASKING:
        raise OutputBroken(
            "speech in this dataset is not masked by the rules of this version, so the dataset is "
            "neither exported nor shown",
            expected=f"masking {MASKING}", found=f"masking {found or 'by no version'}", where=where,
            fix="run the same 'surgqa observe' again, which masks the stored transcripts without "
            "transcribing again, and then the same 'surgqa build'",
        )  # fmt: skip


_REJECT: dict[str, Any] = {
    "stage": str, "dataset": str, "video_id": (str, type(None)), "key": str, "code": str,
    "reason": str, "where": str, "count": int, "outcome": str,
}  # fmt: skip
"""Fields that every rejection has."""


def _reject(line: bytes, where: str) -> dict[str, Any]:
    try:
        row = orjson.loads(line)
        wrong = [name for name, of in _REJECT.items() if not isinstance(row[name], of)]
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        wrong, row = [str(error)], {}
    if wrong:
        raise OutputBroken(
            "a line of rejected/ is not a valid rejection",
            expected=f"a JSON object with {', '.join(_REJECT)}",
            found=", ".join(wrong),
            where=where,
            fix="copy the file again from where it was built, or build again",
        )
    return dict(row)


COUNTS = {str: int}

ENTRIES: dict[str, Any] = {
    "row_schema": str,
    "digest": str,
    "digests": {str: str},
    "settings": {str: object},
    "settings_digest": str,
    "packages": {str: str},
    "readers": COUNTS,
    "masking": int,
    "templates": {str: {"version": int, "digest": str}},
    "items": {str: {"total": int, "by_template": COUNTS, "by_split": COUNTS}},
    "ledger": {str: {"units": int, "asked": int, "declined": COUNTS}},
    "books": [{"stage": str, "unit": str, "read": int, "kept": int, "rejected": int,
               "failed": int}],
    "rejected": COUNTS,
    "dropped": COUNTS,
    "review": {str: object},
    "shares": [{"template": str, "dataset": str, "kept": [int], "made": [int]}],
    "excluded": [{"key": str, "reason": str}],
    "failed": [{"key": str, "error": [str]}],
    "inputs": [{"dataset": str, "video_id": str, "rows": int,
                "sources": [{"path": str, "sha256": str}]}],
    "files": {str: str},
    "documents": {str: str},
}  # fmt: skip
"""Entry -> its type; ``[of]`` is a list, ``{str: of}`` an object with any keys; any other object
has at least these keys.  An entry may be missing, as in folders written by other programs.
"""


def misfits(manifest: Any) -> Iterator[tuple[str, str, str]]:
    """Yield (where, expected, found) for each entry of the manifest with a wrong type."""
    if not isinstance(manifest, Mapping):
        yield "the file", "an object", type(manifest).__name__
        return
    for name, of in ENTRIES.items():
        if name in manifest:
            yield from _misfits(manifest[name], of, name)


def _misfits(value: Any, of: Any, at: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(of, list):
        yield from _kind(value, list, at)
        for k, one in enumerate(value if isinstance(value, list) else ()):
            yield from _misfits(one, of[0], f"{at}[{k}]")
    elif isinstance(of, dict):
        yield from _kind(value, dict, at)
        if not isinstance(value, dict):
            return
        for name in value if str in of else of:
            if name in value:
                yield from _misfits(value[name], of.get(str, of.get(name)), f"{at}.{name}")
            else:
                yield f"{at}.{name}", "a value", "nothing"
    else:
        yield from _kind(value, of, at)


def _kind(value: Any, kind: type, at: str) -> Iterator[tuple[str, str, str]]:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        yield at, KIND_NAMES.get(kind, kind.__name__), f"{value!r:.60}"


KIND_NAMES = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}
