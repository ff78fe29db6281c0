"""Texts that a benchmark brings itself, in the place of those of the prompt, or beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Texts:
    """The two messages; an empty ``system`` is not sent."""

    system: str
    user: str


def _none(_row: Mapping[str, Any]) -> Texts | None:
    return None


@dataclass(frozen=True, slots=True)
class Wording:
    """How the items of a benchmark are put.

    Attributes:
        columns: what is read of a row, beside :data:`windows.COLUMNS`; nothing that holds an
            answer.
        texts: of a row; None for one that the prompt's texts are for.  Pictures beside such
            texts have no captions.
        protocol: whether a reply may also be that nothing can be told; else all can be answered.
    """

    columns: tuple[str, ...] = ()
    texts: Callable[[Mapping[str, Any]], Texts | None] = _none
    protocol: bool = True


Wordings = Mapping[str, Wording]
"""By benchmark."""
