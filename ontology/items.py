"""The data classes of an item: one question with its answer, options and proof."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from surgqa.ontology.records import Window


@dataclass(frozen=True, slots=True)
class Option:
    """An answer option. ``value`` is its typed meaning, and ``kind`` the pool of a distractor."""

    key: str
    text: str
    is_answer: bool
    kind: str
    value: Any = None


@dataclass(frozen=True, slots=True)
class Check:
    """A limit that the item satisfied: its name, the measured value and the limit as text."""

    name: str
    measured: float
    limit: str


@dataclass(frozen=True, slots=True)
class Pointer:
    """Rows of ``evidence/`` that prove an answer: ``kind`` is the table (``window``: all rows in
    the window), ``id`` the id of a row or of a track.
    """

    kind: str
    id: str
    start_us: int
    end_us: int


@dataclass(frozen=True, slots=True)
class Item:
    """One question with its answer and proof; the fields of a row of ``data/``."""

    item_id: str
    template_id: str
    window: Window
    question: str
    answer: str
    options: tuple[Option, ...]
    answer_value: Mapping[str, Any]
    slots: Mapping[str, Any]
    evidence: tuple[Pointer, ...]
    checks: tuple[Check, ...]
    reasoning: tuple[str, ...] = ()
    knowledge: str | None = None
    clue: str | None = None
    context: str | None = None
    chain_id: str | None = None
    stage: int | None = None
    block: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
