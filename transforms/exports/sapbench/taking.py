"""Selects the rows that ask for the surgeon's next action, or for a plan of several actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surgqa.ontology.units import NOW, answer_types
from surgqa.transforms.exports.taking import Taking

BENCHMARK = "sapbench"
NEXT, HISTORY, PLAN = TASKS = ("next_action", "next_action_history", "plan")
"""Kinds of samples: the image alone, the image with words, and a plan of several actions."""

ACTIONS = "next_action"
"""Vocabulary of the labels in answers."""

Row = Mapping[str, Any]


def kind_of(row: Row) -> str | None:
    """Return the kind of sample that a row is, one of :data:`TASKS`; None if it is no sample.

    Only rows of the benchmark ``sapbench`` can be asked by the prompt alone.
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
    "questions with options, asked at a time, whose answer is one action or several in order",
    _takes,
    BENCHMARK,
    ("task", "options"),
)
