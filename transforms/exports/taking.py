"""Selects the rows that a format can represent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from surgqa.ontology.units import COLUMNS as UNIT
from surgqa.transforms.store import OutputFolder

Row = Mapping[str, Any]

COLUMNS = ("benchmark", *UNIT, "form", "rule", "rule_args")


@dataclass(frozen=True, slots=True)
class Taking:
    """Selects the rows that a format can represent.

    Attributes:
        words: description of these rows, for messages.
        takes: function that returns whether the format can represent a row. It reads the columns
            :data:`COLUMNS` and ``more``.
        benchmark: benchmark that published the format, or None.
        more: further columns that ``takes`` reads.
        leads: function that returns whether a row is a leading row. The format needs at least one
            such row. None if the format needs no leading row.
        selected: benchmarks to which the user limits the rows; empty for all.
    """

    words: str
    takes: Callable[[Row], bool]
    benchmark: str | None = None
    more: tuple[str, ...] = ()
    leads: Callable[[Row], bool] | None = None
    selected: frozenset[str] = frozenset()

    @property
    def reads(self) -> tuple[str, ...]:
        """All columns that ``takes`` and ``leads`` read."""
        return (*COLUMNS, *self.more)

    def rows(self, folder: OutputFolder, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Yield the rows that the format can represent, with these columns and :attr:`reads`."""
        names = list(dict.fromkeys((*columns, *self.reads)))
        return (row for row in self.among(folder.rows(None, names)) if self.takes(row))

    def misfits(self, folder: OutputFolder) -> Iterator[str]:
        """Yield the ids of the selected rows that the format cannot represent."""
        rows = self.among(folder.rows(None, list(dict.fromkeys(("item_id", *self.reads)))))
        return (row["item_id"] for row in rows if not self.takes(row))

    def among(self, rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Yield the rows of the selected benchmarks."""
        return (row for row in rows if not self.selected or row["benchmark"] in self.selected)
