"""How often each type of error was marked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from ontology.continuations import BASELINE, ERROR_TYPES, ScoreRow
from transforms.scoring.surgveo.cells import print_fraction


@dataclass(frozen=True, slots=True)
class ErrorShares:
    """The error marks of one track.

    Attributes:
        counts: type -> number of marks.  A rater marks a type of error in a video at most once.
    """

    track: str
    counts: Mapping[str, int]

    @property
    def marks(self) -> int:
        return sum(self.counts.values())

    def share(self, name: str) -> Fraction:
        """Return the share of all marks; 0 if there are none."""
        return Fraction(self.counts[name], self.marks) if self.marks else Fraction(0)

    def printed(self, name: str) -> str:
        """Return percent with one decimal, half to even, as the paper prints 4 of 64 as 6.2."""
        return print_fraction(Fraction(round(self.share(name) * 1000), 10), 1)


def error_shares(rows: Iterable[ScoreRow], prompt: str = BASELINE) -> list[ErrorShares]:
    """Return the marks by track under one prompt; the published chart shows the baseline."""
    marks: dict[str, set[tuple[str, str, str]]] = {}
    for row in rows:
        if row.prompt == prompt:
            mine = marks.setdefault(row.track, set())
            mine.update((row.sample_id, row.rater_id, name) for name in row.error_types)
    out = []
    for track, found in sorted(marks.items()):
        counts = Counter(name for _, _, name in found)
        out.append(ErrorShares(track, {name: counts[name] for name in ERROR_TYPES}))
    return out
