"""One try: a good folder copied, one file in it damaged, a command that reads it."""

from __future__ import annotations

import re
import resource
import shutil
import signal
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from surgqa.ontology.errors import EXIT_BUG
from surgqa.ontology.system_errors import in_words
from surgqa.pipeline.cli import app
from tests.damage.ways import damaged
from tests.rights import Said, said

LONGEST_S = 120
"""Seconds of processor time, and ten times as many on the clock: more than that is an endless loop
or an endless wait. Checking the largest undamaged output takes 20 to 25 on an idle machine."""
ROOM = 3 << 30
"""Bytes that a try may take beside what the process has already."""
STATUSES = (0, 1, 2, 3, 4, 5)


@dataclass(frozen=True)
class Kind:
    """Files of one kind.

    Attributes:
        make: writes good ones into an empty folder.
        files: patterns of those that are damaged, relative to the folder.
        read: reads them as a user would; gives the exit status.
    """

    name: str
    make: Callable[[Path], None]
    files: Sequence[str]
    read: Callable[[Path, Random], int]


class Hang(BaseException):
    """A try took too long."""


@dataclass(frozen=True)
class Problem:
    """A damaged file that was met with anything but words."""

    number: int
    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.number} {self.what}: {self.why}"


def try_one(kind: Kind, good: Path, seed: str, number: int) -> Problem | None:
    """Damage a copy in the way that seed and number draw, and read it."""
    draw = Random(f"{seed}/{number}")
    with tempfile.TemporaryDirectory(prefix="surgqa-damage-") as name:
        folder = Path(shutil.copytree(good, Path(name) / "here", symlinks=True))
        there = sorted({p for one in kind.files for p in folder.glob(one) if p.is_file()})
        path = draw.choice(there)
        before = path.read_bytes()
        way, data = damaged(draw, path.suffix, before)
        if data == before:
            return None
        path.write_bytes(data)
        began = time.process_time()
        try:
            with _within(ROOM, LONGEST_S):
                told = said(lambda _: kind.read(folder, draw), [])
        except Hang:
            told = Said(EXIT_BUG, "", f"no end within {LONGEST_S} s")
    what = f"{kind.name} {path.relative_to(folder)} {way}"
    if time.process_time() - began > LONGEST_S:
        return Problem(number, what, f"took {time.process_time() - began:.0f} s")
    if told.status not in STATUSES or "Traceback" in told.out + told.err:
        return Problem(number, what, f"exit {told.status}\n{told.err[-1500:]}")
    if told.status > 1 and not re.search(r"error(\[[a-z-]+\])?: ", told.err):
        return Problem(number, what, f"exit {told.status} without a word: {told.err[-300:]}")
    return None


@contextmanager
def _within(room: int, seconds: int) -> Iterator[None]:
    """A limit of memory and time, so that what grows without end fails instead of the machine."""

    def stop(*_: object) -> None:
        raise Hang

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before = {sign: signal.signal(sign, stop) for sign in (signal.SIGALRM, signal.SIGPROF)}
    resource.setrlimit(resource.RLIMIT_AS, (used + room, hard))
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(10 * seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        for sign, handler in before.items():
            signal.signal(sign, handler)


def as_command(work: Callable[[], None]) -> int:
    """Work that is no command of its own, ended as a command ends."""
    try:
        work()
    except Exception as error:  # noqa: BLE001 - as in pipeline.cli.app
        told = in_words(error)
        if told is None:
            traceback.print_exc()
            return EXIT_BUG
        app._print_error(told)
        return told.exit_code
    return 0
