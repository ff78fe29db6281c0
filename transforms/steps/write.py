"""Write all output files, from the intermediate files, in one fixed order."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from surgqa.ontology.garbage import give_back
from surgqa.ontology.keys import file_sha256
from surgqa.ontology.records import Code, Rejected
from surgqa.ontology.rows import EVIDENCE_TABLES, ITEM
from surgqa.transforms.exports.parquet import dictionary_columns, write_groups, write_table
from surgqa.transforms.exports.rows import LINE
from surgqa.transforms.places import Place, place
from surgqa.transforms.steps.files import read_all, read_arrow, rejected_row, staged
from surgqa.transforms.steps.merge import ITEMS, bound, rows_between
from surgqa.transforms.steps.tasks import Info, WriteTask
from surgqa.transforms.steps.video import STAGES

SLIM_INDEX = "parts.json"
"""The entries of the index that the writers need; each of them reads it."""
DROPPED = "dropped.arrow"
CHOSEN = "choose.jsonl"
"""Items dropped from the complete set: ids for the writers, reasons for ``rejected/``."""
TOGETHER = 256
"""Number of small files read into memory at the same time."""

PLENTY = 64
"""Rows per shard with which no shard is empty by chance: ids are digests, so p = e^-64."""

_UNIQUE = ("item_id", "window_id", "question", "slots")
_UNIQUE_EVENTS = ("event_id", "pointer", "segment_id")


def not_chosen(row: Mapping[str, Any], code: Code, why: str) -> dict[str, Any]:
    """Return a row of ``rejected/choose``: ``key`` is the item's id, ``where`` its template."""
    reject = Rejected("choose", row["item_id"], code, why, row["template_id"])
    return rejected_row(reject, row["dataset"], row.get("video_id"))


