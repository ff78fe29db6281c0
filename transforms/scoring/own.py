"""Measures beside the groups of all rows: of streams, chains, rankings, and published ones.

``scoring/<name>/__init__`` may offer ``books(settings)``: what counts the rows of the benchmark of
that name by its published measures.  Rows of any other benchmark go by what they say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from transforms.scoring.chains import ChainBooks
from transforms.scoring.choices import Choices
from transforms.scoring.outputs.books import Manner, OutputBooks
from transforms.scoring.predictions import PredictionKey
from transforms.scoring.rankings import RankingBooks
from transforms.scoring.scorers import unit

Table = Sequence[Sequence[object]]


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run says of how it scores.

    Attributes:
        manner: how an answer of a stream loses worth, and who rated open answers.
        surgeons: what surgeons chose.
    """

    manner: Manner = field(default_factory=Manner)
    surgeons: Choices | None = None


class OwnReport(Protocol):
    """What such measures leave."""

    def counts(self) -> Mapping[str, int]:
        """Numbers of items and outputs; ``missing`` among them."""

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""

    def item_scores(self) -> Iterator[tuple[str, float]]:
        """(item id, score in [0, 1]) of each item."""

    def titled(self, name: str) -> list[tuple[str, Table]]:
        """(title, rows with the header first) of each table; a title may be empty."""

    def remarks(self, name: str) -> list[str]:
        """What the tables do not show."""


class OwnBooks(Protocol):
    """What counts rows."""

    def wants(self, row: Mapping[str, Any]) -> bool:
        """Whether a row is scored here."""

    def take(self, row: Mapping[str, Any], predictions: Mapping[PredictionKey, str]) -> object:
        """Score a row."""

    def know(self, item_id: str) -> None:
        """Note an item that would be scored here and was not asked."""

    def report(self, replicates: int, seed: str) -> Any:
        """An :class:`OwnReport`; None where no row was scored."""


class Own:
    """The books of all benchmarks, by the name under which their reports are shown."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._books: dict[str, OwnBooks] = {}

    def books_of(self, row: Mapping[str, Any]) -> OwnBooks | None:
        """The books that a row belongs in; None where it goes with all others."""
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
        """The reports by name, of those that have rows."""
        found = {name: books.report(replicates, seed) for name, books in self._books.items()}
        return {name: found[name] for name in sorted(found) if found[name] is not None}


_GENERAL: Mapping[str, Callable[[Settings], OwnBooks]] = {
    "chains": lambda settings: ChainBooks(),
    "rankings": lambda settings: RankingBooks(),
    "outputs": lambda settings: OutputBooks(settings.manner),
}
"""Kinds of rows that have measures of their own in any benchmark."""
