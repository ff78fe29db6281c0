"""Hadoop's file system, which has real folders and an atomic rename."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from surgqa.transforms.places.beam import Beam, store_errors
from surgqa.transforms.places.stores import missing

_PIECE = 1 << 20


class Hdfs(Beam):
    """Reads and writes files over WebHDFS, with the client that Beam's file system contains.

    Beam's own methods cannot tell a file from an empty folder and do not overwrite files.
    """

    def _client(self, url: str) -> tuple[Any, str]:
        system = self.system(url)
        return system._hdfs_client, system._parse_url(url)[1]

    def _status(self, url: str) -> dict[str, Any] | None:
        client, path = self._client(url)
        with store_errors(url):
            return client.status(path, strict=False)

    def size(self, url: str) -> int | None:
        status = self._status(url)
        return status["length"] if status and status["type"] == "FILE" else None

    def is_folder(self, url: str) -> bool:
        status = self._status(url)
        return status is not None and status["type"] == "DIRECTORY"

    def children(self, url: str) -> Iterator[str]:
        client, path = self._client(url)
        if self.is_folder(url):
            with store_errors(url):
                yield from client.list(path)

    def below(self, url: str) -> Iterator[str]:
        for name in self.children(url):
            if self.size(f"{url}/{name}") is not None:
                yield name
            else:
                yield from (f"{name}/{more}" for more in self.below(f"{url}/{name}"))

    def write(self, url: str, file: BinaryIO) -> None:
        """Write under a name with a dot in front, then rename, so no partial file is visible."""
        folder, _, name = url.rpartition("/")
        partial = f"{folder}/.{name}.{os.getpid()}"
        client, path = self._client(partial)
        with store_errors(url):
            with client.write(path, overwrite=True) as target:
                shutil.copyfileobj(file, target, _PIECE)
            self.move(partial, url)

    def delete(self, urls: Sequence[str]) -> None:
        for url in urls:
            client, path = self._client(url)
            with store_errors(url):
                client.delete(path)

    def delete_below(self, url: str) -> None:
        client, path = self._client(url)
        with store_errors(url):
            client.delete(path, recursive=True)

    def copy(self, source: str, target: str) -> None:
        with self.reader(source) as file:
            self.write(target, file)

    def move(self, source: str, target: str) -> None:
        client, path = self._client(source)
        if self.size(source) is None:
            raise missing(source)
        with store_errors(source):
            client.delete(self._client(target)[1])
            client.rename(path, self._client(target)[1])

    def make_folder(self, url: str) -> None:
        client, path = self._client(url)
        with store_errors(url):
            client.makedirs(path)
