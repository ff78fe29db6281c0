"""A file or folder in remote storage, with the same methods as a local path."""

from __future__ import annotations

import errno
import io
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, BinaryIO, NamedTuple, NoReturn

from surgqa.ontology.errors import PlaceUnusable
from surgqa.transforms.places.stores import SCHEMES, Store, missing, store

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)
_FOLDED = re.compile(rf"({'|'.join(SCHEMES)}):/(?!/)(.*)", re.DOTALL)


class Stat(NamedTuple):
    """Properties of a remote file.

    Attributes:
        st_size: size of the file in bytes.
    """

    st_size: int


@dataclass(frozen=True, order=True, slots=True)
class RemotePath:
    """A file or folder of an object store or a remote file system, named by a URL.

    Object stores have no folders: a folder exists as long as a file is below it.  Nothing is cached
    between two calls.  Paths are compared and joined as in :class:`~pathlib.PurePosixPath`; the
    bucket (for HDFS: the first component) is the root, which has no name and is its own parent.

    Every method that accesses the store raises :class:`~ontology.errors.UserError` if the
    store cannot be used at all (unknown bucket, no credentials, a package that is not
    installed), FileNotFoundError for a missing file and OSError for other failures.

    Attributes:
        scheme: ``s3``, ``gs`` or ``hdfs``.
        bucket: the text between ``//`` and the next slash.
        key: path inside the bucket, absolute.
    """

    scheme: str
    bucket: str
    key: PurePosixPath

    def __str__(self) -> str:
        return f"{self.scheme}://{self.bucket}" + str(self.key).rstrip("/")

    def __repr__(self) -> str:
        return f"RemotePath({str(self)!r})"

    def __fspath__(self) -> NoReturn:
        raise TypeError(
            f"{self} is not on this machine: use its own methods (open, read_bytes, …), "
            "and transforms.places.place instead of pathlib.Path"
        )

    def __truediv__(self, other: str | PurePath) -> RemotePath:
        if not isinstance(other, str | PurePath):
            return NotImplemented
        if PurePosixPath(other).is_absolute():
            raise ValueError(f"{str(other)!r} is not a name below {self}")
        return self._at(self.key / other)

    def _at(self, key: PurePosixPath) -> RemotePath:
        return RemotePath(self.scheme, self.bucket, key)

    def as_posix(self) -> str:
        """Return the URL."""
        return str(self)

    @property
    def name(self) -> str:
        """Last component; empty for the bucket."""
        return self.key.name

    @property
    def stem(self) -> str:
        """The last component without its suffix."""
        return self.key.stem

    @property
    def suffix(self) -> str:
        """Extension of the last component, with its dot."""
        return self.key.suffix

    @property
    def parent(self) -> RemotePath:
        """The folder that contains this path."""
        return self._at(self.key.parent)

    @property
    def parts(self) -> tuple[str, ...]:
        """``s3://bucket`` and then the components below it."""
        return (f"{self.scheme}://{self.bucket}", *self.key.parts[1:])

    def with_name(self, name: str) -> RemotePath:
        """Return the same path with another last component."""
        return self._at(self.key.with_name(name))

    def with_suffix(self, suffix: str) -> RemotePath:
        """Return the same path with another extension."""
        return self._at(self.key.with_suffix(suffix))

    def relative_to(self, other: RemotePath) -> PurePosixPath:
        """Return the path from ``other`` to this one.

        Raises:
            ValueError: ``other`` is neither this path nor a folder above it.
        """
        if not self.is_relative_to(other):
            raise ValueError(f"{str(self)!r} is not below {str(other)!r}")
        return self.key.relative_to(other.key)

    def is_relative_to(self, other: object) -> bool:
        """True if ``other`` is this path or a folder above it."""
        return (
            isinstance(other, RemotePath)
            and (self.scheme, self.bucket) == (other.scheme, other.bucket)
            and self.key.is_relative_to(other.key)
        )

    @property
    def _store(self) -> Store:
        return store(self.scheme)

    def shares_store(self, other: Place) -> bool:
        """True if the store can copy a file to ``other`` itself, without this machine."""
        return isinstance(other, RemotePath) and other.scheme == self.scheme

    def exists(self) -> bool:
        """True if there is a file or folder of this name; one or two requests."""
        return self.is_file() or self.is_dir()

    def is_file(self) -> bool:
        """True if there is a file of exactly this name; one request."""
        return bool(self.name) and self._store.size(str(self)) is not None

    def is_dir(self) -> bool:
        """True if anything lies below this name; one request."""
        return self._store.is_folder(str(self))

    def stat(self) -> Stat:
        """Return the file's size.

        Raises:
            FileNotFoundError: the file does not exist.
        """
        size = self._store.size(str(self)) if self.name else None
        if size is None:
            raise missing(str(self))
        return Stat(size)

    def iterdir(self) -> Iterator[RemotePath]:
        """Yield the files and folders directly below this folder, in no particular order.

        Raises:
            FileNotFoundError: nothing lies below this name.
        """
        names = self._store.children(str(self))
        first = next(names, None)
        if first is None and not self.is_dir():
            raise missing(str(self))
        if first is not None:
            yield self / first
        for name in names:
            yield self / name

    def glob(self, pattern: str) -> Iterator[RemotePath]:
        """Yield files and folders whose path below this one matches the pattern, sorted."""
        wanted = PurePosixPath(pattern).parts
        yield from (p for p in self._below() if _matches(p.relative_to(self).parts, wanted))

    def rglob(self, pattern: str) -> Iterator[RemotePath]:
        """Yield files and folders at any depth whose last components match the pattern, sorted."""
        wanted = PurePosixPath(pattern).parts
        for path in self._below():
            if _matches(path.relative_to(self).parts[-len(wanted) :], wanted):
                yield path

    def _below(self) -> list[RemotePath]:
        found: set[PurePosixPath] = set()
        for name in self._store.below(str(self)):
            path = PurePosixPath(name)
            found |= {path, *path.parents} - {PurePosixPath()}
        return sorted(self / path for path in found)

    def files_below(self) -> list[RemotePath]:
        """Return all files at any depth, sorted."""
        return sorted(self / name for name in self._store.below(str(self)))

    def open(self, mode: str = "r", *, encoding: str = "utf-8", newline: str | None = None) -> Any:
        """Open the file: ``rb`` (seekable), ``r`` (text) or ``wb``.

        Written data becomes visible as a whole when the file is closed.  If the ``with`` block ends
        in an error or the process ends, it never becomes visible.

        Raises:
            FileNotFoundError: the file to read does not exist.
            ValueError: another mode.
        """
        if mode == "rb":
            return self._reader()
        if mode in ("r", "rt"):
            return io.TextIOWrapper(self._reader(), encoding=encoding, newline=newline)
        if mode == "wb":
            target, to = str(self._named()), self._store
            return Upload(lambda file: to.write(target, file))
        raise ValueError(f"mode {mode!r}: a remote file is opened as 'rb', 'r' or 'wb'")

    def _reader(self) -> BinaryIO:
        return self._store.reader(str(self._named()))

    def read_bytes(self) -> bytes:
        """Return the whole file; one request on S3."""
        return self._store.read(str(self._named()))

    def read_text(self, encoding: str = "utf-8") -> str:
        """Return the whole file as text."""
        return io.TextIOWrapper(io.BytesIO(self.read_bytes()), encoding=encoding).read()

    def write_bytes(self, data: bytes) -> int:
        """Write the whole file; return its length in bytes."""
        self._store.write(str(self._named()), io.BytesIO(data))
        return len(data)

    def write_from(self, file: BinaryIO) -> None:
        """Write the whole file from an open local file, which need not fit into memory."""
        self._store.write(str(self._named()), file)

    def write_text(self, text: str, encoding: str = "utf-8") -> int:
        """Write the whole file as text with Unix line ends; return the number of characters."""
        self.write_bytes(text.encode(encoding))
        return len(text)

    def unlink(self, missing_ok: bool = False) -> None:
        """Delete the file.

        Raises:
            FileNotFoundError: the file does not exist, unless ``missing_ok``.
        """
        if not missing_ok and not self.is_file():
            raise missing(str(self))
        self._store.delete([str(self._named())])

    def replace(self, target: RemotePath | str) -> RemotePath:
        """Move the file to ``target`` in the same kind of storage, replacing an existing file.

        An object store copies and then deletes, so both files exist for a moment.

        Raises:
            FileNotFoundError: the file does not exist.
            OSError: the target is in another kind of storage.
        """
        goal = target if isinstance(target, RemotePath) else place(target)
        if not isinstance(goal, RemotePath) or goal.scheme != self.scheme:
            raise OSError(errno.EXDEV, "cannot move between kinds of storage", str(self))
        if not self.is_file():
            raise missing(str(self))
        if goal != self:
            self._store.move(str(self), str(goal._named()))
        return goal

    rename = replace

    def mkdir(self, parents: bool = False, exist_ok: bool = False) -> None:
        """Create the folder and its parents on HDFS; do nothing on object stores."""
        self._store.make_folder(str(self))

    def _named(self) -> RemotePath:
        if not self.name:
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(self))
        return self


