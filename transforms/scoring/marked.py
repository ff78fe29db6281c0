"""Scores of items that rows mark: by level of difficulty, and of pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

NAMES = {1: "easy", 2: "medium", 3: "hard"}


@dataclass(slots=True)
class Marks:
    """What rows say of the items that are scored.

    Attributes:
        levels: item id -> (benchmark, level).
        pairs: (benchmark, id of a pair) -> items.
    """

    levels: dict[str, tuple[str, int]] = field(default_factory=dict)
    pairs: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))

    def take(self, row: Mapping[str, Any]) -> None:
        """Note a row's marks; a row without these columns has none."""
        if row.get("level") is not None:
            self.levels[row["item_id"]] = (row["benchmark"], row["level"])
        if row.get("pair") is not None:
            self.pairs[row["benchmark"], row["pair"]].append(row["item_id"])


@dataclass(frozen=True, slots=True)
class Marked:
    """The score of the marked items of one benchmark.

    Attributes:
        name: ``easy``, ``medium``, ``hard``, or ``pairs``.
        number: items, or pairs of which both are scored.
        score: mean score in [0, 1]; of pairs the share of which both score 1.
    """

    benchmark: str
    name: str
    number: int
    score: float


def marked(marks: Marks, scores: Mapping[str, float]) -> tuple[Marked, ...]:
    """Scores by benchmark and level, the easy ones first, then of pairs.

    Args:
        scores: item id -> score in [0, 1]; items that are not in it do not count.
    """
    found: dict[tuple[str, int], list[float]] = defaultdict(list)
    for item, of in marks.levels.items():
        if item in scores:
            found[of].append(scores[item])
    for (benchmark, _), items in marks.pairs.items():
        if len(items) == 2 and all(item in scores for item in items):
            both = min(scores[item] for item in items)
            found[benchmark, len(NAMES) + 1].append(float(both >= 1))
    return tuple(
        Marked(benchmark, NAMES.get(level, "pairs"), len(some), sum(sorted(some)) / len(some))
        for (benchmark, level), some in sorted(found.items())
    )


def table_of(found: tuple[Marked, ...]) -> list[list[str]]:
    """Rows for printing, the header first; scores in percent."""
    rows = [[one.benchmark, one.name, str(one.number), f"{100 * one.score:.2f}"] for one in found]
    return [["benchmark", "level", "number", "score"], *rows]
