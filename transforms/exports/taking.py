"""Which rows a format takes, by what the rows say of themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ontology.units import COLUMNS as UNIT
from transforms.store import OutputFolder

Row = Mapping[str, Any]

COLUMNS = ("benchmark", *UNIT, "form", "rule", "rule_args")


@dataclass(frozen=True, slots=True)
class Taking:
    """The rows of a format.

    Attributes:
        words: what is taken, for people.
        takes: whether a row fits, by its unit, form and types; reads :data:`COLUMNS` and
            ``more``.
        benchmark: whose published form it is; None: of none.
        more: further columns that ``takes`` reads.
        leads: a row without which the others have no place; None: none is needed.
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
