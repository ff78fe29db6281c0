"""A store that is accessed through Beam's file systems, such as Google Cloud Storage."""

from __future__ import annotations

import errno
import io
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

from surgqa.ontology.errors import CredentialsMissing, FileMissing, PlaceUnusable, UserError
from surgqa.transforms.places.stores import missing, options

_PIECE = 1 << 20
_RAW = "uncompressed"


class Beam:
    """Reads and writes objects through :class:`apache_beam.io.filesystem.FileSystem`.

    Compression is never guessed from a name; bytes are returned as they were written.
    """

    def system(self, url: str) -> Any:
        """Return Beam's file system for the URL, with the current options.

        Raises:
            UserError: an option is missing, or the package of the store cannot be imported.
        """
        from apache_beam.io.filesystems import FileSystems

        options()
        try:
            return FileSystems.get_filesystem(url)
        except (ValueError, OSError) as error:
            scheme = url.partition(":")[0]
            raise PlaceUnusable(
                f"{scheme}:// cannot be used",
                found=str(error),
                where=url,
                fix=f"give Beam's options for {scheme} as engine options (docs/storage.md)",
            ) from None

    def size(self, url: str) -> int | None:
        with store_errors(url):
            system = self.system(url)
            return system.metadata(url).size_in_bytes if system.exists(url) else None

    def is_folder(self, url: str) -> bool:
        return bool(self._match(url, 1))

    def children(self, url: str) -> Iterator[str]:
        names = dict.fromkeys(name.partition("/")[0] for name in self._match(url))
        yield from (name for name in names if name)

    def below(self, url: str) -> Iterator[str]:
        yield from (name for name in self._match(url) if name and not name.endswith("/"))

    def _match(self, url: str, limit: int | None = None) -> list[str]:
        try:
            with store_errors(url):
                (found,) = self.system(url).match([_quoted(url) + "/**"], [limit])
        except FileNotFoundError:
            raise FileMissing(
                "bucket not found", where=url, fix="check the name after '//'"
            ) from None
        return [one.path[len(url) + 1 :] for one in found.metadata_list]

    def reader(self, url: str) -> BinaryIO:
        if self.size(url) is None:
            raise missing(url)
        with store_errors(url):
            return self.system(url).open(url, compression_type=_RAW)

    def read(self, url: str) -> bytes:
        held = io.BytesIO()
        with self.reader(url) as file, store_errors(url):
            shutil.copyfileobj(file, held, _PIECE)
        return held.getvalue()

    def write(self, url: str, file: BinaryIO) -> None:
        with store_errors(url), self.system(url).create(url, compression_type=_RAW) as target:
            shutil.copyfileobj(file, target, _PIECE)

    def delete(self, urls: Sequence[str]) -> None:
        if urls:
            with store_errors(urls[0]):
                # Unlike the others, this method interprets its paths as patterns.
                self.system(urls[0]).delete([_quoted(url) for url in urls])

    def delete_below(self, url: str) -> None:
        self.delete([f"{url}/{name}" for name in self._match(url)])

    def copy(self, source: str, target: str) -> None:
        with store_errors(source):
            self.system(source).copy([source], [target])

    def move(self, source: str, target: str) -> None:
        with store_errors(source):
            self.system(source).rename([source], [target])

    def make_folder(self, url: str) -> None:
        """Do nothing; an object store has no folders."""


def _quoted(url: str) -> str:
    """Return a glob pattern that matches only this URL."""
    # A name cannot contain a line end.  Python warns about a set that begins with '['.
    return re.sub(r"([*?\[])", "[\n\\1]", url)


@contextmanager
def store_errors(url: str) -> Iterator[None]:
    """Convert a store's own errors into the errors of :class:`~transforms.places.stores.Store`."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        cause = _cause(error)
        foreign = type(cause).__module__.partition(".")[0]
        if not isinstance(cause, OSError) and foreign not in ("apache_beam", "google", "hdfs"):
            raise
        raise _as_user_or_os_error(cause, url) from None


def _cause(error: Exception) -> Exception:
    """Return the exception that Beam wrapped once or twice: the first in its list, if any."""
    details = getattr(error, "exception_details", None)
    inner = next(iter(details.values()), None) if isinstance(details, dict) else None
    return _cause(inner) if isinstance(inner, Exception) else error


def _as_user_or_os_error(cause: Exception, url: str) -> Exception:
    code = getattr(cause, "code", None)
    if isinstance(cause, FileNotFoundError) or code == 404:
        return missing(url)
    if type(cause).__module__.startswith("google.auth"):
        return CredentialsMissing(
            "no usable credentials for remote storage",
            found=str(cause),
            where=url,
            fix="see docs/storage.md for how credentials are given",
        )
    number = errno.EACCES if code in (401, 403) else errno.EIO
    return OSError(number, str(cause), url)
