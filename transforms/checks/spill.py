"""Rows of all shards brought together by video, with flat memory.

Shards are cut by digest, so a video's items are spread over all of them.  They are
read once and written to a few scratch files, each holding the items of some
neighbouring videos; then each scratch file is sorted and handed out video by video,
in the order in which the evidence tables are read.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from transforms.checks.tables import KEY, Key, runs_of

ROWS_PER_BUCKET = 20_000


class Spill:
    """Scratch files of items, by ranges of videos.

    Args:
        folder: an empty scratch folder.
        videos: all (dataset, video_id) that may occur, sorted; other videos' items go
            to the range they would be sorted into.
        rows: how many rows to expect.
        schema: of the batches added; has the key columns, ``start_us`` and ``item_id``.
    """

    def __init__(self, folder: Path, videos: list[Key], rows: int, schema: pa.Schema) -> None:
        buckets = max(1, -(-rows // ROWS_PER_BUCKET))
        step = max(1, -(-len(videos) // buckets))
        self._last = [videos[min(i + step, len(videos)) - 1] for i in range(0, len(videos), step)]
        self._folder = folder
        self._schema = schema
        self._writers: dict[int, pa.ipc.RecordBatchFileWriter] = {}

    def add(self, batch: pa.RecordBatch) -> None:
        """Put a batch's rows into their scratch files."""
        buckets: dict[Key, int] = {}
        rows: dict[int, list[int]] = {}
        keys = zip(*(batch.column(name).to_pylist() for name in KEY), strict=True)
        for index, key in enumerate(keys):
            if key not in buckets:
                buckets[key] = bisect_left(self._last, key)
            rows.setdefault(buckets[key], []).append(index)
        for bucket in sorted(rows):
            self._writer(bucket).write_batch(batch.take(pa.array(rows[bucket])))

    def _writer(self, bucket: int) -> pa.ipc.RecordBatchFileWriter:
        if bucket not in self._writers:
            options = pa.ipc.IpcWriteOptions(compression="lz4")
            path = self._folder / f"{bucket:06d}.arrow"
            self._writers[bucket] = pa.ipc.new_file(path, self._schema, options=options)
        return self._writers[bucket]

    def by_video(self) -> Iterator[tuple[Key, pa.RecordBatch]]:
        """Each video's rows, videos ascending, rows by (start_us, item_id); ends writing."""
        for writer in self._writers.values():
            writer.close()
        order = [(name, "ascending") for name in (*KEY, "start_us", "item_id")]
        for bucket in sorted(self._writers):
            path = self._folder / f"{bucket:06d}.arrow"
            with pa.OSFile(str(path)) as source:
                table = pa.ipc.open_file(source).read_all().sort_by(order).combine_chunks()
            path.unlink()
            for batch in table.to_batches():
                yield from runs_of(batch)
