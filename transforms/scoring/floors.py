"""Scores of guessing on one template: the chance level, and that of the most frequent answer.

Both depend on the items only, not on the predictions or the order of the items.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ontology.keys import h64
from ontology.mixing import mix64
from transforms.scoring.case import Case, Task
from transforms.scoring.tasks import mark_response

CHANCE_PAIRS = 2000
"""Number of pairs of items compared for the chance level of an open template, at most."""


@dataclass(frozen=True, slots=True)
class GoldItem:
    """An item with its gold answer as text."""

    item_id: str
    case: Case
    answer: str


@dataclass(frozen=True, slots=True)
class Floors:
    """Expected scores of guessing, in [0, 1]; chance is None where it is undefined."""

    chance: float | None
    majority: float


def floors_of(task: Task, template: str, items: Sequence[GoldItem]) -> Floors:
    """Return the floors of one template.

    Args:
        task: the template's scorer.
        template: its name, which is part of the key of every draw.
        items: its items in any order, at least one.
    """
    ordered = sorted(items, key=lambda item: item.item_id)
    if task.closed:
        return Floors(_closed_chance(ordered), _closed_majority(ordered))
    return Floors(_open_chance(task, template, ordered), _open_majority(task, ordered))


def _closed_chance(items: Sequence[GoldItem]) -> float:
    """Return the mean of 1 / number of options: the expected score of a uniform random choice."""
    return sum(1 / len(item.case.options) for item in items) / len(items)


def _closed_majority(items: Sequence[GoldItem]) -> float:
    """Return the accuracy of a guesser that chooses, in each item, the most often correct text.

    Among equally frequent texts, the guesser takes the one that sorts first.
    """
    answers = [dict(item.case.options).get(item.case.answer_key or "") for item in items]
    often = Counter(answers)
    guesses = [min((-often[text], text) for _, text in item.case.options)[1] for item in items]
    return sum(g == a for g, a in zip(guesses, answers, strict=True)) / len(items)


def _open_chance(task: Task, template: str, items: Sequence[GoldItem]) -> float | None:
    """Return the mean score of another item's gold answer, drawn uniformly in the same template.

    The mean is over all ordered pairs if there are at most :data:`CHANCE_PAIRS`, else over that
    many keyed draws.  None if there is only one item.
    """
    total, count = 0.0, 0
    for asked, answering in _pairs(template, len(items)):
        mark = mark_response(task, items[answering].answer, items[asked].case)
        total += mark.score if mark else 0.0
        count += 1
    return total / count if count else None


def _pairs(template: str, size: int) -> Iterator[tuple[int, int]]:
    if size * (size - 1) <= CHANCE_PAIRS:
        yield from ((i, j) for i in range(size) for j in range(size) if i != j)
        return
    key = np.uint64(h64("surgqa/score-v1", "chance", template))
    draws = mix64(np.arange(2 * CHANCE_PAIRS, dtype=np.uint64) ^ key) >> np.uint64(32)
    asked = (draws[::2] * np.uint64(size)) >> np.uint64(32)
    step = (draws[1::2] * np.uint64(size - 1)) >> np.uint64(32)
    others = (asked + np.uint64(1) + step) % np.uint64(size)
    yield from zip(asked.tolist(), others.tolist(), strict=True)


def _open_majority(task: Task, items: Sequence[GoldItem]) -> float:
    """Return the mean score of always answering the most frequent text (ties: the first sorted)."""
    often = Counter(item.answer for item in items)
    text = min((-count, text) for text, count in often.items())[1]
    marks = (mark_response(task, text, item.case) for item in items)
    return sum(mark.score for mark in marks if mark) / len(items)