Place = Path | RemotePath


def place(where: str | os.PathLike[str] | RemotePath) -> Place:
    """Return a local path, or a remote path for text with a scheme (``s3://bucket/folder``).

    A :class:`~pathlib.Path` made from a URL has lost one of its slashes. Such a path is treated as
    the URL, because nobody means a folder named ``s3:``.

    Raises:
        UserError: an unknown scheme, or a URL without a bucket.
    """
    if isinstance(where, RemotePath):
        return where
    text = os.fspath(where)
    match = _URL.fullmatch(text) or _FOLDED.fullmatch(text)
    if match is None:
        return Path(where)
    scheme, rest = match[1].lower(), match[2]
    known = ", ".join(f"{name}://" for name in SCHEMES)
    if scheme not in SCHEMES:
        raise PlaceUnusable(
            f"{scheme}:// is not a supported storage scheme",
            expected=f"{known}, or a local path",
            found=text,
            fix="leave out 'file://'" if scheme == "file" else "copy the files to one of these",
        )
    bucket, _, key = rest.lstrip("/").partition("/")
    if not bucket:
        raise PlaceUnusable(
            "the URL has no bucket", expected=f"{scheme}://bucket/folder", found=text
        )
    return RemotePath(scheme, bucket, PurePosixPath("/", key.lstrip("/")))


def _matches(parts: tuple[str, ...], patterns: tuple[str, ...]) -> bool:
    return len(parts) == len(patterns) and all(map(fnmatchcase, parts, patterns))


IN_MEMORY = 8 << 20


class Upload(io.BufferedIOBase):
    """A file to write: collects the data, on disk above 8 MiB, and sends it when it is closed.

    If data were sent at once, an error in the ``with`` block would leave an object with the data
    written until then. Collected data can be discarded.

    Args:
        send: called once with the file, positioned at its start.
    """

    def __init__(self, send: Callable[[BinaryIO], None]) -> None:
        self._send = send
        self._held: Any = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return self._held.write(data)

    def tell(self) -> int:
        return self._held.tell()

    def close(self) -> None:
        if self.closed:
            return
        try:
            self._held.seek(0)
            self._send(self._held)
        finally:
            self._drop()

    def __exit__(self, kind: Any, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self._drop()

    def __del__(self) -> None:
        # The base class would close the file here, and so send it, although the caller did not
        # close it.
        self._drop()

    def _drop(self) -> None:
        if "_held" in self.__dict__:
            self._held.close()
        super().close()
