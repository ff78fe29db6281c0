"""One world: true facts with true borders."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

FIELDS = ("kind", "label", "subject", "track", "verb", "target", "rater", "origin")


@dataclass(frozen=True, slots=True)
class TrueFact:
    """Something that holds in [s, e) of this world; codes and microseconds of the common axis.

    Attributes:
        rows: the proofs of the facts that it is made of; empty for one that nobody listed.
    """

    kind: int
    label: int
    subject: int
    track: int
    verb: int
    target: int
    rater: int
    origin: int
    s: int
    e: int
    value: float = np.nan
    rows: frozenset[int] = frozenset()

    def key(self, names: tuple[str, ...]) -> tuple[int, ...]:
        """Its values of some fields."""
        return tuple(getattr(self, name) for name in names)


@dataclass(frozen=True, slots=True)
class World:
    """All true facts of one recording."""

    video: int
    facts: tuple[TrueFact, ...]
    of_row: dict[int, TrueFact] = field(default_factory=dict)
