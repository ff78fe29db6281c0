"""Measure CPU time by template and step; each moment counts for the innermost active place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time

Place = tuple[str, str]
"""A template, or '' for work that all share, and an operator or a step."""


class Clock:
    """CPU seconds of this process by place, since it was created.

    Attributes:
        seconds: place -> seconds, without those of inner places.
    """

    def __init__(self) -> None:
        self.seconds: defaultdict[Place, float] = defaultdict(float)
        self._under: list[Place] = [("", "other")]
        self._since = process_time()

    @contextmanager
    def within(self, step: str, template: str | None = None) -> Iterator[None]:
        """Count the block for a step, of the active template if none is given."""
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

    def told(self) -> list[tuple[str, str, float]]:
        """(template, step, seconds) of every place; the clock is reset."""
        self._mark()
        found = [(*place, seconds) for place, seconds in sorted(self.seconds.items())]
        self.seconds.clear()
        return found


class _Now:
    """The clock of this process, if it has one."""

    clock: Clock | None = None


def start(wanted: bool) -> None:
    """Start counting, or stop."""
    _Now.clock = Clock() if wanted else None


def running() -> Clock | None:
    """The active clock."""
    return _Now.clock


@contextmanager
def within(step: str, template: str | None = None) -> Iterator[None]:
    """Same as :meth:`Clock.within`, if a clock is active."""
    if _Now.clock is None:
        yield
        return
    with _Now.clock.within(step, template):
        yield


def told() -> list[tuple[str, str, float]]:
    """Same as :meth:`Clock.told`; empty without a clock."""
    return _Now.clock.told() if _Now.clock is not None else []
