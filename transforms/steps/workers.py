"""The worker processes of this machine, shared by all steps of a run."""

from __future__ import annotations

import multiprocessing
import signal
from concurrent.futures import ProcessPoolExecutor

_pools: dict[int, ProcessPoolExecutor] = {}


def shared_pool(workers: int) -> ProcessPoolExecutor:
    """The pool of this process with so many workers, started when first asked for.

    Workers are fresh processes, not forks: the runner has threads of its own.
    """
    if workers not in _pools:
        context = multiprocessing.get_context("spawn")
        _pools[workers] = ProcessPoolExecutor(
            workers, mp_context=context, initializer=leave_interrupts
        )
    return _pools[workers]


def leave_interrupts() -> None:
    """Ctrl-C is for the process that started the run; it ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def warm_up(workers: int) -> None:
    """Start the workers and let them import what they will need, without waiting."""
    if workers > 1:
        for _ in range(workers):
            shared_pool(workers).submit(import_kernels)


def import_kernels() -> None:
    """Import the modules of the work that is handed to workers."""
    import transforms.steps.video
    import transforms.steps.write  # noqa: F401


def close_pools() -> None:
    """End all workers; work that waits is dropped."""
    for workers in list(_pools):
        _pools.pop(workers).shutdown(wait=True, cancel_futures=True)
