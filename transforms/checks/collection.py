"""No search for garbage while many small objects are made that hold none."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """Garbage collection off for one batch of rows, whose memory is bounded by their number.

    Rows and what is read of them refer to nothing in a circle: they go when they are let go.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
