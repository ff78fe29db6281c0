"""Which rows a format can hold, decided by the columns of the rows."""

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
    """The rows of a format.

    Attributes:
        words: description of these rows, for people.
        takes: True if a row fits, by its unit, form and types; reads :data:`COLUMNS` and
            ``more``.
        benchmark: benchmark that published the format; None if none did.
        more: further columns that ``takes`` reads.
        leads: True for a row without which the other rows cannot be written; None if none is.
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
        """The rows that fit, with these columns and those of :attr:`reads`."""
        names = list(dict.fromkeys((*columns, *self.reads)))
        return (row for row in folder.rows(None, names) if self.takes(row))
