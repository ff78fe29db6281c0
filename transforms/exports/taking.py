"""Select the rows that a format can represent, by the columns of the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
        words: description of the selected rows, for people.
        takes: function that returns True if the format can represent a row, by the row's unit, form
            and types. The function reads the columns :data:`COLUMNS` and ``more``.
        benchmark: benchmark that published the format; None if none did.
        more: further columns that ``takes`` reads.
        leads: function that returns True for a row without which no row can be written; None if
            there are no such rows.
    """

    words: str
    takes: Callable[[Row], bool]
    benchmark: str | None = None
    more: tuple[str, ...] = ()
    leads: Callable[[Row], bool] | None = None

    @property
    def reads(self) -> tuple[str, ...]:
        """All columns that ``takes`` reads."""
        return (*COLUMNS, *self.more)

    def rows(self, folder: OutputFolder, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Yield the suitable rows, with the given columns and those of :attr:`reads`."""
        names = list(dict.fromkeys((*columns, *self.reads)))
        return (row for row in folder.rows(None, names) if self.takes(row))
