"""Merging many parts into few sorted runs, so that a shard opens few files.

Every shard takes its range of ids from every file of its split.  With a thousand videos and
hundreds of shards that would be hundreds of thousands of openings, and the time would grow
with the square of the dataset; so parts are first merged in groups, range by range, with
the rows of one range in memory at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from transforms.exports.rows import PART
from transforms.steps.tasks import Info
from transforms.steps.video import ITEMS, read_arrow
from transforms.steps.write import bound, id_range

GROUP = 64
"""Parts that are merged into one run; so many parts or fewer stay as they are."""

RANGES = 16
"""Ranges of ids in which a run is written: a sixteenth of its rows is in memory."""


def merge_parts(folder: Path, infos: Sequence[Info], work: Path) -> dict[str, list[str]]:
    """Files with the rows of each split, sorted by id inside a file.

    Args:
        folder: where the parts lie.
        infos: parts in order of dataset and video.
        work: where runs are written.
    """
    by_split: dict[str, list[Path]] = {}
    for info in infos:
        by_split.setdefault(info["split"], []).append(folder / info["part"] / ITEMS)
    runs: dict[str, list[str]] = {}
    for split, paths in sorted(by_split.items()):
        groups = [paths[i : i + GROUP] for i in range(0, len(paths), GROUP)]
        if len(groups) == 1:
            runs[split] = [str(path) for path in paths]
            continue
        runs[split] = []
        for number, group in enumerate(groups):
            path = work / f"run-{split}-{number:05d}.arrow"
            merge(group, path)
            runs[split].append(str(path))
    return runs


def merge(paths: Sequence[Path], out: Path) -> None:
    """One file of several, sorted by id."""
    with pa.OSFile(str(out), "wb") as sink, pa.ipc.new_file(sink, PART) as writer:
        for k in range(RANGES):
            low, high = bound(k, RANGES), bound(k + 1, RANGES)
            pieces = [_copied(id_range(read_arrow(path), low, high)) for path in paths]
            writer.write_table(pa.concat_tables(pieces).sort_by("item_id").combine_chunks())


def _copied(table: pa.Table) -> pa.Table:
    """The rows in memory of their own: pages of a mapped file stay resident while it is used."""
    return table.filter(pc.is_valid(table.column("item_id")))
