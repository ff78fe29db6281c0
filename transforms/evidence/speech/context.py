"""Knowledge about the operation from other sources than speech."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

Span = tuple[int, int, str]
"""Start and end in microseconds, end exclusive, and a concept id."""


@dataclass(frozen=True, slots=True)
class WordContext:
    """Knowledge that decides between possible meanings of a word.

    Attributes:
        procedure: name of the operation, such as ``laparoscopic cholecystectomy``, or None.
        phases: times of the annotated phases; may be empty.
        active: times at which each instrument is visible.
    """

    procedure: str | None = None
    phases: tuple[Span, ...] = ()
    active: tuple[Span, ...] = ()

    def meant(self, procedures: Iterable[str]) -> bool:
        """Return whether a term of these procedures can occur; in an unknown procedure any can."""
        wanted = tuple(procedures)
        if not wanted or self.procedure is None:
            return True
        return any(part in self.procedure.lower() for part in wanted)

    def surely(self, procedures: Iterable[str]) -> bool:
        """True if the procedure is known to be one of these."""
        return self.procedure is not None and self.meant(procedures)

    def phase(self, start_us: int, end_us: int) -> str | None:
        """Return the phase that overlaps most with an interval; if two do equally, the earlier."""
        shared = [
            (max(start, start_us) - min(end, end_us), start, label)
            for start, end, label in self.phases
            if start < end_us and start_us < end
        ]
        return min(shared)[2] if shared else None

    def instruments(self, start_us: int, end_us: int) -> frozenset[str]:
        """Instruments that are visible at some time of an interval."""
        return frozenset(
            label for start, end, label in self.active if start < end_us and start_us < end
        )
