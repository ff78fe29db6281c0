"""Write and read files of a run in progress, on a local disk or in remote storage.

A file gets its name only when it is complete. The same work can be done twice: because an engine
repeats it, or if a worker was wrongly considered dead. Both attempts then write the same bytes, and
no partial file is ever read.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa

from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.records import Rejected
from surgqa.transforms.places import Place, RemotePath

READERS = 16
"""Number of threads that read small remote files at once; each mostly waits for the network."""


@contextmanager
def staged(target: Place) -> Iterator[Path]:
    """Yield a local file to write; after the block, it is renamed to ``target`` or uploaded."""
    if isinstance(target, RemotePath):
        with tempfile.TemporaryDirectory(prefix="surgqa-") as folder:
            local = Path(folder) / target.name
            yield local
            with local.open("rb") as source:
                target.write_from(source)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    local = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        yield local
        local.replace(target)
    finally:
        local.unlink(missing_ok=True)


@contextmanager
def at_hand(source: Place) -> Iterator[Path]:
    """Yield a local path of the file: the file itself, or a temporary copy of a remote file."""
    if not isinstance(source, RemotePath):
        yield source
        return
    with tempfile.TemporaryDirectory(prefix="surgqa-") as folder:
        local = Path(folder) / source.name
        with source.open("rb") as remote, local.open("wb") as sink:
            shutil.copyfileobj(remote, sink, 1 << 20)
        yield local


def put(target: Place, data: bytes) -> None:
    """Write a small file, which is visible only when it is complete."""
    with staged(target) as local:
        local.write_bytes(data)


def seal(data: bytes) -> bytes:
    """Return the data, preceded by their digest."""
    return bytes_digest(data).encode() + b"\n" + data


def unsealed(path: Place) -> bytes | None:
    """Return the data of a file written by :func:`seal`; None if the file has changed since."""
    digest, _, data = path.read_bytes().partition(b"\n")
    return data if digest == bytes_digest(data).encode() else None


def read_all(paths: Sequence[Place]) -> list[bytes]:
    """Return the contents of small files, in the order given."""
    if not any(isinstance(path, RemotePath) for path in paths):
        return [path.read_bytes() for path in paths]
    with ThreadPoolExecutor(READERS) as threads:
        return list(threads.map(lambda path: path.read_bytes(), paths))


def rejected_row(one: Rejected, dataset: str, video_id: str | None) -> dict[str, Any]:
    """Return a row of ``rejected/``."""
    return {
        "stage": one.stage, "dataset": dataset, "video_id": video_id, "key": one.key,
        "code": str(one.code), "reason": one.reason, "where": one.where, "count": one.count,
        "outcome": one.outcome,
    }  # fmt: skip


def json_lines(entries: Iterable[dict]) -> bytes:
    """Return entries as JSON Lines."""
    return b"".join(orjson.dumps(entry) + b"\n" for entry in entries)


def write_arrow(table: pa.Table, path: Place) -> None:
    """Write an uncompressed Arrow file with one batch, which can be memory-mapped."""
    with (
        staged(path) as local,
        pa.OSFile(str(local), "wb") as sink,
        pa.ipc.new_file(sink, table.schema) as writer,
    ):
        writer.write_table(table.combine_chunks())


def open_arrow(path: Place, names: Collection[str] | None = None) -> pa.ipc.RecordBatchFileReader:
    """Open an Arrow file: a local file as a memory map, a remote file batch by batch.

    From a memory map, all columns are returned: unused columns cost nothing, but a selection would
    be copied.

    Args:
        names: columns to read from remote storage, in the file's order; None: all.
    """
    if not isinstance(path, RemotePath):
        return pa.ipc.open_file(pa.memory_map(str(path)))
    source = pa.PythonFile(path.open("rb"), mode="r")
    file = pa.ipc.open_file(source)
    if names is None:
        return file
    fields = sorted(map(file.schema.get_field_index, names))
    return pa.ipc.open_file(source, options=pa.ipc.IpcReadOptions(included_fields=fields))


def read_arrow(path: Place, names: Collection[str] | None = None) -> pa.Table:
    """Return the whole table, or some of its columns in the given order.

    Unused columns of a local file are not read from disk.
    """
    table = open_arrow(path, names).read_all()
    return table if names is None else table.select(list(names))
