"""What of the items is wanted: facets and full text, as a condition in SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

FACETS = {
    "benchmark": "benchmark",
    "task": "task",
    "template": "template_id",
    "form": "form",
    "unit": "unit",
    "temporal_mode": "temporal_mode",
    "rule": "rule",
    "stage": "CAST(stage AS VARCHAR)",
    "dataset": "dataset",
    "video": "dataset || '/' || video_id",
    "procedure": "procedure",
    "split": "split",
    "certain": "certain",
}
"""Name of a facet -> what it is of an item; null is told as ''."""
STATUSES = ("right", "wrong", "unparsed", "unscored")
MOST_WORDS = 12

Condition = tuple[str, list[Any]]


@dataclass(frozen=True, slots=True)
class Filter:
    """Items that are wanted.

    Attributes:
        chosen: facet -> values, any of which will do.
        words: all of which the question or the answer holds, in any case.
        marks: (model, status) pairs, any of which will do.
    """

    chosen: Mapping[str, tuple[str, ...]]
    words: tuple[str, ...] = ()
    marks: tuple[tuple[str, str], ...] = ()

    def condition(self, without: str | None = None) -> Condition:
        """SQL of the items, and its values.

        Args:
            without: a facet that is left out, for its own counts.
        """
        parts: list[str] = []
        values: list[Any] = []
        for name, wanted in self.chosen.items():
            if name == without:
                continue
            parts.append(_any_of(FACETS[name], wanted))
            values += [one for one in wanted if one]
        for word in self.words:
            # Each column by itself: repeated texts are then compared once.
            parts.append("(contains(lower(question), ?) OR contains(lower(answer), ?))")
            values += [word, word]
        if self.marks and without != "marks":
            one = " OR ".join("(model = ? AND status = ?)" for _ in self.marks)
            parts.append(f"item_id IN (SELECT item_id FROM marks WHERE {one})")
            values += [part for pair in self.marks for part in pair]
        return " AND ".join(parts) or "true", values


def _any_of(column: str, wanted: Sequence[str]) -> str:
    """Whether a column is one of so many values; '' is null and takes no value."""
    some = ", ".join("?" for one in wanted if one)
    parts = [f"{column} IN ({some})"] if some else []
    parts += [f"{column} IS NULL"] if "" in wanted else []
    return f"({' OR '.join(parts)})"


def filter_of(asked: Mapping[str, Sequence[str]]) -> Filter:
    """The filter of an address's parameters; others are not looked at.

    Args:
        asked: parameter -> its values; ``q`` is full text, ``mark`` is ``MODEL:STATUS``.
    """
    chosen = {name: tuple(asked[name]) for name in FACETS if asked.get(name)}
    words = " ".join(asked.get("q", ())).lower().split()[:MOST_WORDS]
    pairs = [one.rpartition(":") for one in asked.get("mark", ())]
    marks = tuple((model, status) for model, _, status in pairs if status in STATUSES)
    return Filter(chosen, tuple(words), marks)
