"""The worker processes of this machine, shared by all steps of a run."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.process import BaseProcess

_pools: dict[int, ProcessPoolExecutor] = {}


def shared_pool(workers: int) -> ProcessPoolExecutor:
    """The pool of this process with so many workers, started when first asked for.

    Workers are fresh processes, not forks: the runner has threads of its own.
    """
    if workers not in _pools:
        context = multiprocessing.get_context("spawn")
        _pools[workers] = ProcessPoolExecutor(
            workers, mp_context=context, initializer=follow_parent
        )
    return _pools[workers]


def follow_parent() -> None:
    """Leave Ctrl-C to the process that started the run, and end when it ends.

    Even when it is killed: a worker would wait for work for ever, since it holds both
    ends of the queue it reads from.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def warm_up(workers: int) -> None:
    """Start the workers and let them import what they will need, without waiting."""
    if workers > 1:
        with no_interrupts():
            for _ in range(workers):
                shared_pool(workers).submit(import_kernels)


@contextmanager
def no_interrupts() -> Iterator[None]:
    """Ctrl-C waits, and processes started meanwhile never see it, not even while they start."""
    # Started with the first worker otherwise, which lets Ctrl-C through again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def import_kernels() -> None:
    """Import the modules of the work that is handed to workers."""
    import transforms.steps.video
    import transforms.steps.write  # noqa: F401


def close_pools(now: bool = False) -> None:
    """End all workers; work that waits is dropped, and with ``now`` what they do as well."""
    for workers in list(_pools):
        pool = _pools.pop(workers)
        if now:
            for process in list((pool._processes or {}).values()):
                process.kill()
        pool.shutdown(wait=True, cancel_futures=True)
