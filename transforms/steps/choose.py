"""Reject items once all are known: by review, by balance of answers, by share of question times.

Each step has an order of its own (``ORDER``: a key of the step's name and the item's id) and
rejects the last items in it. If two steps had one order, the second would keep just the items whose
answers were too frequent for the first. If it were that of the ids, so would everybody who takes
the first items by id as a sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.compute as pc

from surgqa.ontology.records import Code
from surgqa.transforms.language.program import Program
from surgqa.transforms.places import place
from surgqa.transforms.review import Review
from surgqa.transforms.steps.balance import over_share
from surgqa.transforms.steps.blind import over_blind
from surgqa.transforms.steps.files import json_lines, put, write_arrow
from surgqa.transforms.steps.mix import Mix, over_mix
from surgqa.transforms.steps.partners import alone, broken_blocks, over_pairs
from surgqa.transforms.steps.shares import PROMISED, over_shares, promise_of
from surgqa.transforms.steps.write import CHOSEN, DROPPED, Parts, not_chosen, sorted_by_item

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


@dataclass(frozen=True, slots=True)
class Chooser:
    """The settings by which a run rejects items from the complete set.

    Attributes:
        balance: ``shares`` balances answers as the templates declare, ``pairs`` keeps only pairs of
            items with the same question and different answers, ``none`` keeps all.
        allow_constant: True to keep templates with one answer in a dataset, and items whose
            options give the answer away because their video has only one.
        not_blind: True to reject items that rules answer too often without the images.
        modal_cap: greatest share of the items of a template in a dataset that one answer may have,
            or None.
        mix: wanted shares of questions about the past, present and future, or None.
        review: decisions of reviewers, or None.
    """

    balance: str = "none"
    allow_constant: bool = False
    not_blind: bool = False
    modal_cap: float | None = None
    mix: Mix | None = None
    review: Review | None = None

    def choose(self, work: str, templates: Sequence[Program] = ()) -> int:
        """Write which items are rejected and why; return their number.

        An item with several reasons is listed once. If an item is rejected, so are the items that
        have its answer as an option. Each step counts the items that earlier steps keep. Items
        rejected by reviewers still count, so that applying a review changes nothing else.
        """
        parts = Parts(place(work))
        reviewed = left_out(parts, self.review) if self.review is not None else []
        entries = self._balanced(parts, templates)
        if self.modal_cap is not None:
            entries += over_share(parts, self.modal_cap, _keys(entries))
        if self.mix is not None:
            entries += over_mix(parts, self.mix, _keys(entries))
        entries = _with(reviewed, entries)
        entries = _with(entries, broken_blocks(parts, _keys(entries)))
        if entries or self.modal_cap is not None:
            ids = pa.array(sorted(_keys(entries)), pa.string())
            write_arrow(pa.table({"item_id": ids}), place(work) / DROPPED)
            put(place(work) / CHOSEN, json_lines(entries))
        return len(entries)

    def _balanced(self, parts: Parts, templates: Sequence[Program]) -> list[dict[str, Any]]:
        """Return the rejections by rules without the images and by the balance of answers."""
        entries = over_blind(parts) if self.not_blind else []
        if self.balance == "pairs":
            entries = _paired(parts, entries)
        if self.balance == "shares":
            if not self.allow_constant:
                entries += alone(parts, templates, _keys(entries))
            found = {t.id: promise for t in templates if (promise := promise_of(t)) is not None}
            over, shares = over_shares(parts, found, self.allow_constant, _keys(entries))
            put(parts.work / PROMISED, orjson.dumps(shares))
            entries += over
        return entries


def _paired(parts: Parts, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Reject more items, until every pair and every block of items is complete or gone.

    A rejection that completes the pairs can break a block (items that have each other's answers as
    options), and the other way round.
    """
    before = -1
    while len(entries) != before:
        before = len(entries)
        entries = _with(entries, over_pairs(parts, _keys(entries)))
        entries = _with(entries, broken_blocks(parts, _keys(entries)))
    return entries


def _keys(entries: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    return frozenset(entry["key"] for entry in entries)


def _with(entries: list[dict[str, Any]], more: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the entries, then those of ``more`` that are about items not yet in the list."""
    known = _keys(entries)
    return [*entries, *(entry for entry in more if entry["key"] not in known)]
