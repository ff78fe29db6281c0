"""Choose the scorer of a row, and score a response with it.

docs/scoring.md describes the formulas. A scorer is a function of a tidy text and the gold answer.
It returns scores, a number in [0, 1], or None if it cannot read the text. A template may name its
scorer: ``<folder>.<name>`` is a scorer of ``scoring/<folder>``; any other name is the name of an
entry point in the group ``surgqa.scorers``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from importlib import resources
from types import ModuleType
from typing import Any

from surgqa.ontology.errors import PluginBroken
from surgqa.ontology.plugins import SCORERS, loaded, offered
from surgqa.transforms.scoring.case import (
    SCORE_ONLY,
    WITH_LABEL,
    GoldCase,
    PredictionScore,
    ScoredTask,
    arguments_of,
)
from surgqa.transforms.scoring.ranking import RANKED
from surgqa.transforms.scoring.replies import option_of
from surgqa.transforms.scoring.text import answer_parts, tidy
from surgqa.transforms.scoring.typed import mark_answer

Scorer = Callable[[str, GoldCase], PredictionScore | float | None]


@cache
def units() -> tuple[str, ...]:
    """Return the names of the subfolders, each of which is named after a benchmark."""
    folder = resources.files("surgqa.transforms") / "scoring"
    return tuple(sorted(one.name for one in folder.iterdir() if (one / "__init__.py").is_file()))


@cache
def unit(name: str) -> ModuleType | None:
    """Return the package of a subfolder, None if there is no such subfolder."""
    return importlib.import_module(f"surgqa.transforms.scoring.{name}") if name in units() else None


@cache
def scorers() -> Mapping[str, Scorer]:
    """Return all scorers by name, also those that other packages provide.

    Raises:
        UserError: two scorers have the same name.
    """
    found: dict[str, Scorer] = {}
    for folder in units():
        own: Mapping[str, Scorer] = getattr(unit(folder), "SCORERS", {})
        found |= {f"{folder}.{name}": one for name, one in own.items()}
    return found | {one.name: loaded(one) for one in offered(SCORERS, found)}


def mark_option(text: str, case: GoldCase) -> PredictionScore | None:
    """Return the score 1 for the correct option, 0 for another; None if the text chooses none."""
    key = option_of(text, case.options)
    if key is None:
        return None
    right = float(key == case.answer_key)
    return PredictionScore(right, accuracy=right)


CHOICE = ScoredTask(mark_option, WITH_LABEL, closed=True)
"""Scorer for questions with options: whether the correct option was chosen."""

TYPED = ScoredTask(mark_answer, SCORE_ONLY)
"""Scorer for open answers, by the types of their fields."""

BY_PEOPLE = ("continuation",)
"""Forms whose responses are not texts, so that people must score them."""


def task_of(row: Mapping[str, Any]) -> ScoredTask | None:
    """Return how a row is scored; None if it cannot be scored here.

    The scorer is the one that the template names, or else the one for rankings, for options, or for
    the types of the answer's fields.

    Raises:
        UserError: no installed package offers the scorer that the template names.
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
def named_task(name: str, where: str) -> ScoredTask:
    """Return how rows are scored whose template names this scorer.

    Args:
        where: id of the template that names the scorer.

    Raises:
        UserError: no scorer has that name.
    """
    found = scorers().get(name)
    if found is None:
        raise PluginBroken(
            f"no scorer is called {name!r}", expected=", ".join(scorers()), where=where,
            fix="install the package that offers it, or correct 'scorer:' of the template",
        )  # fmt: skip

    def mark(text: str, case: GoldCase) -> PredictionScore | None:
        earned = found(text, case)
        return PredictionScore(float(earned)) if isinstance(earned, int | float) else earned

    return ScoredTask(mark, SCORE_ONLY)


def blank_of(task: ScoredTask, case: GoldCase) -> PredictionScore:
    """Return the scores of a missing answer: 0 in every score that the correct answer has."""
    right = mark_response(task, case.printed, case) if case.fields and not task.closed else None
    if right is None:
        return task.blank
    iou, hit, accuracy = (None if one is None else 0.0
                          for one in (right.iou, right.hit, right.accuracy))  # fmt: skip
    return PredictionScore(0.0, iou, hit, accuracy)


def mark_response(task: ScoredTask, response: str, case: GoldCase) -> PredictionScore | None:
    """Return the scores of a response; None if it cannot be read."""
    marks = (task.mark(part, case) for part in _parts(response))
    return next((mark for mark in marks if mark is not None), None)


@lru_cache(maxsize=8192)
def _parts(response: str) -> tuple[str, ...]:
    """Return the texts in a response that may be the answer, the most likely one first."""
    return tuple(answer_parts(tidy(response)))
