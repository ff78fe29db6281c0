"""Reject all items of a block if one of them is rejected.

The items of a block have each other's answers as options. If one item were missing, its answer
would remain as an option that is never correct.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from surgqa.ontology.records import Code
from surgqa.transforms.places import place
from surgqa.transforms.steps.write import Parts, not_chosen

COLUMNS = ["item_id", "block", "chain_id", "template_id", "video_id"]


def broken_blocks(work: str, dropped: Collection[str]) -> list[dict[str, Any]]:
    """Return rows of ``rejected/choose`` for items that must go with rejected items, sorted by id.

    Args:
        dropped: ids of the rejected items.
    """
    if not dropped:
        return []
    parts, out = Parts(place(work)), []
    ids = pa.array(sorted(dropped), pa.string())
    for info in parts.infos:
        table = parts.items(info, COLUMNS)
        out += [_entry(row, info["dataset"]) for row in _hanging(table, ids)]
    return sorted(out, key=lambda entry: entry["key"])


def _hanging(table: pa.Table, dropped: pa.Array) -> Iterator[dict[str, Any]]:
    """Yield items with a rejected item's answer as an option, and the rest of their chains."""
    hit = _with(table, "block", _with(table, "item_id", dropped).column("block"))
    chains = _with(table, "chain_id", hit.column("chain_id"))
    rows = {row["item_id"]: row for row in (*hit.to_pylist(), *chains.to_pylist())}
    known = set(dropped.to_pylist())
    yield from (row for name, row in rows.items() if name not in known)


def _with(table: pa.Table, column: str, values: pa.Array | pa.ChunkedArray) -> pa.Table:
    return table.filter(pc.is_in(table.column(column), values.drop_null()))


def _entry(row: dict[str, Any], dataset: str) -> dict[str, Any]:
    return not_chosen(
        dataset,
        row["template_id"],
        row["item_id"],
        Code.UNPAIRED,
        "its options are the answers of items of which one was left out",
        video=row["video_id"],
    )
