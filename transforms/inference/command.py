"""Run jobs through a local program: JSON lines to its input, JSON lines from its output."""

from __future__ import annotations

import json
import os
import queue
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any

import orjson

from surgqa.ontology.errors import ModelUnavailable, UserError, ValueInvalid
from surgqa.transforms.inference.client import sound
from surgqa.transforms.inference.journal import Journal, RunCounts

ANSWER = '{"job_id": "…", "response": "…"}'
GRACE_S = 5.0
"""Seconds that a program has to end on its own."""
_POLL_S = 0.1
_END = b""


@dataclass(frozen=True, slots=True)
class ProgramJob:
    """One job for the program.

    Attributes:
        id: id of the job.
        about: plain JSON that is stored in the journal with the response.
        line: function that makes the input line, called when the program is ready to read the line.
    """

    id: str
    about: Mapping[str, Any]
    line: Callable[[], Mapping[str, Any]]


def words_of(text: str) -> list[str]:
    """Return the program and the arguments of a command line.

    Raises:
        UserError: the command is empty, or a quote is not closed.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueInvalid(
            "the command is not valid",
            expected="a program and its arguments, as in a shell",
            found=str(error),
            where="--command",
            fix="close the quotation marks",
        ) from None
    if not words:
        raise ValueInvalid("the command is empty", expected="PROGRAM ARGS", where="--command")
    return words


def run_program(
    tasks: Iterable[ProgramJob],
    words: Sequence[str],
    journal: Journal,
    tally: RunCounts,
    timeout_s: float | None = None,
    on_change: Callable[[RunCounts], None] = lambda tally: None,
    on_stray: Callable[[str], None] = lambda line: None,
) -> None:
    """Send all tasks to a program, and journal its answers as they come, in any order.

    The program must read until its input ends, answer each line once, and then end. Tasks without
    an answer have failed.

    Args:
        timeout_s: longest time without output; then the program is ended.
        on_stray: called with every line that answers no task.

    Raises:
        UserError: there is no such program, or the journal cannot be written.
        KeyboardInterrupt: Ctrl-C was pressed; the program is ended.
    """
    conversation = _Conversation(_started(words), tasks, tally)
    try:
        for line in conversation.answers(timeout_s):
            entry = conversation.entry(line)
            if entry is None:
                on_stray(line.decode(errors="replace").strip())
                continue
            journal.append(entry)
            tally.done += 1
            on_change(tally)
    except BaseException:
        conversation.close(grace_s=0)
        raise
    conversation.close(grace_s=GRACE_S)
    reason = conversation.ending(timeout_s)
    for name, about in conversation.left():
        journal.append({"id": name, **about, "failed": reason, "attempts": 1})
        tally.failed[name] = reason
    if conversation.trouble:
        raise conversation.trouble


def _started(words: Sequence[str]) -> subprocess.Popen[bytes]:
    try:
        # A separate session, so that Ctrl-C reaches only this process.
        return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                start_new_session=True)  # fmt: skip
    except OSError as error:
        raise ModelUnavailable(
            f"{words[0]} cannot be started",
            found=error.strerror or str(error),
            where="--command",
            fix="give the program's path and its arguments in the same quotes",
        ) from None


class _Conversation:
    """A running program, with a thread that writes its input and a thread that reads its output."""

    def __init__(
        self, process: subprocess.Popen[bytes], tasks: Iterable[ProgramJob], tally: RunCounts
    ) -> None:
        self.process, self.tasks, self.tally = process, tasks, tally
        self.trouble: BaseException | None = None
        self.silent = False
        self._pending: dict[str, Mapping[str, Any]] = {}
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._closing, self._fed = threading.Event(), threading.Event()
        self._threads = [threading.Thread(target=work, daemon=True)
                         for work in (self._feed, self._listen)]  # fmt: skip
        for thread in self._threads:
            thread.start()

    def answers(self, timeout_s: float | None) -> Iterable[bytes]:
        """Yield output lines until the program ends, has answered all, or is silent too long."""
        heard = time.monotonic()
        while not (self._fed.is_set() and not self._pending and self._lines.empty()):
            try:
                line = self._lines.get(timeout=_POLL_S)
            except queue.Empty:
                if timeout_s is not None and time.monotonic() - heard > timeout_s:
                    self.silent = True
                    self._end()
                    return
                continue
            if line == _END:
                return
            heard = time.monotonic()
            yield line

    def entry(self, line: bytes) -> dict[str, Any] | None:
        """Return the journal entry of a line, or None for a line that answers no task."""
        try:
            answer = json.loads(line)
            name, response = answer["job_id"], answer["response"]
        except (ValueError, TypeError, KeyError, RecursionError):
            return None
        if not isinstance(name, str) or not isinstance(response, str):
            return None
        about = self._pending.pop(name, None)
        if about is None:
            return None
        raw = sound(line.decode(errors="replace").rstrip("\n"))
        details: dict[str, Any] = {"usage": {}, "finish": None, "attempts": 1, "raw": raw}
        return {"id": name, **about, "response": sound(response), **details}

    def left(self) -> list[tuple[str, Mapping[str, Any]]]:
        """Return the id of each task without an answer, and its data for the journal."""
        return list(self._pending.items())

    def ending(self, timeout_s: float | None) -> str:
        """Return the reason why the remaining tasks were not answered."""
        if self.silent:
            return f"the program wrote nothing for {timeout_s:g} s"
        return f"the program ended with status {self.process.returncode} before it answered this"

    def close(self, grace_s: float) -> None:
        """End both threads; end the program too, if it does not end within ``grace_s``."""
        self._closing.set()
        until = time.monotonic() + grace_s
        while not self._ended() and time.monotonic() < until:
            time.sleep(_POLL_S / 10)
        self._end()
        self.process.wait()
        for thread in self._threads:
            thread.join()
        _closed(self.process.stdout)

    def _ended(self) -> bool:
        """Return whether the program has ended, without releasing its process id."""
        look = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self.process.pid, look) is not None

    def _end(self) -> None:
        """End the program and all processes that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def _feed(self) -> None:
        pipe = self.process.stdin
        assert pipe
        try:
            for task in self.tasks:
                if self._closing.is_set():
                    break
                try:
                    line = orjson.dumps(task.line(), option=orjson.OPT_APPEND_NEWLINE)
                except UserError as error:
                    self.tally.failed[task.id] = error.summary
                    continue
                self._pending[task.id] = task.about
                pipe.write(line)
                pipe.flush()
        except BrokenPipeError:
            pass  # the program stopped reading; the remaining tasks stay open
        except BaseException as error:  # noqa: BLE001 - raised again by run_program
            self.trouble = error
        finally:
            _closed(pipe)
            self._fed.set()

    def _listen(self) -> None:
        pipe = self.process.stdout
        assert pipe
        for line in pipe:
            if line.strip():
                self._lines.put(line)
        self._lines.put(_END)


def _closed(pipe: IO[bytes] | None) -> None:
    with suppress(OSError):  # nobody reads the rest of the input
        if pipe:
            pipe.close()
