"""Listing and reading files so that no machine's habits show in the output."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Protocol, Self, TypeVar

from ontology.errors import SourceBroken, SourceMissing
from ontology.system_errors import in_words


class Listable(Protocol):
    """A folder as :class:`pathlib.Path` shows it; a remote path will do as well."""

    @property
    def name(self) -> str:
        """Last component."""

    def iterdir(self) -> Iterator[Self]:
        """What lies directly in it."""


class Readable(Protocol):
    """A file as :class:`pathlib.Path` shows it."""

    def read_bytes(self) -> bytes:
        """All of it."""


Folder = TypeVar("Folder", bound=Listable)


def listed(path: Folder) -> list[Folder]:
    """Entries of a folder, sorted by name: never in the file system's order."""
    return sorted(path.iterdir(), key=lambda p: p.name)


def is_name(path: str) -> bool:
    """Whether a file could have this path at all.

    No system has a file whose path holds a null character or half of a Unicode character.
    Asking for one is an error of Python's, not of the operating system's.
    """
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def read_bytes(path: Readable, name: str) -> bytes:
    """A file's bytes.

    Args:
        path: where it is.
        name: its path relative to the dataset's root, for messages.

    Raises:
        SourceMissing: there is no such file.
        SourceBroken: it cannot be read.
    """
    try:
        if is_name(str(path)):
            return path.read_bytes()
    except FileNotFoundError:
        pass
    except OSError as error:
        raise unreadable(error, name) from None
    raise SourceMissing(f"{name} is missing", expected=name, where=name)


def unreadable(error: OSError, name: str) -> SourceBroken:
    """What the operating system said of a file of the user's, with what may help.

    Args:
        name: the file's path relative to the dataset's root, for messages.
    """
    told = in_words(error)
    return SourceBroken(
        f"{name} cannot be read",
        expected=told.expected if told else None,
        found=error.strerror or str(error),
        where=name,
        fix=told.fix if told else "look at the file and the disk that it is on",
    )


def read_text(data: bytes, name: str) -> str:
    """UTF-8 text without byte-order mark; Windows line ends are accepted.

    Raises:
        SourceBroken: not UTF-8, with the byte at which it stops being so.
    """
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise SourceBroken(
            f"{name} is not UTF-8 text",
            found=f"byte 0x{data[error.start]:02x} at offset {error.start}",
            where=name,
            fix="save the file as UTF-8",
        ) from None
