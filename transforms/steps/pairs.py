"""Keep only pairs of items: the same question about one video, with different answers.

A model that ignores the images answers both items alike, so at most one of its answers is correct.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any

from surgqa.ontology.records import Code
from surgqa.transforms.steps.write import Parts, not_chosen

READ = ("item_id", "template_id", "chain_id", "pair")


def over_pairs(parts: Parts, gone: Collection[str] = frozenset()) -> list[dict[str, Any]]:
    """Return rows of ``rejected/choose`` for items without a second item to form a pair with.

    If the main question of a chain has none, the whole chain is rejected.

    Args:
        gone: ids of items that are already rejected.
    """
    entries: list[dict[str, Any]] = []
    for info in parts.infos:
        rows = parts.items(info, READ).to_pylist()
        left = [row for row in rows if row["item_id"] not in gone]
        held: dict[str, list[str]] = defaultdict(list)
        for row in left:
            if row["pair"] is not None:
                held[row["pair"]].append(row["chain_id"] or row["item_id"])
        kept = {key for both in held.values() if len(both) == 2 for key in both}
        entries += [_entry(info["dataset"], row) for row in left
                    if (row["chain_id"] or row["item_id"]) not in kept]  # fmt: skip
    return sorted(entries, key=lambda one: one["key"])


def _entry(dataset: str, row: Mapping[str, Any]) -> dict[str, Any]:
    return not_chosen(
        dataset,
        row["template_id"],
        row["item_id"],
        Code.NO_PAIR,
        "the same question has no other answer elsewhere in the video",
    )
