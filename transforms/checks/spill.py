"""Groups the rows of all shards by video, in bounded memory.

Shards are split by digest, so a video's items are spread over all of them.  The shards are read
once and written to a few scratch files; each holds the items of consecutive videos.  Then each
scratch file is sorted and returned video by video, in the order of the evidence tables.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from surgqa.transforms.checks.tables import KEY, Key, runs_of

ROWS_PER_BUCKET = 20_000


class Spill:
    """Scratch files of items, each for a range of videos.

    Args:
        folder: an empty scratch folder.
        videos: all (dataset, video_id) of the evidence, sorted; items of other videos go to the
            range in which they would be sorted.
        rows: expected number of rows.
        schema: schema of the batches; has the key columns, ``start_us`` and ``item_id``.
    """

    def __init__(self, folder: Path, videos: list[Key], rows: int, schema: pa.Schema) -> None:
        buckets = max(1, -(-rows // ROWS_PER_BUCKET))
        step = max(1, -(-len(videos) // buckets))
        self._last = [videos[min(i + step, len(videos)) - 1] for i in range(0, len(videos), step)]
        self._folder = folder
        self._schema = schema
        self._writers: dict[int, pa.ipc.RecordBatchFileWriter] = {}

    def add(self, batch: pa.RecordBatch) -> None:
        """Write a batch's rows to their scratch files."""
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
        """Close the files and yield each video's rows, by video, then by (start_us, item_id)."""
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
