"""Reject items by the decisions of reviewers; a rejected question rejects its whole chain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.compute as pc

from surgqa.ontology.records import Code
from surgqa.transforms.review import Review
from surgqa.transforms.steps.files import put
from surgqa.transforms.steps.write import Parts, not_chosen, sorted_by_item

REVIEWED = "reviewed.json"
"""Summary of the review, which the run reads for its manifest."""

_COLUMNS = ["item_id", "chain_id", "template_id", "dataset", "video_id"]


def left_out(parts: Parts, review: Review) -> list[dict[str, Any]]:
    """Return the rows of ``rejected/choose`` for items that reviewers rejected, sorted by id.

    It also writes a summary: how many decisions there are, and which are about unknown items.
    """
    made: set[str] = set()
    entries: list[dict[str, Any]] = []
    for info in parts.infos:
        table = parts.items(info, _COLUMNS)
        made.update(_among(table, "item_id", (one.item_id for one in review.decisions))
                    .column("item_id").to_pylist())  # fmt: skip
        entries += _entries(table, review)
    summary = {
        "sha256": review.sha256,
        "decisions": len(review.decisions),
        "left_out": len(entries),
        "not_made": [one.item_id for one in review.decisions if one.item_id not in made],
    }
    put(parts.work / REVIEWED, orjson.dumps(summary))
    return sorted_by_item(entries)


def _among(table: pa.Table, column: str, values: Iterable[str]) -> pa.Table:
    known = pa.array(sorted(set(values)), pa.string())
    return table.filter(pc.is_in(table.column(column), value_set=known))


def _entries(table: pa.Table, review: Review) -> Iterator[dict[str, Any]]:
    """Yield the rejected items of one video, and then the other items of their chains."""
    own = {one.item_id: one for one in review.decisions if not one.keep}
    chains = {one.chain_id: one for one in reversed(list(own.values())) if one.chain_id}
    hit = _among(table, "item_id", own).to_pylist()
    chains = {row["chain_id"]: own[row["item_id"]] for row in hit if row["chain_id"]} | chains
    rows = [row for row in hit if row["chain_id"] is None]
    for row in (*rows, *_among(table, "chain_id", chains).to_pylist()):
        if mine := own.get(row["item_id"]):
            why = mine.sentence
        else:
            why = f"another question of its chain was {chains[row['chain_id']].sentence}"
        yield not_chosen(row, Code.REVIEWED, why)
