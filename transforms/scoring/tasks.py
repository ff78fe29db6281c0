"""Which scorer serves which row, and the one way a response is scored.

The formulas are described in docs/scoring.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from transforms.scoring.case import (
    SCORE_ONLY,
    WITH_LABEL,
    Case,
    Mark,
    Task,
    arguments_of,
)
from transforms.scoring.ranking import RANKED
from transforms.scoring.replies import option_of
from transforms.scoring.scorers import scorer
from transforms.scoring.text import answer_parts, tidy
from transforms.scoring.typed import mark_answer


def mark_option(text: str, case: Case) -> Mark | None:
    """1 for the right option, 0 for a wrong one, None where no option is chosen."""
    key = option_of(text, case.options)
    if key is None:
        return None
    right = float(key == case.answer_key)
    return Mark(right, accuracy=right)


CHOICE = Task(mark_option, WITH_LABEL, closed=True)
"""Any question with options: accuracy on the option."""

TYPED = Task(mark_answer, SCORE_ONLY)
"""Any answer by the types of its parts."""

BY_PEOPLE = ("continuation",)
"""Forms whose responses are no texts: people score them."""


def task_of(row: Mapping[str, Any]) -> Task | None:
    """The scorer of a row by what the row says; None where there is none.

    The scorer that its template names goes first, then a ranking, then its options, then the
    types of its answer's parts.

    Raises:
        UserError: nobody offers the scorer that the template names.
    """
    arguments = arguments_of(row)
    if arguments.get("scorer"):
        return named_task(arguments["scorer"], str(row["template_id"]))
    if row.get("form") in BY_PEOPLE:
        return None
    if row["options"] and row["answer_key"]:
        return RANKED if arguments.get("ranked") else CHOICE
    return TYPED if arguments.get("answer") else None


@cache
def named_task(name: str, where: str) -> Task:
    """The scorer of that name, whose marks may be plain numbers.

    Raises:
        UserError: there is none.
    """
    found = scorer(name, where)

    def mark(text: str, case: Case) -> Mark | None:
        earned = found(text, case)
        return Mark(float(earned)) if isinstance(earned, int | float) else earned

    return Task(mark, SCORE_ONLY)


def blank_of(task: Task, case: Case) -> Mark:
    """The mark of no answer: nothing in the columns that the right answer has."""
    right = mark_response(task, case.printed, case) if case.fields and not task.closed else None
    if right is None:
        return task.blank
    iou, hit, accuracy = (None if one is None else 0.0
                          for one in (right.iou, right.hit, right.accuracy))  # fmt: skip
    return Mark(0.0, iou, hit, accuracy)


def mark_response(task: Task, response: str, case: Case) -> Mark | None:
    """The mark of a response, None where it cannot be read (scores 0, is counted)."""
    marks = (task.mark(part, case) for part in _parts(response))
    return next((mark for mark in marks if mark is not None), None)


@lru_cache(maxsize=8192)
def _parts(response: str) -> tuple[str, ...]:
    """What a response may be read from, the most explicit part first."""
    return tuple(answer_parts(tidy(response)))
