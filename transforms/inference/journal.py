"""Store every response on disk before it counts, so that resuming a run costs nothing.

One JSON line for each response or failure, after a first line with the settings.  A line is written
and synced before its job is reported as done.  A killed process loses only responses that had not
been written.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, NotRequired

import orjson
from typing_extensions import TypedDict

from surgqa.ontology.errors import Busy, Mismatched, SourceBroken
from surgqa.ontology.files import unwritable
from surgqa.ontology.guarded import ErrorOf, read_as

FORMAT = "surgqa/journal-v1"
_PIECE = 1 << 16
NO_JOURNAL = ErrorOf(
    "not a journal of 'surgqa infer' or 'surgqa judge'",
    f'a first line with "journal": "{FORMAT}"',
    "give another --out, or move that file away",
    SourceBroken,
)
NO_ENTRY = ErrorOf(
    "a line of the journal is damaged",
    "one JSON object",
    "delete the line; its job is then run again",
    SourceBroken,
)


class Head(TypedDict):
    """The first line of a journal."""

    journal: str
    asked: dict[str, Any]


class JournalEntry(TypedDict, extra_items=Any):  # type: ignore[call-arg]
    """Any other line of a journal: a response to a call, or the reason why the call failed."""

    id: str
    response: NotRequired[str]
    usage: NotRequired[dict[str, Any] | None]
    failed: NotRequired[str]


class Journal:
    """The responses of one run, or of several runs with the same settings.

    Args:
        path: the file; created if missing.
        asked: settings that influence a response besides the job: model, sampling, size of frames.

    Raises:
        UserError: another run holds the journal, the journal has other settings, or it cannot be
            written.
        SourceBroken: not a journal, or a line other than the last is damaged.
    """

    def __init__(self, path: Path, asked: Mapping[str, Any]) -> None:
        self.path = path
        self.repaired = 0
        self._lock = threading.Lock()
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError as error:
            raise unwritable(path, error) from None
        try:
            self._claim()
            self._begin(asked)
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            os.close(self._file)  # this releases the lock

    def append(self, entry: Mapping[str, Any]) -> None:
        """Write an entry. After this returns, the entry survives a crash of the process or the
        machine.

        Raises:
            UserError: the entry cannot be written; the file is unchanged.
        """
        line = orjson.dumps(entry, option=orjson.OPT_APPEND_NEWLINE)
        with self._lock:
            size = os.fstat(self._file).st_size
            try:
                rest = memoryview(line)
                while rest:
                    rest = rest[os.write(self._file, rest) :]
                os.fsync(self._file)
            except OSError as error:
                os.ftruncate(self._file, size)
                raise unwritable(self.path, error) from None

    def entries(self) -> Iterator[dict[str, Any]]:
        """Return the entries in order, without the first line."""
        return entries(self.path)

    def _claim(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Busy(
                "another run is writing to this journal",
                found="a process that holds its lock",
                where=str(self.path),
                fix="wait for that run or end it, or name another file with --out",
            ) from None
        except OSError as error:
            raise unwritable(self.path, error) from None

    def _begin(self, asked: Mapping[str, Any]) -> None:
        self._repair()
        if os.fstat(self._file).st_size == 0:
            self.append({"journal": FORMAT, "asked": asked})
            _sync_folder(self.path.parent)
            return
        before = _first(self.path)
        now = orjson.loads(orjson.dumps(asked))
        if before != now:
            names = sorted(k for k in {*before, *now} if before.get(k) != now.get(k))
            raise Mismatched(
                "the journal was written with other settings",
                expected=", ".join(f"{name}: {before.get(name)}" for name in names),
                found=", ".join(f"{name}: {now.get(name)}" for name in names),
                where=str(self.path),
                fix="use the same options to continue, or another --out for a new run",
            )

    def _repair(self) -> None:
        """Cut off an incomplete last line of a killed run."""
        tail = self._tail()
        if not tail:
            return
        if _is_object(tail):  # complete except for its line end
            os.write(self._file, b"\n")
        else:
            self.repaired = len(tail)
            os.ftruncate(self._file, os.fstat(self._file).st_size - len(tail))
        os.fsync(self._file)

    def _tail(self) -> bytes:
        """Return the bytes after the last line end."""
        size = os.fstat(self._file).st_size
        length = 0
        while length < size:
            length = min(size, 2 * length + _PIECE)
            data = os.pread(self._file, length, size - length)
            if (found := data.rfind(b"\n")) >= 0:
                return data[found + 1 :]
        return os.pread(self._file, size, 0)


def entries(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the entries of a journal, in order; the journal may be in use by a run.

    Raises:
        SourceBroken: a line is damaged.
    """
    with path.open("rb") as lines:
        next(lines, None)
        for number, line in enumerate(lines, start=2):
            if not line.endswith(b"\n"):
                return  # being written, or incomplete: it does not count yet
            yield dict(read_as(JournalEntry, line, f"{path}:{number}", NO_ENTRY))


def _first(path: Path) -> dict[str, Any]:
    with path.open("rb") as lines:
        line = lines.readline()
    head = read_as(Head, line, str(path), NO_JOURNAL)
    if head["journal"] != FORMAT:
        raise NO_JOURNAL.wrong(line[:60].decode(errors="replace"), str(path))
    return head["asked"]


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(orjson.loads(line), dict)
    except orjson.JSONDecodeError:
        return False


def _sync_folder(folder: Path) -> None:
    """Sync the folder, so that the name of a new file survives a crash."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


TOKENS = (("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens"))
"""Names under which endpoints report input and output tokens."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Input and output tokens; ``uncounted`` is the number of replies without a count."""

    given: int = 0
    written: int = 0
    uncounted: int = 0

    def plus(self, usage: Mapping[str, Any] | None) -> Tokens:
        """Return the sum with the tokens of one more reply."""
        counts = [next((usage[n] for n in names if isinstance(usage.get(n), int)), None)
                  for names in TOKENS] if usage else [None, None]  # fmt: skip
        uncounted = self.uncounted + (None in counts)
        return Tokens(self.given + (counts[0] or 0), self.written + (counts[1] or 0), uncounted)

    def cost(self, price_in: float, price_out: float) -> float:
        """Return the cost in the currency of the prices, which are per million tokens."""
        return (self.given * price_in + self.written * price_out) / 1e6


@dataclass(slots=True)
class RunCounts:
    """The result of one run.

    Attributes:
        total: number of wanted calls.
        kept: answered by an earlier run.
        done: answered by this run.
        retries: repeated calls.
        failed: reason by call id.
        tokens: tokens of this run.
        cut: responses that ended because they were too long.
        stopped: why the run ended early, or empty.
    """

    total: int = 0
    kept: int = 0
    done: int = 0
    retries: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    tokens: Tokens = field(default_factory=Tokens)
    cut: int = 0
    stopped: str = ""

    @property
    def open(self) -> int:
        """Number of calls that were neither answered nor failed."""
        return self.total - self.kept - self.done - len(self.failed)


def answered(entries: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the response of each call id, from a journal's entries; of two, the first counts."""
    out: dict[str, str] = {}
    for entry in entries:
        if "response" in entry:
            out.setdefault(entry["id"], entry["response"])
    return out


def spent(entries: Iterable[Mapping[str, Any]]) -> Tokens:
    """Return the tokens of all replies in a journal, over all runs."""
    tokens = Tokens()
    for entry in entries:
        if "response" in entry:
            tokens = tokens.plus(entry.get("usage"))
    return tokens
