"""No search for garbage while many small objects are made that hold none."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """Garbage collection off for one batch of rows or videos, whose memory is bounded.

    What is made of them refers to nothing in a circle: it goes when it is let go.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
