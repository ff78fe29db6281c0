"""The worker processes of this machine; all steps of a run share them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.process import BaseProcess
from typing import Any

from surgqa.ontology.absent import pyarrow_without_pandas
from surgqa.ontology.errors import OutOfMemory
from surgqa.ontology.garbage import give_back
from surgqa.transforms.places import configure

_pools: dict[int, ProcessPoolExecutor] = {}
_options: tuple[str, ...] = ()


def shared_pool(workers: int) -> ProcessPoolExecutor:
    """Return this process's pool with the given number of workers; the first call starts it.

    Workers are new processes, not forks, because the runner has threads.
    """
    if workers not in _pools:
        _keep_tracker()
        context = multiprocessing.get_context("spawn")
        _pools[workers] = ProcessPoolExecutor(
            workers, mp_context=context, initializer=follow_parent, initargs=(_options,)
        )
    return _pools[workers]


def follow_parent(options: Sequence[str]) -> None:
    """Prepare a worker: set storage options, ignore Ctrl-C, and end when the run's process ends.

    The worker ends even if that process is killed. Otherwise it would wait for work forever,
    because it holds both ends of the queue that it reads.
    """
    configure(options)
    pyarrow_without_pandas()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def warm_up(
    workers: int, options: Sequence[str] = (), imports: Callable[[], None] | None = None
) -> None:
    """Start the workers and let them import modules, without waiting for them.

    Args:
        options: the engine's options, which may configure remote storage.
        imports: an importable function that imports what they need; None: what a build needs.
    """
    global _options
    _options = tuple(options)
    configure(_options)
    if workers > 1:
        with no_interrupts():
            for _ in range(workers):
                shared_pool(workers).submit(imports or import_kernels)


@contextmanager
def no_interrupts() -> Iterator[None]:
    """Delay Ctrl-C; processes started in the block never receive it, not even while they start."""
    # Otherwise the tracker would start with the first worker and no longer block Ctrl-C.
    _keep_tracker()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _keep_tracker() -> None:
    """Keep Python's resource tracker, which frees semaphores, running; restart it if it was killed.

    The tracker's output is discarded. It would report the semaphores of killed processes, which it
    frees, and print tracebacks about semaphores that it does not know.
    """
    with _no_stderr(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        resource_tracker.ensure_running()


@contextmanager
def _no_stderr() -> Iterator[None]:
    """Start processes in the block without standard error, which they would inherit."""
    try:
        kept = os.dup(2)
    except OSError:  # this process has none either
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def import_kernels() -> None:
    """Import the modules that workers of a build need."""
    import surgqa.transforms.steps.pieces
    import surgqa.transforms.steps.write  # noqa: F401


def trimmed(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return ``function(*arguments)``, and free memory to the operating system.

    A process that waits for its next task needs no more memory than at its start.
    """
    try:
        return function(*arguments)
    finally:
        give_back()


_begun: dict[tuple[str, Any], Future] = {}
_asked: set[tuple[str, Any]] = set()
"""Work that was started before a step asks for it; the step then gets its result."""
_turn = threading.RLock()


def begin(
    workers: int,
    function: Callable,
    elements: Iterable[Any],
    *arguments: Any,
    then: Callable | None = None,
) -> None:
    """Start the work of the first step before the Beam graph exists.

    Importing Beam and building a graph takes as long as dozens of videos.

    Args:
        then: function that the next step applies to each element that ``function`` returns.
    """

    with dead_worker_as_error():
        for element in elements:
            future = _begin(workers, function, element, *arguments)
            if future and then:
                future.add_done_callback(partial(_go_on, workers, then, arguments))


def _begin(workers: int, function: Callable, element: Any, *arguments: Any) -> Future | None:
    key = (function.__qualname__, element)
    with _turn:
        if key in _asked or workers not in _pools:
            return None
        _begun[key] = _pools[workers].submit(trimmed, function, element, *arguments)
        return _begun[key]


def _go_on(workers: int, function: Callable, arguments: tuple[Any, ...], done: Future) -> None:
    """Start the work that follows on finished work; if that failed, its step raises the error."""
    with suppress(Exception, CancelledError):
        for element in done.result():
            _begin(workers, function, element, *arguments)


def submit(workers: int, function: Callable, element: Any, *arguments: Any) -> Future:
    """Return the future for one element: the work already started, or submitted now."""
    key = (function.__qualname__, element)
    with dead_worker_as_error(), _turn:
        _asked.add(key)
        known = _begun.pop(key, None)
        return known or shared_pool(workers).submit(trimmed, function, element, *arguments)


@contextmanager
def dead_worker_as_error() -> Iterator[None]:
    """Raise a UserError if a worker dies, when work is submitted or while it is awaited."""
    try:
        yield
    except BrokenProcessPool:
        close_pools()
        died = OutOfMemory(
            "a worker process died",
            found="the operating system ended it (often: out of memory)",
            fix="run again with fewer --workers",
        )
        # An error with this mark is neither logged nor wrapped by Beam.
        died._tagged_with_step = True  # type: ignore[attr-defined]
        raise died from None


def close_pools(now: bool = False) -> None:
    """End all workers; waiting work is dropped, and with ``now`` running work too."""
    with _turn:
        _begun.clear()
        _asked.clear()
    if _pools:
        _keep_tracker()
    for workers in list(_pools):
        pool = _pools.pop(workers)
        if now:
            for process in list((pool._processes or {}).values()):
                process.kill()
        pool.shutdown(wait=True, cancel_futures=True)
