"""Work that goes on while its results are used: decoding while models look."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")
WAIT_S = 0.05
"""How often the thread looks whether anybody still wants what it makes, seconds."""


def ahead(items: Iterator[T], most: int = 1) -> Iterator[T]:
    """The same items, of which the next are made by a thread while one is used.

    Args:
        most: finished items that wait at most; beside them one is made and one is used.

    Raises:
        BaseException: what making an item raised, in its place.
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
