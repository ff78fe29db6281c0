"""Predictions of the correct answers, and of fixed answers that ignore the video (the floors).

They are scored in the same way as a model's predictions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from transforms.scoring.outputs.items import Item
from transforms.scoring.predictions import PredictionKey

Predictions = dict[PredictionKey, str]


def oracle(row: Mapping[str, Any]) -> Predictions:
    """Return the correct answer of a row of ``data/``, or the expected output of each round."""
    if row["rounds"]:
        return {(row["item_id"], one["round_index"]): one["expected_output"]
                for one in row["rounds"]}  # fmt: skip
    return {(row["item_id"], None): row["answer"]}


def first_choice(item: Item) -> Predictions:
    """Answer always with the first option, or with an empty reply if there are no options."""
    return dict.fromkeys(item.keys, item.options[0][0] if item.options else "")


def always_unanswerable(item: Item) -> Predictions:
    """Answer always ``unanswerable``, which the protocol of proactive items does not have."""
    return dict.fromkeys(item.keys, "unanswerable")


def always_silent(item: Item) -> Predictions:
    """Always stay silent, in the words of the protocol: ``no_alert`` or ``unanswerable``."""
    return dict.fromkeys(item.keys, "no_alert" if item.mode == "proactive" else "unanswerable")


FLOORS: Mapping[str, Callable[[Item], Predictions]] = {
    "first choice": first_choice,
    "unanswerable": always_unanswerable,
    "silent": always_silent,
}
"""The floors, by their names in the report."""
