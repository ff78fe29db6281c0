"""Work without root's rights: root may read and write everything, so a child gives them up."""

from __future__ import annotations

import gc
import io
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

NOBODY = 65534


@contextmanager
def shared_folder() -> Iterator[Path]:
    """A folder that every user of this machine reaches; pytest's own only its user does."""
    folder = Path(tempfile.mkdtemp(prefix="surgqa-rights-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def give_away(root: Path) -> None:
    """Make a folder and all in it the child's, who may then change the rights to it."""
    if os.getuid() == 0:
        for path in (root, *root.rglob("*")):
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


def as_nobody(work: Callable[[], Iterable[Any]]) -> list[Any]:
    """What ``work`` gives (as JSON keeps it), done in a child process that is not root.

    The parent should have imported what the child needs: nobody may be unable to.
    """
    read, write = os.pipe()
    # What the parent left behind is not the child's to clear away: a database that is collected
    # there waits for threads that only the parent has, and the child dies of it.
    gc.disable()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            gc.freeze()
            gc.enable()
            if os.getuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            with os.fdopen(write, "w") as told:
                json.dump(list(work()), told)
            status = 0
        finally:
            os._exit(status)
    gc.enable()
    os.close(write)
    with os.fdopen(read) as told:
        text = told.read()
    assert os.waitpid(child, 0)[1] == 0
    return json.loads(text)


class Said(NamedTuple):
    """A command line's exit status and what it printed."""

    status: int
    out: str
    err: str


def said(run: Callable[[list[str]], int], line: list[str]) -> Said:
    """Run a command line in this process and keep what it prints."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = run(line)
        out.flush()
    return Said(status, out.buffer.getvalue().decode(errors="replace"), err.getvalue())
