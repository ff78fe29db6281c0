"""What is known of the operation beside what is said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

Span = tuple[int, int, str]
"""Start and end in microseconds, half-open, and a concept id."""


@dataclass(frozen=True, slots=True)
class Context:
    """Knowledge that tells apart what a word may mean.

    Attributes:
        procedure: name of the operation, such as ``laparoscopic cholecystectomy``, or None.
        phases: which phase is when, from annotation or None of it.
        active: which instrument is in view when.
    """

    procedure: str | None = None
    phases: tuple[Span, ...] = ()
    active: tuple[Span, ...] = ()

    def meant(self, procedures: Iterable[str]) -> bool:
        """Whether terms of these procedures may be meant; in an unknown one, all may."""
        wanted = tuple(procedures)
        if not wanted or self.procedure is None:
            return True
        return any(part in self.procedure.lower() for part in wanted)

    def surely(self, procedures: Iterable[str]) -> bool:
        """Whether the procedure is known to be one of these."""
        return self.procedure is not None and self.meant(procedures)

    def phase(self, start_us: int, end_us: int) -> str | None:
        """The phase that shares most time with the stretch; the earlier of equal ones."""
        shared = [
            (max(start, start_us) - min(end, end_us), start, label)
            for start, end, label in self.phases
            if start < end_us and start_us < end
        ]
        return min(shared)[2] if shared else None

    def instruments(self, start_us: int, end_us: int) -> frozenset[str]:
        """Instruments that are in view at some time of the stretch."""
        return frozenset(
            label for start, end, label in self.active if start < end_us and start_us < end
        )
