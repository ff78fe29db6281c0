"""Measure CPU time by template and step; a step within another one counts only for itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from time import process_time

Place = tuple[str, str]
"""(template, step): the template is '' for shared work; the step may be an operator's name."""


class CpuClock:
    """CPU seconds of this process by template and step, since the clock was created.

    Attributes:
        seconds: for each (template, step), the CPU seconds, without those of steps within it.
    """

    def __init__(self) -> None:
        self.seconds: defaultdict[Place, float] = defaultdict(float)
        self._under: list[Place] = [("", "other")]
        self._since = process_time()

    @contextmanager
    def within(self, step: str, template: str | None = None) -> Iterator[None]:
        """Count the time in this block for a step of a template (None: of the active one)."""
        self._mark()
        self._under.append((self._under[-1][0] if template is None else template, step))
        try:
            yield
        finally:
            self._mark()
            self._under.pop()

    def _mark(self) -> None:
        now = process_time()
        self.seconds[self._under[-1]] += now - self._since
        self._since = now

    def take_seconds(self) -> list[tuple[str, str, float]]:
        """Return (template, step, seconds) of all steps, and set all seconds to zero."""
        self._mark()
        found = [(*place, seconds) for place, seconds in sorted(self.seconds.items())]
        self.seconds.clear()
        return found


class _Now:
    """The clock of this process, or None."""

    clock: CpuClock | None = None


def start(wanted: bool) -> None:
    """Start counting if ``wanted``; otherwise stop."""
    _Now.clock = CpuClock() if wanted else None


def running() -> CpuClock | None:
    """Return the clock of this process, or None if nothing is counted."""
    return _Now.clock


def within(step: str, template: str | None = None) -> AbstractContextManager[None]:
    """Return :meth:`CpuClock.within` of the clock; without a clock, a block that counts nothing."""
    return _Now.clock.within(step, template) if _Now.clock else nullcontext()


def take_seconds() -> list[tuple[str, str, float]]:
    """Return the result of :meth:`CpuClock.take_seconds`; an empty list without a clock."""
    return _Now.clock.take_seconds() if _Now.clock is not None else []
