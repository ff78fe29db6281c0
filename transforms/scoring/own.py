"""Collectors for rows with measures of their own, such as streams, chains and rankings.

All other rows are scored in the common groups of :mod:`transforms.scoring.aggregate`.

The package ``scoring/<benchmark>`` may have a function ``books(settings)``, which returns a
collector with the benchmark's published measures. In other benchmarks, the content of a row decides
which collector scores it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from surgqa.transforms.review.surgeons import Choices
from surgqa.transforms.scoring.chains import ChainBooks
from surgqa.transforms.scoring.outputs.report import OutputBooks, WordScoring
from surgqa.transforms.scoring.rankings import RankingBooks
from surgqa.transforms.scoring.reporting import OwnBooks, OwnReport
from surgqa.transforms.scoring.tasks import unit


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a run that collectors need.

    Attributes:
        manner: how streams and open answers are scored.
        surgeons: the next actions that surgeons chose for items.
    """

    manner: WordScoring = field(default_factory=WordScoring)
    surgeons: Choices | None = None


class Own:
    """The collectors of a run, by the name of their report."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._books: dict[str, OwnBooks] = {}

    def books_of(self, row: Mapping[str, Any]) -> OwnBooks | None:
        """Return the collector that scores a row; None if the row belongs to the common groups."""
        name = row["benchmark"]
        offered: Callable[[Settings], OwnBooks] | None = getattr(unit(name), "books", None)
        if offered is not None:
            mine = self._opened(name, offered)
            if mine.wants(row):
                return mine
        for kind, make in _GENERAL.items():
            mine = self._opened(f"{name}, {kind}", make)
            if mine.wants(row):
                return mine
        return None

    def _opened(self, name: str, make: Callable[[Settings], OwnBooks]) -> OwnBooks:
        if name not in self._books:
            self._books[name] = make(self._settings)
        return self._books[name]

    def reports(self, replicates: int, seed: str) -> dict[str, OwnReport]:
        """Return the reports of all collectors with rows, by name."""
        found = {name: books.report(replicates, seed) for name, books in self._books.items()}
        return {name: found[name] for name in sorted(found) if found[name] is not None}


_GENERAL: Mapping[str, Callable[[Settings], OwnBooks]] = {
    "chains": lambda settings: ChainBooks(),
    "rankings": lambda settings: RankingBooks(),
    "outputs": lambda settings: OutputBooks(settings.manner),
}
"""Kind of rows -> its collector, for rows of any benchmark."""
