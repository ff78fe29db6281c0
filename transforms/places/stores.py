"""What a kind of remote storage must do (``Store``), and the class for each URL scheme."""

from __future__ import annotations

import errno
import functools
import os
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, BinaryIO, NamedTuple, Protocol

from surgqa.ontology.errors import PackageMissing


class Scheme(NamedTuple):
    """A kind of storage: the package it needs, surgqa's extra that installs it, and its class."""

    package: str
    extra: str
    store: str


SCHEMES = {
    "s3": Scheme("boto3", "aws", "surgqa.transforms.places.s3:S3"),
    "gs": Scheme("google.cloud.storage", "gcp", "surgqa.transforms.places.beam:Beam"),
    "hdfs": Scheme("hdfs", "hdfs", "surgqa.transforms.places.hdfs:Hdfs"),
}


class Store(Protocol):
    """Access to files by URL. The URL of a folder has no slash at its end.

    All methods raise UserError if the store cannot be used, FileNotFoundError for a missing
    file, and OSError for other failures.
    """

    def size(self, url: str) -> int | None:
        """Return the size of the file in bytes; None if it does not exist."""

    def is_folder(self, url: str) -> bool:
        """True if a file (on HDFS: or a folder) exists below this URL."""

    def children(self, url: str) -> Iterator[str]:
        """Yield the names directly below, each once; none if the folder does not exist."""

    def below(self, url: str) -> Iterator[str]:
        """Yield all files below at any depth, as paths relative to the folder."""

    def reader(self, url: str) -> BinaryIO:
        """Return the file, opened for reading and seekable."""

    def read(self, url: str) -> bytes:
        """Return the whole file."""

    def write(self, url: str, file: BinaryIO) -> None:
        """Write a file with the content of ``file``; it becomes visible when complete."""

    def delete(self, urls: Sequence[str]) -> None:
        """Delete these files; a missing file is not an error."""

    def delete_below(self, url: str) -> None:
        """Delete the folder and everything in it."""

    def copy(self, source: str, target: str) -> None:
        """Copy one file; an existing file is replaced."""

    def move(self, source: str, target: str) -> None:
        """Move one file; an existing file is replaced."""

    def make_folder(self, url: str) -> None:
        """Create the folder, if the store has folders."""


def missing(url: str) -> FileNotFoundError:
    """Return the error that pathlib raises for a missing file, to be raised by the caller."""
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), url)


@functools.cache
def store(scheme: str) -> Store:
    """Return the store of a scheme; imports the packages that it needs.

    Raises:
        UserError: a package is not installed.
    """
    kind = SCHEMES[scheme]
    if not _installed(kind.package):
        raise PackageMissing(
            f"{scheme}:// needs a package that is not installed",
            expected=kind.package,
            fix=f"pip install 'surgqa[{kind.extra}]'",
        )
    module, name = kind.store.split(":")
    return getattr(import_module(module), name)()


def _installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # a parent package is missing
        return False


_asked: tuple[str, ...] | None = None


def configure(options: Iterable[str]) -> None:
    """Set the options for remote storage in this process.

    This is cheap: nothing is imported before a remote file is accessed. A worker process that
    Beam did not start must call this with the run's engine options.

    Args:
        options: as on the command line (``--s3_endpoint_url=…``, ``--hdfs_host=…``);
            options that do not concern storage are ignored.
    """
    global _asked
    _asked = tuple(options)


def options() -> Any:
    """Return the pipeline options for Beam's file systems, the same object until they change.

    These are the options of the last :func:`configure`, else those that a pipeline or a Beam
    worker has set, else none: then only environment variables count.
    """
    from apache_beam.io.filesystems import FileSystems
    from apache_beam.options.pipeline_options import PipelineOptions
    from apache_beam.options.value_provider import RuntimeValueProvider

    global _asked
    held = FileSystems._pipeline_options or RuntimeValueProvider.runtime_options
    if _asked is None and held is not None:
        return held
    made = PipelineOptions(list(_asked or ()))
    FileSystems.set_options(made)
    _asked = None
    return made
