"""Items of the benchmark ``sapbench`` as scoring needs them."""

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
"""What is read of a row."""


@dataclass(frozen=True, slots=True)
class Item:
    """One sample.

    Attributes:
        video: ``dataset/video_id``, the cluster of the intervals.
        action: the right answer.
        following: the action after it; None where there is none, or it is not known.
        previous: the action that is ending on the current frame; None where it is not known.
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
        """What a prediction of it is kept under."""
        return self.item_id, None


def is_ranked(row: Mapping[str, Any]) -> bool:
    """Whether the answer of a row of the benchmark is a ranking."""
    return bool(arguments_of(row).get("ranked"))


def item_of(row: Mapping[str, Any]) -> Item:
    """The item of a row of ``data/``; of a row only :data:`COLUMNS` are read.

    Raises:
        OutputBroken: its ``answer_value`` is not that of a sample.
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
    """The right action, the one after it and the one before."""
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
