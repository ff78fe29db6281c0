"""What a remote path asks of a store, and which store a scheme means."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, BinaryIO, NamedTuple, Protocol

from ontology.errors import UserError


class Scheme(NamedTuple):
    """A kind of storage: the package it needs, the extra that brings it, its class."""

    package: str
    extra: str
    store: str


SCHEMES = {
    "s3": Scheme("boto3", "aws", "transforms.places.s3:S3"),
    "gs": Scheme("google.cloud.storage", "gcp", "transforms.places.beam:Beam"),
    "hdfs": Scheme("hdfs", "hdfs", "transforms.places.hdfs:Hdfs"),
}


class Store(Protocol):
    """Files by URL.  A folder's URL has no slash at its end.

    All raise UserError where the store cannot be used, FileNotFoundError for a file
    that is not there, OSError for the rest.
    """

    def size(self, url: str) -> int | None:
        """Bytes of the file; None where there is no such file."""

    def is_folder(self, url: str) -> bool:
        """Whether a file (on HDFS: or a folder) lies below."""

    def children(self, url: str) -> Iterator[str]:
        """Names directly below, each once; none where there is no such folder."""

    def below(self, url: str) -> Iterator[str]:
        """All files below at any depth, relative to the folder."""

    def reader(self, url: str) -> BinaryIO:
        """The file for reading, seekable."""

    def read(self, url: str) -> bytes:
        """The whole file."""

    def write(self, url: str, file: BinaryIO) -> None:
        """Make or replace the file with all of ``file``; it shows when it is whole."""

    def delete(self, urls: Sequence[str]) -> None:
        """Delete these files; one that is not there is no error."""

    def delete_below(self, url: str) -> None:
        """Delete the folder and everything in it."""

    def copy(self, source: str, target: str) -> None:
        """Copy one file, over what is there."""

    def move(self, source: str, target: str) -> None:
        """Move one file, over what is there."""

    def make_folder(self, url: str) -> None:
        """Make the folder where the store has such a thing."""


@functools.cache
def store(scheme: str) -> Store:
    """The store of a scheme; imports what it needs.

    Raises:
        UserError: its package is not installed.
    """
    kind = SCHEMES[scheme]
    if not _installed(kind.package):
        raise UserError(
            f"{scheme}:// needs a package that is not installed",
            expected=kind.package,
            fix=f"pip install 'surgqa[{kind.extra}]'",
        )
    module, name = kind.store.split(":")
    return getattr(import_module(module), name)()


def _installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # a parent of it is missing
        return False


_asked: tuple[str, ...] | None = None


def configure(options: Iterable[str]) -> None:
    """Use these engine options for remote storage in this process from now on.

    Cheap: nothing is imported before a remote place is asked something.  A worker
    process that is not Beam's own is to call it with the run's engine options.

    Args:
        options: as on the command line (``--s3_endpoint_url=…``, ``--hdfs_host=…``);
            those that do not concern storage are passed over.
    """
    global _asked
    _asked = tuple(options)


def options() -> Any:
    """The pipeline options that Beam's file systems go by; the same object until changed.

    What :func:`configure` was given last, else what a pipeline or a Beam worker has set,
    else none, which leaves everything to the environment.
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
