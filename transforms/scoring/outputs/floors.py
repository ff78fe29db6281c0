"""What the right answers get, and what answers get that look at nothing.

Each makes predictions, which are scored like a model's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from transforms.scoring.outputs.items import Item
from transforms.scoring.predictions import PredictionKey

Predictions = dict[PredictionKey, str]


def oracle(row: Mapping[str, Any]) -> Predictions:
    """The right answer of a row of ``data/``: what each round expects, or the answer."""
    if row["rounds"]:
        return {(row["item_id"], one["round_index"]): one["expected_output"]
                for one in row["rounds"]}  # fmt: skip
    return {(row["item_id"], None): row["answer"]}


def first_choice(item: Item) -> Predictions:
    """Always the first option; an item without options gets an empty reply."""
    return dict.fromkeys(item.keys, item.options[0][0] if item.options else "")


def always_unanswerable(item: Item) -> Predictions:
    """Always ``unanswerable``, which a proactive item has no use for."""
    return dict.fromkeys(item.keys, "unanswerable")


def always_silent(item: Item) -> Predictions:
    """Always silent in the words of the item's protocol: ``no_alert`` or ``unanswerable``."""
    return dict.fromkeys(item.keys, "no_alert" if item.mode == "proactive" else "unanswerable")


FLOORS: Mapping[str, Callable[[Item], Predictions]] = {
    "first choice": first_choice,
    "unanswerable": always_unanswerable,
    "silent": always_silent,
}
"""The floors by the name under which they are shown."""
