"""List and read files; the results do not depend on the machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, Self, TypeVar

from surgqa.ontology.errors import (
    FileMissing,
    PlaceUnusable,
    SourceBroken,
    SourceUnreadable,
    SyntaxBroken,
    UserError,
)
from surgqa.ontology.system_errors import in_words


class Listable(Protocol):
    """A folder with the interface of :class:`pathlib.Path`, such as a remote path."""

    @property
    def name(self) -> str:
        """Last component of the path."""

    def iterdir(self) -> Iterator[Self]:
        """Return the entries of the folder."""


class Readable(Protocol):
    """A file with the interface of :class:`pathlib.Path`."""

    def read_bytes(self) -> bytes:
        """Return the whole content."""


Folder = TypeVar("Folder", bound=Listable)


def listed(path: Folder) -> list[Folder]:
    """Return the entries of a folder, sorted by name instead of the file system's order."""
    return sorted(path.iterdir(), key=lambda p: p.name)


def is_name(path: str) -> bool:
    """Return whether a path can be the path of a file.

    No system allows a null character or half of a Unicode character in a path.  For such a path,
    Python raises an error of its own instead of one of the operating system.
    """
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def read_bytes(path: Readable, name: str) -> bytes:
    """Return the bytes of a file.

    Args:
        path: path of the file.
        name: the file's path relative to the dataset's root, for messages.

    Raises:
        SourceMissing: there is no such file.
        SourceBroken: the file cannot be read.
    """
    try:
        if is_name(str(path)):
            return path.read_bytes()
    except FileNotFoundError:
        pass
    except OSError as error:
        raise unreadable(error, name) from None
    raise FileMissing(f"{name} is missing", expected=name, where=name)


def unreadable(error: OSError, name: str) -> SourceBroken:
    """Convert an operating system error about a user's file to an error that says what to do.

    Args:
        name: the file's path relative to the dataset's root, for messages.
    """
    known = in_words(error)
    return SourceUnreadable(
        f"{name} cannot be read",
        expected=known.expected if known else None,
        found=error.strerror or str(error),
        where=name,
        fix=known.fix if known else "check the file and the disk that it is on",
    )


def unwritable(path: object, error: OSError, where: str | None = None) -> UserError:
    """Convert an operating system error about a file that is written.

    Args:
        where: name of the option that named the file; None: the file's path.
    """
    return PlaceUnusable(
        f"{path} cannot be written",
        found=error.strerror or str(error),
        where=where or str(path),
        fix="name a file in a folder that exists, may be written and has room",
    )


@contextmanager
def writing(path: object, where: str | None = None) -> Iterator[None]:
    """Convert operating system errors while a file is written; arguments as :func:`unwritable`.

    Raises:
        UserError: the file cannot be written.
    """
    try:
        yield
    except OSError as error:
        raise unwritable(path, error, where) from None


def empty_file(name: str, expected: str) -> SourceBroken:
    """Return the error for an empty file; ``expected`` says what it should contain."""
    return SourceBroken(f"{name} is empty", expected=expected, where=f"{name}:1",
                        fix="write or download the file again")  # fmt: skip


def read_text(data: bytes, name: str) -> str:
    """Return UTF-8 data as text without a byte-order mark; Windows line ends become newlines.

    Raises:
        SourceBroken: the data are not UTF-8; the message states the first invalid byte.
    """
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise SyntaxBroken(
            f"{name} is not UTF-8 text",
            found=f"byte 0x{data[error.start]:02x} at offset {error.start}",
            where=name,
            fix="save the file as UTF-8 text; export a sheet of a workbook as CSV in UTF-8",
        ) from None
