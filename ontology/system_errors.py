"""Operating system errors in words: a full disk, missing permissions, a name that is too long.

Nobody can check in advance that a disk will not become full, so such errors can occur anywhere.
They are converted to a :class:`~ontology.errors.UserError` in two places: where the command line
prints errors, and where an error leaves a worker process.

Most errors of an operating system are not bugs in surgqa.  An invalid call (a bad file descriptor,
an invalid argument) is a bug, and so is a missing file of surgqa itself.  For a bug,
:func:`in_words` returns None.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from surgqa.ontology.errors import SystemRefusal, UserError


class _Kind(NamedTuple):
    expected: str
    fix: str


_RIGHTS = _Kind(
    "a file or folder that the user who runs surgqa may read and, for output, write",
    "give that user permission ('ls -ld PATH' shows who has it), or name another path",
)
_SPACE = _Kind(
    "enough free space on the disk for output, cache and temporary files",
    "free some space or name folders on another disk with --out and --cache; TMPDIR names "
    "the folder for temporary files",
)
_READ_ONLY = _Kind("a folder that surgqa may write to", "name a folder on another disk")
_FOLDER = _Kind("a folder, not a file", "name another path; no folder in it may be a file")
_FILE = _Kind("a file, not a folder", "name a file, or move the folder away")
_NAME = _Kind("names of at most 255 bytes, and paths of at most 4,096", "choose shorter names")
_LINKS = _Kind("links that lead to a file or a folder", "repair the symbolic links of this path")
_MEDIUM = _Kind(
    "a disk or network share that answers",
    "check the disk or the network share ('dmesg' shows its errors), then run the command again",
)
_OPEN_FILES = _Kind(
    "fewer files open at once than the system allows",
    "allow more with 'ulimit -n 4096', or run with fewer --workers",
)
_MEMORY = _Kind(
    "enough memory and processes", "run with fewer --workers, or on a machine with more memory"
)
_THERE = _Kind(
    "nothing at this path yet, or a folder", "name another path, or move what is there away"
)
_BUSY = _Kind("a file or folder that no other program uses or changes", "stop that program")
_ACROSS = _Kind("both paths on one file system", "name paths on the same disk")
_GONE = _Kind("a file or folder at this path", "create it, or name another path")
_NETWORK = _Kind("a machine that answers", "check the network and the address")

_KINDS: dict[int, _Kind] = {
    errno.EACCES: _RIGHTS, errno.EPERM: _RIGHTS,
    errno.ENOSPC: _SPACE, errno.EDQUOT: _SPACE, errno.EFBIG: _SPACE,
    errno.EROFS: _READ_ONLY,
    errno.ENOTDIR: _FOLDER, errno.EISDIR: _FILE,
    errno.ENAMETOOLONG: _NAME, errno.ELOOP: _LINKS,
    errno.EIO: _MEDIUM, errno.ESTALE: _MEDIUM, errno.ENXIO: _MEDIUM, errno.ENODEV: _MEDIUM,
    errno.EREMOTEIO: _MEDIUM, errno.ENOTCONN: _MEDIUM,
    errno.EMFILE: _OPEN_FILES, errno.ENFILE: _OPEN_FILES,
    errno.ENOMEM: _MEMORY, errno.EAGAIN: _MEMORY,
    errno.EEXIST: _THERE, errno.ENOTEMPTY: _BUSY, errno.EBUSY: _BUSY, errno.ETXTBSY: _BUSY,
    errno.ENOLCK: _BUSY,
    errno.EXDEV: _ACROSS,
    errno.ENOENT: _GONE,
    errno.ECONNREFUSED: _NETWORK, errno.ECONNRESET: _NETWORK, errno.ECONNABORTED: _NETWORK,
    errno.ETIMEDOUT: _NETWORK, errno.EHOSTUNREACH: _NETWORK, errno.ENETUNREACH: _NETWORK,
    errno.EADDRINUSE: _NETWORK, errno.EADDRNOTAVAIL: _NETWORK,
}  # fmt: skip

_CLASSES = {
    FileNotFoundError: errno.ENOENT, PermissionError: errno.EACCES,
    NotADirectoryError: errno.ENOTDIR, IsADirectoryError: errno.EISDIR,
    FileExistsError: errno.EEXIST, ConnectionRefusedError: errno.ECONNREFUSED,
    ConnectionResetError: errno.ECONNRESET, TimeoutError: errno.ETIMEDOUT,
}  # fmt: skip
_ABOUT_PATHS = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EEXIST})
"""Errors that are a bug if they are about surgqa's own files."""

