"""Spreading one function over the cores of this machine, inside a Beam step.

The runner that works in this process is single-threaded for Python code, and its own
worker processes never notice when one of them dies.  Here a step hands its elements to
a pool of fresh processes and gives the results back at the end of the bundle, in the
order of the elements; a dead worker is an error within seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

import apache_beam as beam
from apache_beam.transforms.window import GlobalWindow
from apache_beam.utils.timestamp import MIN_TIMESTAMP
from apache_beam.utils.windowed_value import WindowedValue

from ontology.errors import EXIT_MISSING, UserError
from transforms.steps.workers import close_pools, shared_pool


class Spread(beam.DoFn):
    """Apply ``function(element, *arguments)`` to every element.

    Args:
        function: importable by name; what it returns is one output.
        workers: 1 works in this process; more starts that many.
    """

    def __init__(self, function: Callable[..., Any], workers: int, *arguments: Any) -> None:
        self.function = function
        self.workers = workers
        self.arguments = arguments
        self.pool: ProcessPoolExecutor | None = None
        self.pending: list[Future] = []

    def setup(self) -> None:
        if self.workers > 1:
            self.pool = shared_pool(self.workers)

    def start_bundle(self) -> None:
        self.pending = []

    def process(self, element: Any) -> Iterator[Any]:
        if self.pool is None:
            yield self.function(element, *self.arguments)
            return
        with _told_if_dead():
            self.pending.append(self.pool.submit(self.function, element, *self.arguments))

    def finish_bundle(self) -> Iterator[WindowedValue]:
        for future in self.pending:
            with _told_if_dead():
                value = future.result()
            yield WindowedValue(value, MIN_TIMESTAMP, [GlobalWindow()])
        self.pending = []

    def teardown(self) -> None:
        self.pool = None


@contextmanager
def _told_if_dead() -> Iterator[None]:
    """A worker that died, found when giving it work or waiting for it, in a user's words."""
    try:
        yield
    except BrokenProcessPool:
        close_pools()
        died = UserError(
            "a worker process died",
            found="the operating system ended it (often: out of memory)",
            fix="run again with fewer --workers",
            exit_code=EXIT_MISSING,
        )
        # Beam's mark of an error that names its step: left alone, neither logged nor rebuilt.
        died._tagged_with_step = True  # type: ignore[attr-defined]
        raise died from None
