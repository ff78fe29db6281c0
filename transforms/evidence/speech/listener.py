"""Start the speech process, send it requests, and end it with this process.

Speech is recognised in a separate process, because the libraries that a process has imported, and
its environment then, decide how they compute. :func:`surroundings` fixes the instruction set.
"""

from __future__ import annotations

import atexit
import os
import platform
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from surgqa.ontology.errors import KINDS, DeviceMissing, OutOfMemory, UserError, ValueInvalid
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


X86 = ("x86_64", "amd64")
DEFAULT = "AVX2"
"""Available on every x86 processor since 2015.  Measured with tiny.en on 21 s of speech, one
thread: three times as slow as AVX512, as fast as AVX, and two thirds of the time of GENERIC."""

_NEWEST = "AVX512_ICL AVX512_SPR"
INSTRUCTIONS: Mapping[str, Mapping[str, str]] = {
    name: {
        "CT2_FORCE_CPU_ISA": name,
        "ONEDNN_MAX_CPU_ISA": products,
        "OPENBLAS_CORETYPE": core,
        "NPY_DISABLE_CPU_FEATURES": left_out,
    }
    for name, products, core, left_out in (
        ("GENERIC", "SSE41", "Nehalem", f"X86_V3 X86_V4 {_NEWEST}"),
        ("AVX", "AVX", "Sandybridge", f"X86_V3 X86_V4 {_NEWEST}"),
        ("AVX2", "AVX2", "Haswell", f"X86_V4 {_NEWEST}"),
        ("AVX512", "AVX512_CORE", "SkylakeX", _NEWEST),
    )
}
"""Name of the setting -> environment variables for each library."""

CHOOSING = (
    "BLIS_", "CT2_", "DNNL_", "GOMP_", "GOTO_", "KMP_", "MKL_", "NPY_", "OMP_", "ONEDNN_",
    "OPENBLAS_", "PYTHON", "VECLIB_",
)  # fmt: skip
"""Prefixes of variables by which a library, or Python, chooses how to compute."""
PYTHONS_PLACES = ("PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")
FIXED: Mapping[str, str] = {
    "CT2_USE_MKL": "0",  # otherwise Intel processors use another library than the rest
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "VECLIB_MAXIMUM_THREADS": "1",
}


def instructions(asked: str | None) -> str:
    """Return the name of the instruction set with which a model runs on this machine's processor.

    Args:
        asked: a name of INSTRUCTIONS, or None for the default.

    Returns:
        On x86, the result is a name of INSTRUCTIONS. Elsewhere it is the kind of processor, which
            has only one instruction set.

    Raises:
        UserError: an unknown instruction set, or a choice where there is only one set.
    """
    machine = platform.machine().lower()
    known = tuple(INSTRUCTIONS) if machine in X86 else ()
    if asked is None:
        return DEFAULT if known else {"aarch64": "arm64"}.get(machine, machine)
    if asked not in known:
        raise ValueInvalid(
            "speech: no such instruction set",
            expected=", ".join(known) or f"no instruction set: {machine} has only one",
            found=asked,
            where="cpu_isa",
        )
    return asked


def surroundings(isa: str, inherited: Mapping[str, str]) -> dict[str, str]:
    """Environment of the speech process: the caller's, without variables that choose arithmetic.

    Args:
        isa: the result of :func:`instructions`.
        inherited: the caller's environment. Its choices of instructions are dropped, even
            ``CT2_FORCE_CPU_ISA``, because only the setting ``cpu_isa`` is part of a run.
    """
    kept = {
        name: value
        for name, value in inherited.items()
        if name in PYTHONS_PLACES or not name.startswith(CHOOSING)
    }
    where = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
    return {**kept, **FIXED, **INSTRUCTIONS.get(isa, {}), "PYTHONPATH": where}
