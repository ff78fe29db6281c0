"""Which rows are samples: what the surgeon does next, or a plan of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ontology.units import NOW, answer_types
from transforms.exports.taking import Taking

BENCHMARK = "sapbench"
NEXT, TOLD, PLAN = TASKS = ("next_action", "next_action_history", "plan")
"""Kinds of samples: the picture alone, with words beside it, and several actions in order."""

ACTIONS = "next_action"
"""What the labels of answers are of."""

Row = Mapping[str, Any]


def kind_of(row: Row) -> str | None:
    """Which of :data:`TASKS` a row is; None for one that asks something else.

    The picture stands alone where the benchmark itself says so; all other questions are said.
    """
    name = str(row["task"]).rpartition("/")[2]
    if row["benchmark"] == BENCHMARK and name in TASKS:
        return name
    types = dict(answer_types(row))
    return PLAN if types == {"sequence": ACTIONS} else TOLD if types == {"label": ACTIONS} else None


def _takes(row: Row) -> bool:
    return row["unit"] == NOW and bool(row["options"]) and kind_of(row) is not None


TAKING = Taking(
    "questions with options, put at a time, whose answer is an action clip's label or several in "
    "order",
    _takes,
    BENCHMARK,
    ("task", "options"),
)
