"""What all reports of scores share: statuses of responses, means, table cells, data for JSON."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar

from surgqa.transforms.scoring.predictions import PredictionKey

SCORED, UNPARSED, MISSING = "scored", "unparsed", "missing"
"""Statuses of a response: read, unreadable (score 0), or not there (score 0)."""

Table = list[list[object]]
Interval = tuple[float, float] | None


def status_of(response: str | None, read: object) -> str:
    """Return the status of a response, given its text and the value that was read from it."""
    return MISSING if response is None else SCORED if read else UNPARSED


def counted(statuses: Iterable[str]) -> dict[str, int]:
    """Return how often each status occurs."""
    counts = Counter(statuses)
    return {name: counts[name] for name in (SCORED, UNPARSED, MISSING)}


def remarks_on(name: str, counts: Mapping[str, int], said: Mapping[str, str]) -> list[str]:
    """Return the remark ``NAME: COUNT TEXT`` for each text in ``said`` whose count is not 0."""
    return [f"{name}: {counts[key]} {text}" for key, text in said.items() if counts[key]]


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are not None; None if there is none."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def percent(value: float | None) -> str:
    """Return a share in percent with two decimals; ``-`` for None."""
    return "-" if value is None else f"{100 * value:.2f}"


def span(ends: Interval) -> str:
    """Return an interval in percent; ``-`` for None."""
    return f"{percent(ends[0])} to {percent(ends[1])}" if ends else "-"


def six(value: float) -> float:
    """Return a number rounded to six decimals."""
    return round(value, 6)


def plain(value: Any, rounded: Callable[[float], float] = six) -> Any:
    """Return records, mappings and tuples as plain data for JSON, with rounded numbers."""
    if isinstance(value, float):
        return rounded(value)
    if isinstance(value, (tuple, list)):
        return [plain(part, rounded) for part in value]
    if is_dataclass(value):
        value = {one.name: getattr(value, one.name) for one in fields(value)}
    if isinstance(value, Mapping):
        return {name: plain(part, rounded) for name, part in value.items()}
    return value


class OwnReport(ABC):
    """The interface of a report about rows with measures of their own."""

    __slots__ = ()
    REMARKS: ClassVar[Mapping[str, str]] = {}
    """Key of a count -> the text of the remark that is made if the count is not 0."""

    @abstractmethod
    def counts(self) -> Mapping[str, int]:
        """Return the numbers of items and outputs; one of the keys is ``missing``."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the whole report as a dictionary for JSON."""

    @abstractmethod
    def item_scores(self) -> Iterator[tuple[str, float]]:
        """Yield the id and the score in [0, 1] of each item."""

    @abstractmethod
    def titled(self, name: str) -> list[tuple[str, Table]]:
        """Return the tables to print, each with its title, which may be empty.

        Args:
            name: the report's name, such as that of the benchmark.
        """

    def remarks(self, name: str) -> list[str]:
        """Return one line about each problem that the tables do not show.

        Args:
            name: the report's name, with which each line begins.
        """
        return remarks_on(name, self.counts(), self.REMARKS)


class OwnBooks(ABC):
    """The interface of a collector of rows with measures of their own."""

    @abstractmethod
    def wants(self, row: Mapping[str, Any]) -> bool:
        """Return whether this collector scores a row."""

    @abstractmethod
    def take(self, row: Mapping[str, Any], predictions: Mapping[PredictionKey, str]) -> None:
        """Score the predictions for a row; a missing or unreadable prediction scores 0.

        Raises:
            OutputBroken: the row itself cannot be scored.
        """

    def know(self, item_id: str) -> None:  # noqa: B027 - most kinds of rows need no such note
        """Store the id of an item that would be scored here but was not asked."""

    @abstractmethod
    def report(self, replicates: int, seed: str) -> Any:
        """Return an :class:`OwnReport`, the same for any order of the rows; None without rows."""
