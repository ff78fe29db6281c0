"""Spreading one function over the cores of this machine, inside a Beam step.

The runner that works in this process is single-threaded for Python code, and its own
worker processes never notice when one of them dies.  Here a step hands its elements to
a pool of fresh processes and gives the results back at the end of the bundle, in the
order of the elements; a dead worker is an error within seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

import apache_beam as beam
from apache_beam.transforms.window import GlobalWindow
from apache_beam.utils.timestamp import MIN_TIMESTAMP
from apache_beam.utils.windowed_value import WindowedValue

from transforms.steps.workers import submit, told_if_dead


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
        self.pending: list[Future] = []

    def start_bundle(self) -> None:
        self.pending = []

    def process(self, element: Any) -> Iterator[Any]:
        if self.workers == 1:
            yield self.function(element, *self.arguments)
        else:
            self.pending.append(submit(self.workers, self.function, element, *self.arguments))

    def finish_bundle(self) -> Iterator[WindowedValue]:
        for future in self.pending:
            with told_if_dead():
                value = future.result()
            yield WindowedValue(value, MIN_TIMESTAMP, [GlobalWindow()])
        self.pending = []