def sorted_by_item(entries: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows of ``rejected/choose`` in order of the items' ids."""
    return sorted(entries, key=lambda entry: entry["key"])


def plan_files(infos: Sequence[Info], shard_rows: int, parts: Parts) -> list[WriteTask]:
    """Return all files of the output: shards by number of rows, evidence tables, rejections.

    No shard is empty, so a split whose rows are all dropped has no file: libraries such as
    Hugging Face datasets and polars refuse a file without rows.  For the same reason, a stage
    without rejections has no file.
    """
    totals: dict[tuple[str, str], int] = {}
    for info in infos:
        for benchmark, rows in info["rows"].items():
            where = (benchmark, info["split"])
            totals[where] = totals.get(where, 0) + rows
    tasks = []
    for (benchmark, split), rows in sorted(totals.items()):
        of = max(1, math.ceil(rows / shard_rows))
        ranges = [(bound(i, of), bound(i + 1, of)) for i in range(of)]
        if parts.dropped is not None or rows < PLENTY * of:
            ranges = [one for one in ranges if parts.any_between(benchmark, split, *one)]
        tasks += [
            WriteTask("data", benchmark, split, i, len(ranges), low, high)
            for i, (low, high) in enumerate(ranges)
        ]
    tasks += [WriteTask("evidence", name) for name in EVIDENCE_TABLES]
    tasks += [WriteTask("rejected", stage) for stage in STAGES]
    return tasks


class Parts:
    """The intermediate files of a run, in order of dataset and video, from the index in ``work``.

    Attributes:
        infos: ``part``, ``split``, ``dataset`` and ``templates`` of each video's files.
        runs: for each split, files with its rows, each sorted by id: those of the videos, or the
            files that :mod:`transforms.steps.merge` made from many of them.
    """

    def __init__(self, work: Place) -> None:
        index = orjson.loads((work / SLIM_INDEX).read_bytes())
        self.work = work
        self.folder = place(index["folder"])
        self.infos: list[Info] = index["parts"]
        self.runs: dict[str, list[str]] = index["runs"]
        self.formats: list[str] = index["formats"]
        self.out = work / "out"
        dropped = work / DROPPED
        self.dropped = read_arrow(dropped).column("item_id") if dropped.is_file() else None

    def tables(self, name: str) -> Iterator[pa.Table]:
        """Yield the table with this name of every video."""
        for info in self.infos:
            yield read_arrow(self.folder / info["part"] / name)

    def items(self, info: Info, names: Collection[str]) -> pa.Table:
        """Return some columns of the rows of one video."""
        return read_arrow(self.folder / info["part"] / ITEMS, names)

    def by_template(
        self, names: Collection[str], templates: Collection[str]
    ) -> Iterator[tuple[str, str, pa.Table]]:
        """Yield (dataset, template, columns of its rows), video by video."""
        for info in self.infos:
            here = sorted(info["templates"].keys() & templates)
            if not here:
                continue
            table = self.items(info, {*names, "template_id"})
            for template in here:
                mine = pc.equal(table.column("template_id"), template)
                yield info["dataset"], template, table.filter(mine)

    def rows(self, split: str, low: str, high: str, names: Collection[str]) -> Iterator[pa.Table]:
        """Yield columns of a split's rows with ids in ``[low, high)``, in tables sorted by id."""
        for path in self.runs.get(split, ()):
            yield rows_between(place(path), low, high, {"item_id", "benchmark", *names})

    def kept(self, benchmark: str, piece: pa.Table) -> pa.ChunkedArray:
        """Return bool, True for the benchmark's rows of a table that are not dropped."""
        mine = pc.equal(piece.column("benchmark"), benchmark)
        if self.dropped is None:
            return mine
        return pc.and_not(mine, pc.is_in(piece.column("item_id"), self.dropped))

    def any_between(self, benchmark: str, split: str, low: str, high: str) -> bool:
        """True if a benchmark has a row in the range; files are read until one is found."""
        pieces = self.rows(split, low, high, ())
        return any(pc.any(self.kept(benchmark, piece)).as_py() for piece in pieces)

    def rejects(self, stage: str) -> Iterator[bytes]:
        """Yield the rejections of a stage as JSON Lines, video by video."""
        if stage == "choose":
            path = self.work / CHOSEN
            yield from [path.read_bytes()] if path.is_file() else []
            return
        paths = [self.folder / info["part"] / f"{stage}.jsonl" for info in self.infos]
        for start in range(0, len(paths), TOGETHER):
            yield from read_all(paths[start : start + TOGETHER])


def write_file(task: WriteTask, work: str) -> list[Info]:
    """Write one file; return its digest and number of rows, or nothing without rejections."""
    parts = Parts(place(work))
    if task.kind == "data":
        return _write_shard(task, parts)
    if task.kind == "evidence":
        return [_write_evidence(task, parts)]
    return _write_rejected(task, parts)


def _write_shard(task: WriteTask, parts: Parts) -> list[Info]:
    """Write both files of a shard, one after the other, so that only one is in memory."""
    stem = f"data/{task.name}/{task.split}-{task.index:05d}-of-{task.of:05d}"
    written: list[Info] = []
    if "parquet" in parts.formats:
        with _written(parts, f"{stem}.parquet", written) as (path, summary):
            table = _shard_rows(task, parts, ITEM.names)
            write_table(table, path, dictionary_columns(ITEM, _UNIQUE))
            summary["rows"] = table.num_rows
            del table
            give_back()
    if "jsonl" in parts.formats:
        with _written(parts, f"{stem}.jsonl", written) as (path, summary):
            lines = _shard_rows(task, parts, [LINE]).column(LINE).chunk(0)
            path.write_bytes(_joined(lines))
            summary["rows"] = len(lines)
    if written and task.index == 0:
        written[0]["first"] = True
    return written


def _joined(lines: pa.LargeBinaryArray) -> memoryview:
    """Return consecutive lines as one buffer, without copying."""
    _, offsets, data = lines.buffers()
    ends = np.frombuffer(offsets, np.int64)[lines.offset : lines.offset + len(lines) + 1]
    return memoryview(data)[int(ends[0]) : int(ends[-1])]


def _shard_rows(task: WriteTask, parts: Parts, names: Sequence[str]) -> pa.Table:
    """Return the columns of the rows whose ids are in the shard's range, sorted by id."""
    pieces = parts.rows(task.split, task.low, task.high, names)
    # Each piece is copied before the next file is mapped: mapped pages count as memory.
    rows = pa.concat_tables(piece.filter(parts.kept(task.name, piece)) for piece in pieces)
    order = pc.sort_indices(rows.column("item_id"))
    columns = [pa.concat_arrays(rows.column(name).chunks).take(order) for name in names]
    return pa.table(columns, schema=rows.select(list(names)).schema)


def _write_evidence(task: WriteTask, parts: Parts) -> Info:
    schema = EVIDENCE_TABLES[task.name]
    names = dictionary_columns(schema, _UNIQUE_EVENTS)
    with _written(parts, f"evidence/{task.name}.parquet") as (path, summary):
        summary["rows"] = write_groups(parts.tables(f"{task.name}.arrow"), schema, path, names)
    return summary


def _write_rejected(task: WriteTask, parts: Parts) -> list[Info]:
    pieces = filter(None, parts.rejects(task.name))
    first = next(pieces, None)
    if first is None:
        return []
    with _written(parts, f"rejected/{task.name}.jsonl") as (path, summary), path.open("wb") as sink:
        summary["rows"] = 0
        for data in chain([first], pieces):
            summary["rows"] += data.count(b"\n")
            sink.write(data)
    return [summary]


@contextmanager
def _written(
    parts: Parts, name: str, into: list[Info] | None = None
) -> Iterator[tuple[Path, Info]]:
    """Yield an output file to write and its summary, to which the writer adds ``rows``."""
    summary: Info = {"path": name}
    with staged(parts.out / name) as local:
        yield local, summary
        summary |= {"sha256": file_sha256(local), "bytes": local.stat().st_size}
    if into is not None:
        into.append(summary)
