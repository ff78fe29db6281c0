"""Merging many parts into few sorted runs, so that a shard opens few files.

Every shard takes its range of ids from every file of its split.  With a thousand videos and
hundreds of shards that would be hundreds of thousands of openings, and the time would grow
with the square of the dataset; so parts are first merged in groups, range by range, with
the rows of a few ranges in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from transforms.exports.rows import PART
from transforms.places import Place, place
from transforms.steps.files import at_hand, open_arrow, write_batches
from transforms.steps.tasks import AskSettings, Info, MergeTask

GROUP = 64
"""Parts that are merged into one run; so many parts or fewer stay as they are."""

RANGES = 16
"""Ranges of ids in which a run is written."""

AT_ONCE = 4
"""Ranges that are merged together: each time all parts are read."""

ITEMS = "items.arrow"


def plan_merging(infos: Sequence[Info]) -> list[MergeTask]:
    """Groups of parts to merge, split by split; none for a split with few parts.

    Args:
        infos: parts in order of dataset and video.
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
    """Files with the rows of each split, sorted by id inside a file."""
    files: dict[str, list[str]] = {}
    for task in plan_merging(infos):
        files.setdefault(task.split, []).append(str(work / task.name))
    merged = set(files)
    for info in infos:
        if info["split"] not in merged:
            files.setdefault(info["split"], []).append(str(folder / info["part"] / ITEMS))
    return files


def merge_parts(task: MergeTask, settings: AskSettings) -> str:
    """Write one file of several parts, sorted by id, range by range; returns its name."""
    folder = place(settings.cache or settings.work) / "parts"
    with ExitStack() as copies:
        sources = [copies.enter_context(at_hand(folder / part / ITEMS)) for part in task.parts]
        write_batches(_in_ranges(sources), PART, place(settings.work) / task.name)
    return task.name


def _in_ranges(sources: Sequence[Path]) -> Iterator[pa.Table]:
    """The rows of all, one range after the other."""
    for at in range(0, RANGES, AT_ONCE):
        low, high = bound(at, RANGES), bound(at + AT_ONCE, RANGES)
        pieces = [_copied(rows_between(path, low, high)) for path in sources]
        some = pa.concat_tables(pieces).sort_by("item_id").combine_chunks()
        for k in range(at, at + AT_ONCE):
            yield id_range(some, bound(k, RANGES), bound(k + 1, RANGES))


def rows_between(path: Place, low: str, high: str) -> pa.Table:
    """Rows of a file with ids in ``[low, high)``; ids ascend.

    Only the batches that can hold such ids are read.
    """
    file = open_arrow(path)
    batches = [file.get_batch(k) for k in _batches(file.num_record_batches, low, high)]
    return id_range(pa.Table.from_batches(batches, file.schema), low, high)


def _batches(count: int, low: str, high: str) -> Iterator[int]:
    """Batches of a file that can hold ids of the range."""
    for k in range(count):
        if bound(k, count) < high and low < bound(k + 1, count):
            yield k


def _copied(table: pa.Table) -> pa.Table:
    """The rows alone, so that what they were read with can be let go."""
    return table.filter(pc.is_valid(table.column("item_id")))


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
