"""Texts that a benchmark brings itself, in the place of those of the prompt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Texts:
    """The two messages; an empty ``system`` is not sent."""

    system: str
    user: str


@dataclass(frozen=True, slots=True)
class Wording:
    """How the items of a benchmark are put; its pictures have no captions.

    Attributes:
        columns: what is read of a row, beside :data:`windows.COLUMNS`; nothing that holds an
            answer.
        texts: of a row; None for one that the prompt's texts are for.
    """

    columns: tuple[str, ...]
    texts: Callable[[Mapping[str, Any]], Texts | None]


Wordings = Mapping[str, Wording]
"""By benchmark."""
