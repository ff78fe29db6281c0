"""Compute the next items in a thread while one is used: decode frames while models run."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")
WAIT_S = 0.05
"""Seconds between checks whether the consumer still wants items."""


def ahead(items: Iterator[T], most: int = 1) -> Iterator[T]:
    """Yield the same items; a thread computes the next ones while one is used.

    Args:
        most: maximum number of finished items that wait, besides one in work and one in use.

    Raises:
        BaseException: the error that computing an item raised, at the position of that item.
    """
    made: queue.Queue[tuple[T | None, BaseException | None]] = queue.Queue(most)
    stop = threading.Event()

    def hand_on(item: T | None, error: BaseException | None) -> None:
        while not stop.is_set():
            with suppress(queue.Full):
                made.put((item, error), timeout=WAIT_S)
                return

    def make() -> None:
        try:
            for item in items:
                hand_on(item, None)
                if stop.is_set():
                    return
            hand_on(None, StopIteration())
        except BaseException as error:  # noqa: BLE001 - it is raised where the item is used
            hand_on(None, error)

    thread = threading.Thread(target=make, daemon=True)
    thread.start()
    try:
        while True:
            item, error = made.get()
            if isinstance(error, StopIteration):
                return
            if error is not None:
                raise error
            yield item  # type: ignore[misc]
    finally:
        stop.set()
        thread.join()
