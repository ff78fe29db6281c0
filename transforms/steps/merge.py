"""Merge many intermediate files into few sorted ones, so that an output file is made from few.

Every output file (shard) needs a range of ids from every file of its split. With a thousand videos
and hundreds of shards, files would be opened hundreds of thousands of times, and the time would
grow with the square of the dataset. So parts (the videos' intermediate files) are first
merged in groups, one range of ids at a time, with only that range's rows in memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack

import pyarrow as pa
import pyarrow.compute as pc

from surgqa.transforms.exports.rows import PART
from surgqa.transforms.places import Place, place
from surgqa.transforms.steps.files import at_hand, open_arrow, read_arrow, staged
from surgqa.transforms.steps.tasks import AskSettings, Info, MergeTask

GROUP = 64
"""Number of parts that are merged into one file; nothing is merged if a split has no more."""

ITEMS = "items.arrow"

RANGES = 16
"""Number of id ranges in which a merged file is written, one after the other, to save memory."""


def plan_merging(infos: Sequence[Info]) -> list[MergeTask]:
    """Return the groups of videos whose files are merged, split by split; none for a small split.

    Args:
        infos: the videos' intermediate files, in order of dataset and video.
    """
    by_split: dict[str, list[str]] = {}
    for info in infos:
        by_split.setdefault(info["split"], []).append(info["part"])
    return [
        MergeTask(split, number, tuple(parts[start : start + GROUP]))
        for split, parts in sorted(by_split.items())
        if len(parts) > GROUP
        for number, start in enumerate(range(0, len(parts), GROUP))
    ]


def sorted_files(infos: Sequence[Info], folder: Place, work: Place) -> dict[str, list[str]]:
    """Return, for each split, the files with its rows, which are sorted by id inside each file."""
    files: dict[str, list[str]] = {}
    for task in plan_merging(infos):
        files.setdefault(task.split, []).append(str(work / task.name))
    merged = set(files)
    for info in infos:
        if info["split"] not in merged:
            files.setdefault(info["split"], []).append(str(folder / info["part"] / ITEMS))
    return files


def merge_parts(task: MergeTask, settings: AskSettings) -> str:
    """Merge some videos' files to one that is sorted by id, range by range; return its name."""
    folder = place(settings.cache or settings.work) / "parts"
    with (
        ExitStack() as copies,
        staged(place(settings.work) / task.name) as local,
        pa.OSFile(str(local), "wb") as sink,
        pa.ipc.new_file(sink, PART) as writer,
    ):
        sources = [copies.enter_context(at_hand(folder / part / ITEMS)) for part in task.parts]
        for k in range(RANGES):
            low, high = bound(k, RANGES), bound(k + 1, RANGES)
            # Opened again for every range: pages of a mapped file stay in memory while it is open.
            pieces = [_copied(id_range(read_arrow(path), low, high)) for path in sources]
            writer.write_table(pa.concat_tables(pieces).sort_by("item_id").combine_chunks())
    return task.name


def rows_between(
    path: Place, low: str, high: str, names: Collection[str] | None = None
) -> pa.Table:
    """Return the rows of a file with ids in ``[low, high)``. The ids of the file ascend.

    Of a merged file, only the batches that can contain such ids are read.

    Args:
        names: columns to read, including ``item_id``; None: all.
    """
    file = open_arrow(path, names)
    batches = [file.get_batch(k) for k in _batches(file.num_record_batches, low, high)]
    table = pa.Table.from_batches(batches, file.schema)
    return id_range(table if names is None else table.select(sorted(names)), low, high)


def _batches(count: int, low: str, high: str) -> Iterator[int]:
    """Yield the batches of a file that can contain ids of the range.

    A merged file has one batch for each range of ids; any other file has one batch.
    """
    for k in range(count):
        if count != RANGES or (bound(k, RANGES) < high and low < bound(k + 1, RANGES)):
            yield k


def _copied(table: pa.Table) -> pa.Table:
    """Return a copy of the rows in memory, so that the mapped file can be closed."""
    return table.filter(pc.is_valid(table.column("item_id")))


def bound(index: int, of: int) -> str:
    """Return the start of the ``index``-th of ``of`` equal ranges of ids.

    If ``index`` equals ``of``, the result is a value above all ids.
    """
    return f"{index * 2**32 // of:08x}" if index < of else "~"


def id_range(table: pa.Table, low: str, high: str) -> pa.Table:
    """Return the rows whose ids are in ``[low, high)``, without copying. The ids ascend."""
    ids = table.column("item_id")
    begin = _lower(ids, low)
    return table.slice(begin, _lower(ids, high) - begin)


def _lower(ids: pa.ChunkedArray, bound: str) -> int:
    """Return the index of the first id that is not below the bound. The ids ascend."""
    begin, end = 0, len(ids)
    while begin < end:
        middle = (begin + end) // 2
        if ids[middle].as_py() < bound:
            begin = middle + 1
        else:
            end = middle
    return begin
