"""One exact timeline that the labels allow (a possible world): facts with known borders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

FIELDS = ("kind", "label", "subject", "track", "verb", "target", "rater", "origin")


@dataclass(frozen=True, slots=True)
class TrueFact:
    """A fact that holds in [s, e) on this timeline: codes, and microseconds on the common axis.

    Attributes:
        rows: numbers of the listed facts of which it consists; empty for an unlisted fact.
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
        """Return the values of some fields."""
        return tuple(getattr(self, name) for name in names)


@dataclass(frozen=True, slots=True)
class Rect:
    """A box in fractions of the frame; a point is a box without area."""

    x1: float
    y1: float
    x2: float
    y2: float

    @property
    def centre(self) -> tuple[float, float]:
        """The box's centre (x, y)."""
        return (self.x1 + self.x2) / 2, (self.y1 + self.y2) / 2


@dataclass(frozen=True)
class World:
    """All facts of one video on this timeline.

    Attributes:
        samples: every annotated box of an instance, as a fact of one microsecond.
        boxes: for each (instance, time), its box.
        instants: the annotated instants.
    """

    video: int
    facts: tuple[TrueFact, ...]
    samples: tuple[TrueFact, ...] = ()
    boxes: Mapping[tuple[int, int], Rect] = field(default_factory=dict)
    instants: tuple[int, ...] = ()

    @cached_property
    def by_kind(self) -> Mapping[int, tuple[TrueFact, ...]]:
        """The facts of each kind."""
        out: dict[int, list[TrueFact]] = {}
        for one in self.facts:
            out.setdefault(one.kind, []).append(one)
        return {kind: tuple(facts) for kind, facts in out.items()}
