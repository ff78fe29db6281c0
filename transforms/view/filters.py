"""Select items by facets and full text, as a condition in SQL."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
    "level": "CAST(level AS VARCHAR)",
    "blind": "CASE WHEN blind IS NULL THEN NULL WHEN len(blind) > 0 THEN 'guessed' "
             "ELSE 'needs looking' END",
    "answer": "CASE WHEN answer_key IS NULL THEN answer "
              "ELSE substr(answer, length(answer_key) + 3) END",
}  # fmt: skip
"""Name of a facet -> its SQL expression; null becomes ''.  Answers are without letters."""
COUNTED = tuple(name for name in FACETS if name != "answer")
"""Facets with few values; there may be as many answers as items."""
MISSING = "missing"
STATUSES = ("right", "wrong", "unparsed", "unscored", "kept", "dropped", MISSING)
"""Results of models and decisions of reviewers; missing if there are none."""
MOST_WORDS = 12
TEXTS = ("question", "answer", "context", "knowledge", "clue", "array_to_string(reasoning, ' ')",
         "array_to_string(list_transform(options, lambda one: one.text), '\n')")  # fmt: skip
"""Columns searched by full text."""

Condition = tuple[str, list[Any]]


@dataclass(frozen=True, slots=True)
class Filter:
    """A selection of items.

    Attributes:
        chosen: facet -> accepted values.
        words: words that the item's texts must all contain, in any case.
        marks: model -> accepted statuses, for each model in the filter.
    """

    chosen: Mapping[str, tuple[str, ...]]
    words: tuple[str, ...] = ()
    marks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def condition(self, without: str | None = None) -> Condition:
        """SQL of the selected items, and its values.

        Args:
            without: a facet or a model to ignore, for its own counts.
        """
        parts: list[str] = []
        values: list[Any] = []
        for name, wanted in self.chosen.items():
            if name == without:
                continue
            parts.append(_any_of(FACETS[name], wanted))
            values += [one for one in wanted if one]
        for word in self.words:
            # Searching without a lower-case copy of each text takes half the time.
            parts.append("(" + " OR ".join(f"regexp_matches({one}, ?, 'i')" for one in TEXTS) + ")")
            values += [re.escape(word)] * len(TEXTS)
        for model, statuses in self.marks.items():
            if without != f"mark:{model}":
                parts.append(f"({' OR '.join(map(_marked, statuses))})")
                values += [
                    one
                    for status in statuses
                    for one in ([model] if status == MISSING else [model, status])
                ]
        return " AND ".join(parts) or "true", values


def _any_of(column: str, wanted: Sequence[str]) -> str:
    """Whether a column has one of several values; '' stands for null."""
    some = ", ".join("?" for one in wanted if one)
    parts = [f"{column} IN ({some})"] if some else []
    parts += [f"{column} IS NULL"] if "" in wanted else []
    return f"({' OR '.join(parts)})"


def _marked(status: str) -> str:
    """Whether a model's result for an item is this one."""
    if status == MISSING:
        return "item_id NOT IN (SELECT item_id FROM marks WHERE model = ? AND status <> 'missing')"
    return "item_id IN (SELECT item_id FROM marks WHERE model = ? AND status = ?)"


def filter_of(asked: Mapping[str, Sequence[str]]) -> Filter:
    """The filter from the parameters of an address; other parameters are ignored.

    Args:
        asked: parameter -> its values; ``q`` is full text, ``mark`` is ``MODEL:STATUS``.
    """
    chosen = {name: tuple(asked[name]) for name in FACETS if asked.get(name)}
    words = " ".join(asked.get("q", ())).lower().split()[:MOST_WORDS]
    marks: dict[str, tuple[str, ...]] = {}
    for model, _, status in (one.rpartition(":") for one in asked.get("mark", ())):
        if status in STATUSES:
            marks[model] = (*marks.get(model, ()), status)
    return Filter(chosen, tuple(words), marks)
