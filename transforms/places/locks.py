"""Locks of the operating system, so that only one process writes into a folder.

A killed process releases its lock, so nothing has to be cleaned up by hand.
"""

from __future__ import annotations

import fcntl
import os
import shlex
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import orjson

from surgqa.ontology.errors import Busy
from surgqa.transforms.places.remote import Place, RemotePath

LOCK = ".lock"
"""Name of the lock file inside a folder in which files are changed one by one."""


@contextmanager
def only_one(lock: Place, where: str, else_: str) -> Iterator[None]:
    """Hold the lock while the block runs.

    Object storage and some file systems do not support locks; the block then runs without one.

    Args:
        lock: the lock file, which is created, and removed afterwards.
        where: the folder that is written, as the user named it.
        else_: what the message offers instead of waiting.

    Raises:
        UserError: another process holds the lock; the message names the process.
        OSError: the lock file cannot be created.
    """
    if isinstance(lock, RemotePath):
        yield
        return
    lock.parent.mkdir(parents=True, exist_ok=True)
    number = _taken(lock, where, else_)
    try:
        yield
    finally:
        # Removed while it is locked: a process that waits for this file then sees that it is gone.
        with suppress(OSError):
            lock.unlink()
        os.close(number)


def _taken(lock: Path, where: str, else_: str) -> int:
    """Lock the lock file and return its file descriptor."""
    while True:
        number = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
        try:
            _lock(number, where, else_)
            if _is_at(lock, number):
                _sign(number)
                return number
        except BaseException:
            os.close(number)
            raise
        os.close(number)


def _lock(number: int, where: str, else_: str) -> None:
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Busy(
            "another process writes into this folder",
            expected="one process at a time",
            found=_holder(number),
            where=where,
            fix=f"wait until it ends, or {else_}",
        ) from None
    except OSError:
        return  # a file system without locks


def _is_at(lock: Path, number: int) -> bool:
    """True if ``lock`` is still this open file; the process before may have removed the file."""
    try:
        return os.path.samestat(lock.stat(), os.fstat(number))
    except FileNotFoundError:
        return False


def _sign(number: int) -> None:
    entry = {
        "process": os.getpid(),
        "host": socket.gethostname(),
        "since": time.strftime("%Y-%m-%d %H:%M:%S %z"),
        "command": shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]),
    }
    os.ftruncate(number, 0)
    os.pwrite(number, orjson.dumps(entry), 0)


def _holder(number: int) -> str:
    try:
        entry = orjson.loads(os.pread(number, 1 << 16, 0))
        return (f"process {entry['process']} on {entry['host']} since {entry['since']}: "
                f"{entry['command']}")  # fmt: skip
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return "a process that has just started"


def store_lock(store: Place) -> AbstractContextManager[None]:
    """Hold the lock of an evidence store, in which files are changed one by one."""
    return only_one(store / LOCK, str(store), "work with another store")
