"""Scores of items by their level of difficulty, and of pairs of items."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

NAMES = {1: "easy", 2: "medium", 3: "hard"}


@dataclass(slots=True)
class Marks:
    """The levels and pairs that rows state, collected row by row.

    Attributes:
        levels: item id -> (benchmark, level).
        pairs: (benchmark, pair id) -> ids of its items.
    """

    levels: dict[str, tuple[str, int]] = field(default_factory=dict)
    pairs: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))

    def take(self, row: Mapping[str, Any]) -> None:
        """Note a row's level and pair; a row may lack these columns."""
        if row.get("level") is not None:
            self.levels[row["item_id"]] = (row["benchmark"], row["level"])
        if row.get("pair") is not None:
            self.pairs[row["benchmark"], row["pair"]].append(row["item_id"])


@dataclass(frozen=True, slots=True)
class Marked:
    """The score of the items of one level, or of the pairs, of one benchmark.

    Attributes:
        name: ``easy``, ``medium``, ``hard``, or ``pairs``.
        number: number of scored items, or of pairs in which both items are scored.
        score: mean score in [0, 1]; for pairs, the share in which both items score 1.
    """

    benchmark: str
    name: str
    number: int
    score: float


def marked(marks: Marks, scores: Mapping[str, float]) -> tuple[Marked, ...]:
    """Return the scores by benchmark and level, from easy to hard, then those of pairs.

    Args:
        scores: item id -> score in [0, 1]; items that are absent from it are not counted.
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
    """Return the rows to print, header first; scores are percentages."""
    rows = [[one.benchmark, one.name, str(one.number), f"{100 * one.score:.2f}"] for one in found]
    return [["benchmark", "level", "number", "score"], *rows]
