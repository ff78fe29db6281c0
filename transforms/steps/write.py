"""Writing the output: every file from the parts, in one fixed order."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import orjson
import pyarrow as pa
import pyarrow.compute as pc

from ontology.rows import EVIDENCE_TABLES, ITEM
from transforms.exports.parquet import dictionary_columns, write_groups, write_table
from transforms.exports.rows import LINE
from transforms.steps.tasks import Info, WriteTask
from transforms.steps.video import STAGES, read_arrow

SLIM_INDEX = "parts.json"
"""What the writers need of the index; each of them reads it."""

_UNIQUE = ("item_id", "window_id", "question", "slots")
_UNIQUE_EVENTS = ("event_id", "pointer", "segment_id")


def plan_files(infos: Sequence[Info], shard_rows: int) -> list[WriteTask]:
    """All files of the output: shards by number of rows, evidence tables, rejects."""
    totals: dict[tuple[str, str], int] = {}
    for info in infos:
        for benchmark, rows in info["rows"].items():
            where = (benchmark, info["split"])
            totals[where] = totals.get(where, 0) + rows
    tasks = []
    for (benchmark, split), rows in sorted(totals.items()):
        of = max(1, math.ceil(rows / shard_rows))
        tasks += [WriteTask("data", benchmark, split, i, of) for i in range(of)]
    tasks += [WriteTask("evidence", name) for name in EVIDENCE_TABLES]
    tasks += [WriteTask("rejected", stage) for stage in STAGES]
    return tasks


class Parts:
    """The parts of a run, in order of dataset and video; read from the index in ``work``.

    Attributes:
        infos: of each part its ``part``, ``split``, ``dataset`` and ``templates``.
        runs: split to the files that hold its rows, sorted by id: the parts themselves, or
            what :mod:`transforms.steps.merge` made of many.
    """

    def __init__(self, work: Path) -> None:
        index = orjson.loads((work / SLIM_INDEX).read_bytes())
        self.folder = Path(index["folder"])
        self.infos: list[Info] = index["parts"]
        self.runs: dict[str, list[str]] = index["runs"]
        self.formats: list[str] = index["formats"]
        self.out = work / "out"
        dropped = work / "dropped.arrow"
        self.dropped = read_arrow(dropped).column("item_id") if dropped.is_file() else None

    def tables(self, name: str) -> Iterator[pa.Table]:
        """One table of every part."""
        for info in self.infos:
            yield read_arrow(self.folder / info["part"] / name)

    def rows(self, split: str) -> Iterator[pa.Table]:
        """All rows of a split in tables sorted by id, as few as there are."""
        for path in self.runs.get(split, ()):
            yield read_arrow(Path(path))


def write_file(task: WriteTask, work: str) -> list[Info]:
    """Write one file and tell its digest and number of rows."""
    parts = Parts(Path(work))
    if task.kind == "data":
        return _write_shard(task, parts)
    if task.kind == "evidence":
        return [_write_evidence(task, parts)]
    return [_write_rejected(task, parts)]


def _write_shard(task: WriteTask, parts: Parts) -> list[Info]:
    table = _shard_rows(task, parts)
    stem = f"data/{task.name}/{task.split}-{task.index:05d}-of-{task.of:05d}"
    written = []
    if "parquet" in parts.formats:
        path = _made(parts.out / f"{stem}.parquet")
        write_table(table.select(ITEM.names), path, dictionary_columns(ITEM, _UNIQUE))
        written.append(_told(path, parts.out, table.num_rows))
    if "jsonl" in parts.formats:
        path = _made(parts.out / f"{stem}.jsonl")
        path.write_bytes(b"".join(table.column(LINE).to_pylist()))
        written.append(_told(path, parts.out, table.num_rows))
    if written and task.index == 0:
        written[0]["first"] = True
    return written


def _shard_rows(task: WriteTask, parts: Parts) -> pa.Table:
    """Rows whose ids fall into the shard's range, sorted by id."""
    low, high = (bound(task.index + k, task.of) for k in (0, 1))
    slices = []
    for run in parts.rows(task.split):
        piece = id_range(run, low, high)
        slices.append(piece.filter(pc.equal(piece.column("benchmark"), task.name)))
    table = pa.concat_tables(slices).sort_by("item_id")
    if parts.dropped is not None:
        table = table.filter(pc.invert(pc.is_in(table.column("item_id"), parts.dropped)))
    return table.combine_chunks()


def bound(index: int, of: int) -> str:
    """Where the ``index``-th of ``of`` equal ranges of ids begins; above all ids at the end."""
    return f"{index * 2**32 // of:08x}" if index < of else "~"


def id_range(table: pa.Table, low: str, high: str) -> pa.Table:
    """Rows whose ids are in ``[low, high)``, without copying; ids ascend."""
    ids = table.column("item_id")
    begin = _lower(ids, low)
    return table.slice(begin, _lower(ids, high) - begin)


def _lower(ids: pa.ChunkedArray, bound: str) -> int:
    """Index of the first id that is not below the bound; ids ascend."""
    begin, end = 0, len(ids)
    while begin < end:
        middle = (begin + end) // 2
        if ids[middle].as_py() < bound:
            begin = middle + 1
        else:
            end = middle
    return begin


def _write_evidence(task: WriteTask, parts: Parts) -> Info:
    path = _made(parts.out / f"evidence/{task.name}.parquet")
    schema = EVIDENCE_TABLES[task.name]
    names = dictionary_columns(schema, _UNIQUE_EVENTS)
    rows = write_groups(parts.tables(f"{task.name}.arrow"), schema, path, names)
    return _told(path, parts.out, rows)


def _write_rejected(task: WriteTask, parts: Parts) -> Info:
    path = _made(parts.out / f"rejected/{task.name}.jsonl")
    rows = 0
    with path.open("wb") as sink:
        sources = [parts.folder / info["part"] / f"{task.name}.jsonl" for info in parts.infos]
        if task.name == "choose":
            sources = [parts.out.parent / "choose.jsonl"]
        for source in sources:
            if source.is_file():
                data = source.read_bytes()
                rows += data.count(b"\n")
                sink.write(data)
    return _told(path, parts.out, rows)


def _made(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _told(path: Path, out: Path, rows: int) -> Info:
    with path.open("rb") as data:
        # In pieces: an evidence table grows with the dataset, the memory of a build must not.
        sha256 = hashlib.file_digest(data, "sha256").hexdigest()
    return {
        "path": path.relative_to(out).as_posix(),
        "sha256": sha256,
        "bytes": path.stat().st_size,
        "rows": rows,
    }
