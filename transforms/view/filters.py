"""What of the items is wanted: facets and full text, as a condition in SQL."""

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
"""Name of a facet -> what it is of an item; null is told as ''.  Answers are without letters."""
COUNTED = tuple(name for name in FACETS if name != "answer")
"""Facets of few values each; answers may be as many as items."""
MISSING = "missing"
STATUSES = ("right", "wrong", "unparsed", "unscored", "kept", "dropped", MISSING)
"""What a model's answer is, and what reviewers decided; missing where nothing was said."""
MOST_WORDS = 12
TEXTS = ("question", "answer", "context", "knowledge", "clue", "array_to_string(reasoning, ' ')",
         "array_to_string(list_transform(options, lambda one: one.text), '\n')")  # fmt: skip
"""What full text is looked for in."""

Condition = tuple[str, list[Any]]


@dataclass(frozen=True, slots=True)
class Filter:
    """Items that are wanted.

    Attributes:
        chosen: facet -> values, any of which will do.
        words: all of which the item's texts hold, in any case.
        marks: model -> statuses, any of which will do; of each model that is named.
    """

    chosen: Mapping[str, tuple[str, ...]]
    words: tuple[str, ...] = ()
    marks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def condition(self, without: str | None = None) -> Condition:
        """SQL of the items, and its values.

        Args:
            without: a facet or a model that is left out, for its own counts.
        """
        parts: list[str] = []
        values: list[Any] = []
        for name, wanted in self.chosen.items():
            if name == without:
                continue
            parts.append(_any_of(FACETS[name], wanted))
            values += [one for one in wanted if one]
        for word in self.words:
            # Found without a copy in lower case of each text: half the time.
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
    """Whether a column is one of so many values; '' is null and takes no value."""
    some = ", ".join("?" for one in wanted if one)
    parts = [f"{column} IN ({some})"] if some else []
    parts += [f"{column} IS NULL"] if "" in wanted else []
    return f"({' OR '.join(parts)})"


def _marked(status: str) -> str:
    """Whether a model's mark of an item is this one."""
    if status == MISSING:
        return "item_id NOT IN (SELECT item_id FROM marks WHERE model = ? AND status <> 'missing')"
    return "item_id IN (SELECT item_id FROM marks WHERE model = ? AND status = ?)"


def filter_of(asked: Mapping[str, Sequence[str]]) -> Filter:
    """The filter of an address's parameters; others are not looked at.

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
