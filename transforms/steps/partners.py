"""Reject items that have to stay with other items, or whose options give the answer away alone.

The options of a question are usually the answers of other questions about the video (a block). If
one item of a block is rejected, its answer would remain as an option that is never correct. So the
block is rejected.

If no other question has an answer that is wrong here, the options are other labels of the same
kind. If most videos have the same single answer, this list of options reveals the answer.

Of a pair (the same question about one video, with different answers), a model that ignores the
images answers both items alike, so at most one of its answers is correct.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from surgqa.ontology.records import Code
from surgqa.transforms.blind import COLUMNS, MARGIN, asks_of, guess
from surgqa.transforms.language.program import Program
from surgqa.transforms.questions.pools import exchanged
from surgqa.transforms.steps.write import Parts, not_chosen, sorted_by_item

BLOCK = ("item_id", "block", "chain_id", "template_id", "dataset", "video_id")
PAIR = ("item_id", "template_id", "dataset", "chain_id", "pair")


def broken_blocks(parts: Parts, gone: Collection[str]) -> list[dict[str, Any]]:
    """Return rows of ``rejected/choose`` for items that must go with rejected items (``gone``)."""
    if not gone:
        return []
    why = "its options are the answers of items of which one was left out"
    ids = pa.array(sorted(gone), pa.string())
    return sorted_by_item(
        not_chosen(row, Code.UNPAIRED, why)
        for info in parts.infos
        for row in _hanging(parts.items(info, BLOCK), ids)
        if row["item_id"] not in gone
    )


def _hanging(table: pa.Table, gone: pa.Array) -> list[dict[str, Any]]:
    """Return the items with a rejected item's answer as an option, and all of their chains."""
    hit = _with(table, "block", _with(table, "item_id", gone).column("block"))
    chains = _with(table, "chain_id", hit.column("chain_id"))
    return list({row["item_id"]: row for row in (*hit.to_pylist(), *chains.to_pylist())}.values())


def _with(table: pa.Table, column: str, values: pa.Array | pa.ChunkedArray) -> pa.Table:
    return table.filter(pc.is_in(table.column(column), values.drop_null()))


def over_pairs(parts: Parts, gone: Collection[str] = frozenset()) -> list[dict[str, Any]]:
    """Return rows of ``rejected/choose`` for items without a second item to form a pair with.

    If the main question of a chain has none, the whole chain is rejected.

    Args:
        gone: ids of items that are already rejected.
    """
    why = "the same question has no other answer elsewhere in the video"
    return sorted_by_item(
        not_chosen(row, Code.NO_PAIR, why)
        for info in parts.infos
        for row in _single(
            [row for row in parts.items(info, PAIR).to_pylist() if row["item_id"] not in gone]
        )
    )


def _single(rows: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the items of a video without a partner."""
    held: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row["pair"] is not None:
            held[row["pair"]].append(row["chain_id"] or row["item_id"])
    kept = {key for both in held.values() if len(both) == 2 for key in both}
    yield from (row for row in rows if (row["chain_id"] or row["item_id"]) not in kept)


def alone(
    parts: Parts, templates: Sequence[Program], gone: Collection[str] = frozenset()
) -> list[dict[str, Any]]:
    """Return rows of ``rejected/choose`` for items whose options give the answer away.

    Only items that do not share their options with other questions (that are in no block) can be
    rejected. Those of one template in a dataset are rejected together, if a rule that sees no
    images answers so many of them that their share of all its items exceeds the tolerance.

    Args:
        gone: ids of items that are already rejected.
    """
    found: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    items = Counter[tuple[str, str]]()
    names = {one.id for one in templates if len(one.stages) == 1 and exchanged(one.stages[0])}
    for dataset, template, table in parts.by_template(COLUMNS, names):
        left = [row for row in table.to_pylist() if row["item_id"] not in gone]
        items[dataset, template] += len(left)
        found[dataset, template] += [row for row in left if row["block"] is None]
    return sorted_by_item(
        not_chosen(row, Code.UNPAIRED, why)
        for at, rows in found.items()
        if rows and (why := _revealed(rows, items[at]))
        for row in rows
    )


def _revealed(rows: Sequence[dict[str, Any]], items: int) -> str:
    """Return the reason why the items are rejected; "" if they are kept.

    They are kept if no rule answers them without the images, or if they are few.
    """
    one = guess(asks_of([{**row, "rounds": None} for row in rows]))  # only its first question
    if (one.excess or 0) * len(rows) <= MARGIN * items:
        return ""
    return (
        f"the recording has a single answer, and the options of {len(rows)} such items reveal it: "
        f"{one.structural_rule}"
    )
