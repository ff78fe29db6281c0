"""Items of the benchmark ``sapbench``, in the form that scoring needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ontology.errors import OutputBroken
from ontology.next_actions import action_ids
from transforms.scoring.case import arguments_of, json_of
from transforms.scoring.predictions import PredictionKey

BENCHMARK = "sapbench"
COLUMNS = ("item_id", "task", "template_id", "dataset", "video_id", "answer_value",
           "slots", "rule", "rule_args")  # fmt: skip
"""Columns that are read from a row."""


@dataclass(frozen=True, slots=True)
class Item:
    """One sample.

    Attributes:
        video: ``dataset/video_id``; the intervals are clustered by it.
        action: the correct answer.
        following: the action after it; None if there is none or it is unknown.
        previous: the action that ends on the current frame; None if it is unknown.
    """

    item_id: str
    template: str
    dataset: str
    video: str
    action: str
    following: str | None
    previous: str | None

    @property
    def key(self) -> PredictionKey:
        """Key of the item's prediction."""
        return self.item_id, None


def is_ranked(row: Mapping[str, Any]) -> bool:
    """Return whether the answer of a row of the benchmark is a ranking."""
    return bool(arguments_of(row).get("ranked"))


def item_of(row: Mapping[str, Any]) -> Item:
    """Return the item of a row of ``data/``; only its :data:`COLUMNS` are read.

    Raises:
        OutputBroken: ``answer_value`` or ``slots`` holds something other than an action.
    """
    value = _value(row)
    for name in ("action", "following", "previous"):
        said = value.get(name)
        if said not in action_ids() and (said is not None or name == "action"):
            raise _broken(row, f"{name}: {', '.join(action_ids())}", repr(said))
    return Item(
        item_id=row["item_id"],
        template=row["template_id"],
        dataset=row["dataset"],
        video=f"{row['dataset']}/{row['video_id']}",
        action=value["action"],
        following=value.get("following"),
        previous=value.get("previous"),
    )


def _value(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the correct action, the one after it and the one before it."""
    slots = json_of(row, "slots")
    following = slots.get("also")
    return {
        "action": next(iter(json_of(row, "answer_value").values()), None),
        "following": following.get("label") if isinstance(following, Mapping) else following,
        "previous": (slots.get("before") or {}).get("label"),
    }


def _broken(row: Mapping[str, Any], expected: str, found: str) -> OutputBroken:
    return OutputBroken(
        f"item {row['item_id']} has no readable answer_value",
        expected=expected,
        found=found,
        where=str(row.get("template_id")),
        fix="build the dataset again, or see 'surgqa check'",
    )
