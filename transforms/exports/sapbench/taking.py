"""The rows that are samples: they ask for the surgeon's next action, or a plan of actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surgqa.ontology.units import NOW, answer_types
from surgqa.transforms.exports.taking import Taking

BENCHMARK = "sapbench"
NEXT, HISTORY, PLAN = TASKS = ("next_action", "next_action_history", "plan")
"""Kinds of samples: only the image, with words besides it, and several actions in order."""

ACTIONS = "next_action"
"""Domain of the labels of answers."""

Row = Mapping[str, Any]


def kind_of(row: Row) -> str | None:
    """Return which of :data:`TASKS` a row belongs to; None for a row that asks something else.

    Only tasks of the benchmark itself may be asked without the row's question.
    """
    name = str(row["task"]).rpartition("/")[2]
    if row["benchmark"] == BENCHMARK and name in TASKS:
        return name
    types = dict(answer_types(row))
    return (
        PLAN if types == {"sequence": ACTIONS} else HISTORY if types == {"label": ACTIONS} else None
    )


def _takes(row: Row) -> bool:
    return row["unit"] == NOW and bool(row["options"]) and kind_of(row) is not None


TAKING = Taking(
    "questions with options, put at a time, whose answer is an action clip's label or several in "
    "order",
    _takes,
    BENCHMARK,
    ("task", "options"),
)
