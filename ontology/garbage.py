"""Pause garbage collection while many small objects are made; give free memory to the system."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """Switch garbage collection off for one batch of rows or videos, whose memory is bounded.

    The objects created in it contain no reference cycles, so they are freed without the collector.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def give_back() -> None:
    """Return free memory to the operating system, if the allocator can.

    Without this, a process keeps as much memory as its largest batch needed.
    """
    if (arrow := sys.modules.get("pyarrow")) is not None:  # pyarrow has its own allocator
        arrow.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
