"""Where the processor's time goes: each moment counts for what is under way innermost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time

Place = tuple[str, str]
"""A template, or '' where the work is for all, and an operator or a step."""


class Clock:
    """Processor seconds of this process by place, from its making on.

    Attributes:
        seconds: place -> seconds, without those of the places inside.
    """

    def __init__(self) -> None:
        self.seconds: defaultdict[Place, float] = defaultdict(float)
        self._under: list[Place] = [("", "other")]
        self._since = process_time()

    @contextmanager
    def within(self, step: str, template: str | None = None) -> Iterator[None]:
        """What is done inside counts for a step, of the template under way if none is named."""
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
        """(template, step, seconds) of every place, and begin anew."""
        self._mark()
        found = [(*place, seconds) for place, seconds in sorted(self.seconds.items())]
        self.seconds.clear()
        return found


class _Now:
    """The clock of this process, if one runs."""

    clock: Clock | None = None


def start(wanted: bool) -> None:
    """Count from here on, or count no more."""
    _Now.clock = Clock() if wanted else None


def running() -> Clock | None:
    """The clock that counts."""
    return _Now.clock


@contextmanager
def within(step: str, template: str | None = None) -> Iterator[None]:
    """As :meth:`Clock.within`, where a clock runs."""
    if _Now.clock is None:
        yield
        return
    with _Now.clock.within(step, template):
        yield


def told() -> list[tuple[str, str, float]]:
    """As :meth:`Clock.told`; nothing where none runs."""
    return _Now.clock.told() if _Now.clock is not None else []