STEP = "[while running "
"""Beam appends this and the step's name to an error's text; other engines keep only the text."""
_NUMBER = re.compile(r"\[errno (\d+)\]", re.IGNORECASE)
_QUOTED = re.compile(r"'([^']*/[^']*)'|\"([^\"]*/[^\"]*)\"")


def in_words(error: BaseException) -> UserError | None:
    """Return the error as a :class:`~ontology.errors.UserError` that says what to do.

    Args:
        error: an ``OSError``, or an error that a Beam step, pyarrow or a worker process raised with
            the text of one.

    Returns:
        The result is None for other errors, or if the error is a bug.
    """
    text = str(error)
    if STEP in text and error.__context__ is not None:
        return in_words(error.__context__)  # the original error, before Beam added the step's name
    if isinstance(error, UserError):
        return error
    number = _number(error)
    if isinstance(error, OSError) and number is not None:
        paths = [os.fsdecode(p) for p in (error.filename, error.filename2)
                 if isinstance(p, str | bytes | os.PathLike)]  # fmt: skip
        return _refusal(number, paths or _paths(text), text)
    return _from_text(text) if _is_wrapper(error, text) else None


@contextmanager
def system_errors_in_words() -> Iterator[None]:
    """Convert errors raised in this block with :func:`in_words`; a bug passes unchanged.

    Raises:
        UserError: the operating system refused something.
    """
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        problem = in_words(error)
        if problem is None:
            raise
        raise problem from None


def _number(error: BaseException) -> int | None:
    """Return the error number, else the number of the error's class.

    Libraries raise, for example, ``FileNotFoundError(path)`` without a number.
    """
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    return next((number for kind, number in _CLASSES.items() if isinstance(error, kind)), None)


def _is_wrapper(error: BaseException, text: str) -> bool:
    by_library = type(error).__module__.partition(".")[0] in ("pyarrow", "apache_beam", "grpc")
    return by_library or STEP in text or isinstance(error, OSError)


def _from_text(text: str) -> UserError | None:
    """Return the last operating system error in a text; a traceback ends with the original."""
    for line in reversed(text.splitlines()):
        found = _NUMBER.findall(line)
        if found:
            return _refusal(int(found[-1]), _paths(line), line.strip())
    return None


def _paths(text: str) -> list[str]:
    """Return the paths in quotation marks, without the step's name that Beam appends."""
    return [a or b for a, b in _QUOTED.findall(text.partition(STEP)[0])]


def _refusal(number: int, paths: list[str], text: str) -> UserError | None:
    kind = _KINDS.get(number)
    if kind is None or (number in _ABOUT_PATHS and any(map(_is_ours, paths))):
        return None
    found = os.strerror(number)
    said = found[:1].lower() + found[1:]
    return SystemRefusal(
        f"{paths[0]}: {said}" if paths else f"the operating system refused: {said}",
        expected=kind.expected,
        found=f"{said} (error {errno.errorcode.get(number, number)})" if paths else text,
        where=" and ".join(paths) or None,
        fix=kind.fix,
    )


def _is_ours(path: str) -> bool:
    """Return whether a file belongs to surgqa, to Python or to an installed package."""
    there = Path.cwd() / path
    return any(there.is_relative_to(folder) for folder in _OWN)


_HERE = Path(__file__).parent.parent
_OWN = (
    _HERE,
    *{Path(path) for path in sys.path if path.endswith("-packages")},
)
