"""Rows of a dataset grouped by template on disk, so that only one template is in memory."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from surgqa.ontology.garbage import no_collection
from surgqa.ontology.keys import h64
from surgqa.ontology.rows import ITEM
from surgqa.transforms.blind.items import COLUMNS
from surgqa.transforms.blind.learn import KEY

MOST = 20_000
"""Maximum number of items of a template that are guessed; see :func:`some_surgeries`."""
AT_ONCE = 2_000
"""About how many rows are converted to Python objects at once."""
RECORDING = ("dataset", "video_id")
SCHEMA = pa.schema([ITEM.field(name) for name in COLUMNS])


class Shelves:
    """Stores rows in one scratch file for each template.

    Args:
        folder: an existing folder for the scratch files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writers: dict[str, tuple[Path, pa.ipc.RecordBatchFileWriter]] = {}
        self.rows: dict[str, int] = {}

    def add(self, batch: pa.RecordBatch) -> None:
        """Append the rows of a batch that has at least :data:`~transforms.blind.items.COLUMNS`."""
        batch = batch.select(list(COLUMNS))
        templates = batch.column("template_id")
        for name in sorted(one for one in pc.unique(templates).to_pylist() if one is not None):
            mine = batch.filter(pc.equal(templates, name))
            self._writer(name).write_batch(mine)
            self.rows[name] = self.rows.get(name, 0) + len(mine)

    def _writer(self, name: str) -> pa.ipc.RecordBatchFileWriter:
        if name not in self._writers:
            path = self._folder / f"template-{len(self._writers):05d}.arrow"
            options = pa.ipc.IpcWriteOptions(compression="lz4")
            self._writers[name] = (path, pa.ipc.new_file(path, SCHEMA, options=options))
        return self._writers[name][1]

    def templates(self) -> Iterator[tuple[str, int, Iterator[list[dict[str, Any]]]]]:
        """Yield (template id, number of rows, batches of rows of whole videos), in order of ids.

        No rows can be added afterwards.
        """
        for _, writer in self._writers.values():
            writer.close()
        for name in sorted(self._writers):
            path = self._writers[name][0]
            with pa.OSFile(str(path)) as source:
                table = pa.ipc.open_file(source).read_all()
            path.unlink()
            table = some_surgeries(table, MOST)
            yield name, len(table), _recordings(table)


def _recordings(table: pa.Table) -> Iterator[list[dict[str, Any]]]:
    """Yield rows as dictionaries, in batches of whole videos with at least :data:`AT_ONCE` rows."""
    table = table.sort_by([(name, "ascending") for name in RECORDING])
    names = zip(*(table[name].to_pylist() for name in RECORDING), strict=True)
    start = end = 0
    for _, recording in groupby(names):
        end += sum(1 for _ in recording)
        if end - start >= AT_ONCE or end == len(table):
            yield _plain(table.slice(start, end - start))
            start = end


@no_collection()
def _plain(table: pa.Table) -> list[dict[str, Any]]:
    return table.to_pylist()


def some_surgeries(table: pa.Table, most: int) -> pa.Table:
    """Return rows of the first surgeries by digest: at most ``most``, but at least one surgery."""
    if len(table) <= most:
        return table
    sizes = {one["values"]: one["counts"] for one in pc.value_counts(
        table["split_group"].combine_chunks()).to_pylist()}  # fmt: skip
    kept: list[str | None] = []
    total = 0
    for name in sorted(sizes, key=lambda one: (h64(KEY, one), str(one))):
        if kept and total + sizes[name] > most:
            break
        kept.append(name)
        total += sizes[name]
    return table.filter(pc.is_in(table["split_group"], pa.array(kept, pa.string())))
