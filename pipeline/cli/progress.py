"""Progress of a run: a live bar on a terminal, a line every thirty seconds in a log."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from surgqa.pipeline.cli.console import is_live, talk

EVERY_SECONDS = 30.0


class Progress:
    """Called with (stage, done, total) during a run; total is 0 if it is unknown.

    Use it as a context manager; leaving the context removes the bar.

    Args:
        live: redraw one bar; by default if standard error is a terminal.
        clock: seconds from any start, for the rate.
    """

    def __init__(
        self, live: bool | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._live = (is_live() if live is None else live) and not talk.quiet
        self._clock = clock
        self._start = clock()
        self._next: dict[str, float] = {}
        self._finished: set[str] = set()
        self._bar: Any = None
        self._tasks: dict[str, Any] = {}

    def __enter__(self) -> Progress:
        if self._live:
            from rich.console import Console
            from rich.progress import Progress as Bar

            self._bar = Bar(
                *Bar.get_default_columns(), console=Console(stderr=True), transient=True
            )
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show that ``done`` of ``total`` units of a stage are finished."""
        if self._bar is not None:
            if stage not in self._tasks:
                self._tasks[stage] = self._bar.add_task(stage, total=total or None)
            self._bar.update(self._tasks[stage], completed=done, total=total or None)
            return
        now = self._clock()
        finished = bool(total) and done >= total
        due = now >= self._next.get(stage, self._start + EVERY_SECONDS)
        if stage in self._finished or not (due or finished):
            return
        self._next[stage] = now + EVERY_SECONDS
        if finished:
            self._finished.add(stage)
        talk.say(self._line(stage, done, total, now))

    def _line(self, stage: str, done: int, total: int, now: float) -> str:
        seconds = now - self._start
        rate = f", {done / seconds:.1f} a second" if seconds >= 1 and done else ""
        of = f" of {total}" if total else ""
        return f"{stage}: {done}{of} after {seconds:.0f} s{rate}"
