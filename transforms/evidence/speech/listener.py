"""Start the speech process, send it requests, and end it with this process.

Speech is recognised in a separate process, because the libraries that a process has imported, and
its environment then, decide how they compute (see :mod:`.arithmetic`).
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import threading
from typing import Any

from surgqa.ontology.errors import KINDS, DeviceMissing, OutOfMemory, UserError
from surgqa.transforms.evidence.speech.arithmetic import surroundings
from surgqa.transforms.evidence.speech.messages import receive, send

MODULE = "surgqa.transforms.evidence.speech.hearing"
END_S = 5.0
"""Time that a process gets to end by itself, in seconds."""


class Listener:
    """A speech process with one instruction set.

    The process ends when its standard input is closed: by :meth:`close`, or when the process that
    started it ends in any way.
    """

    def __init__(self, isa: str) -> None:
        self.isa = isa
        self.turn = threading.Lock()
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", MODULE],
            bufsize=0,
            env=surroundings(isa, os.environ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def ask(self, request: dict[str, Any], data: bytes | memoryview = b"") -> dict[str, Any]:
        """Send a request and wait for its answer; requests of all threads are sent one at a time.

        Raises:
            UserError: the process answers with an error, or has died.
        """
        assert self.process.stdin is not None and self.process.stdout is not None
        with self.turn:
            try:
                send(self.process.stdin, request, data)
                answer = receive(self.process.stdout)
            except OSError:
                answer = None
            except BaseException:  # interrupted: the next answer would belong to this request
                _forget(self)
                raise
            if answer is None:
                raise _forget(self).died()
        return _checked(answer[0])

    def close(self) -> None:
        """End the process and wait for it, so that no zombie remains."""
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
        try:
            self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def died(self) -> UserError:
        """Return the error for a process that ended without a request to end."""
        status = self.process.returncode
        if status in (-signal.SIGILL, -signal.SIGABRT):
            return DeviceMissing(
                "the speech process probably used an instruction that this processor lacks",
                expected=f"a processor with {self.isa}", found=signal.Signals(-status).name,
                where="speech", fix="set cpu_isa of speech to AVX or GENERIC",
            )  # fmt: skip
        how = f"exit status {status}" if status >= 0 else f"{signal.Signals(-status).name}"
        return OutOfMemory(
            "the speech process died",
            found=f"{how} (SIGKILL often means out of memory)",
            where="speech",
            fix="run again with fewer --workers or a smaller model",
        )


def _checked(answer: dict[str, Any]) -> dict[str, Any]:
    if "error" in answer:
        fields = dict(answer["error"])
        raise KINDS.get(fields.pop("code"), UserError)(**fields)
    if "bug" in answer:
        raise RuntimeError(f"in the speech process:\n{answer['bug']}")
    return answer


_listeners: dict[str, Listener] = {}
_start = threading.Lock()


def listener(isa: str) -> Listener:
    """Return the speech process for an instruction set, started on first use."""
    with _start:
        if isa not in _listeners:
            _listeners[isa] = Listener(isa)
        return _listeners[isa]


def _forget(one: Listener) -> Listener:
    """End a process that cannot answer any more; the next request starts another."""
    with _start:
        if _listeners.get(one.isa) is one:
            del _listeners[one.isa]
    one.close()
    return one


def close_listeners() -> None:
    """End all speech processes."""
    for one in list(_listeners.values()):
        _forget(one)


def _leave_to_parent() -> None:
    """Forget the listeners in a forked process: only their parent's streams keep them alive."""
    global _start
    for one in _listeners.values():
        for stream in (one.process.stdin, one.process.stdout):
            if stream is not None:
                stream.close()
        one.process.returncode = 0  # it is not a child of this process, so do not wait for it
    _listeners.clear()
    _start = threading.Lock()


atexit.register(close_listeners)
os.register_at_fork(after_in_child=_leave_to_parent)
