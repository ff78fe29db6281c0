"""Report the progress of a run in regular intervals, from a thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def watching(report: Callable[[], None], every_s: float = 2.0) -> Iterator[None]:
    """Call a function every few seconds while the block runs, and once after it."""
    stop = threading.Event()

    def look() -> None:
        while not stop.wait(every_s):
            report()

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        report()
