"""Texts that a benchmark brings, instead of those of the prompt or in addition."""

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
    """The texts of a benchmark's items.

    Attributes:
        columns: columns to read, in addition to :data:`windows.COLUMNS`; none that contains an
            answer.
        texts: the messages of a row; None for a row that uses the prompt's texts.  Frames with such
            texts have no captions.
        protocol: whether a response may also be that the answer cannot be known.
    """

    columns: tuple[str, ...] = ()
    texts: Callable[[Mapping[str, Any]], Texts | None] = _none
    protocol: bool = True


Wordings = Mapping[str, Wording]
"""Wordings by benchmark."""
