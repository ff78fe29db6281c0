"""Reject items by the decisions of reviewers; a rejected question rejects its whole chain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.compute as pc

from surgqa.ontology.records import Code
from surgqa.transforms.places import place
from surgqa.transforms.review import Decision, Review
from surgqa.transforms.steps.files import put
from surgqa.transforms.steps.write import Parts, not_chosen

REVIEWED = "reviewed.json"
"""Summary of the review, which the run reads for its manifest."""

_COLUMNS = ["item_id", "chain_id", "template_id", "video_id"]


def left_out(work: str, review: Review) -> list[dict[str, Any]]:
    """Return the rows of ``rejected/choose`` for items that reviewers rejected, sorted by id.

    It also writes a summary: how many decisions there are, and which are about unknown items.
    """
    parts = Parts(place(work))
    made: set[str] = set()
    entries: list[dict[str, Any]] = []
    for info in parts.infos:
        table = parts.items(info, _COLUMNS)
        made.update(_among(table, "item_id", (one.item_id for one in review.decisions))
                    .column("item_id").to_pylist())  # fmt: skip
        entries += _entries(table, review, info["dataset"])
    summary = {
        "sha256": review.sha256,
        "decisions": len(review.decisions),
        "left_out": len(entries),
        "not_made": [one.item_id for one in review.decisions if one.item_id not in made],
    }
    put(place(work) / REVIEWED, orjson.dumps(summary))
    return sorted(entries, key=lambda entry: entry["key"])


def _among(table: pa.Table, column: str, values: Iterator[str]) -> pa.Table:
    known = pa.array(sorted(set(values)), pa.string())
    return table.filter(pc.is_in(table.column(column), value_set=known))


def _entries(table: pa.Table, review: Review, dataset: str) -> list[dict[str, Any]]:
    """Return the rejected items of one video, and then the other items of their chains."""
    own = {one.item_id: one for one in review.decisions if not one.keep}
    chains = {one.chain_id: one for one in reversed(list(own.values())) if one.chain_id}
    hit = _among(table, "item_id", iter(own)).to_pylist()
    chains = {row["chain_id"]: own[row["item_id"]] for row in hit if row["chain_id"]} | chains
    rows = [row for row in hit if row["chain_id"] is None]
    rows += _among(table, "chain_id", iter(chains)).to_pylist()
    return [
        _entry(row, own.get(row["item_id"]), chains.get(row["chain_id"]), dataset) for row in rows
    ]


def _entry(
    row: dict[str, Any], own: Decision | None, chain: Decision | None, dataset: str
) -> dict[str, Any]:
    decision = own or chain
    assert decision is not None
    of_chain = "" if own else "another question of its chain was "
    return not_chosen(
        dataset,
        row["template_id"],
        row["item_id"],
        Code.REVIEWED,
        f"{of_chain}{decision.sentence}",
        video=row["video_id"],
    )
