"""No search for garbage while many small objects are made that hold none; memory given back."""

from __future__ import annotations

import ctypes
import gc
import sys
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


def give_back() -> None:
    """Give memory that is free to the system, where the allocator can be asked to.

    Else a process keeps as much as its largest piece of work needed, between others' in use.
    """
    if (arrow := sys.modules.get("pyarrow")) is not None:  # which has an allocator of its own
        arrow.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
