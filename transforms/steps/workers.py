"""The worker processes of this machine, shared by all steps of a run."""

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

from ontology.absent import pyarrow_without_pandas
from ontology.errors import EXIT_MISSING, UserError
from transforms.places import configure

_pools: dict[int, ProcessPoolExecutor] = {}
_options: tuple[str, ...] = ()


def shared_pool(workers: int) -> ProcessPoolExecutor:
    """The pool of this process with so many workers, started when first asked for.

    Workers are fresh processes, not forks: the runner has threads of its own.
    """
    if workers not in _pools:
        _keep_tracker()
        context = multiprocessing.get_context("spawn")
        _pools[workers] = ProcessPoolExecutor(
            workers, mp_context=context, initializer=follow_parent, initargs=(_options,)
        )
    return _pools[workers]


def follow_parent(options: Sequence[str]) -> None:
    """Know the run's options for remote storage, leave Ctrl-C to the process that started the
    run, and end when it ends.

    Even when it is killed: a worker would wait for work for ever, since it holds both
    ends of the queue it reads from.
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
    """Start the workers and let them import what they will need, without waiting.

    Args:
        imports: a function of a module that imports it; what building needs if None.
        options: the engine's, which may say how remote storage is reached.
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
    """Ctrl-C waits, and processes started meanwhile never see it, not even while they start."""
    # Started with the first worker otherwise, which lets Ctrl-C through again.
    _keep_tracker()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _keep_tracker() -> None:
    """Have Python's process that frees semaphores run, and again if it was killed.

    It gets nowhere to print to.  Else it reports semaphores of processes that were killed,
    which it then frees, and ends in tracebacks over those that it does not know.
    """
    with _no_stderr(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        resource_tracker.ensure_running()


@contextmanager
def _no_stderr() -> Iterator[None]:
    """Processes started meanwhile have no standard error, which they inherit by its number."""
    try:
        kept = os.dup(2)
    except OSError:  # this process has none itself
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
    """Import the modules of the work that is handed to workers."""
    import transforms.steps.pieces
    import transforms.steps.write  # noqa: F401


_begun: dict[tuple[str, Any], Future] = {}
_asked: set[tuple[str, Any]] = set()
"""What a step has asked for: not begun once more when what comes before it is told done."""
_turn = threading.RLock()


def begin(
    workers: int,
    function: Callable,
    elements: Iterable[Any],
    *arguments: Any,
    then: Callable | None = None,
) -> None:
    """Give the workers what a step will ask of them, before the graph is there to ask.

    Importing Beam and laying out a graph takes as long as dozens of videos.

    Args:
        then: what the next step does with each of the elements that ``function`` gives.
    """

    with told_if_dead():
        for element in elements:
            future = _begin(workers, function, element, *arguments)
            if future and then:
                future.add_done_callback(partial(_go_on, workers, then, arguments))


def _begin(workers: int, function: Callable, element: Any, *arguments: Any) -> Future | None:
    key = (function.__qualname__, element)
    with _turn:
        if key in _asked or workers not in _pools:
            return None
        _begun[key] = _pools[workers].submit(function, element, *arguments)
        return _begun[key]


def _go_on(workers: int, function: Callable, arguments: tuple[Any, ...], done: Future) -> None:
    """Begin what follows; whatever goes wrong is told to the step that waits for the first."""
    with suppress(Exception, CancelledError):
        for element in done.result():
            _begin(workers, function, element, *arguments)


def submit(workers: int, function: Callable, element: Any, *arguments: Any) -> Future:
    """The work on one element: begun already, or given to a worker now."""
    key = (function.__qualname__, element)
    with told_if_dead(), _turn:
        _asked.add(key)
        return _begun.pop(key, None) or shared_pool(workers).submit(function, element, *arguments)


@contextmanager
def told_if_dead() -> Iterator[None]:
    """A worker that died, found when giving it work or waiting for it, in a user's words."""
    try:
        yield
    except BrokenProcessPool:
        close_pools()
        died = UserError(
            "a worker process died",
            found="the operating system ended it (often: out of memory)",
            fix="run again with fewer --workers",
            exit_code=EXIT_MISSING,
        )
        # Beam's mark of an error that names its step: left alone, neither logged nor rebuilt.
        died._tagged_with_step = True  # type: ignore[attr-defined]
        raise died from None


def close_pools(now: bool = False) -> None:
    """End all workers; work that waits is dropped, and with ``now`` what they do as well."""
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
