"""Digests of media, which do not depend on file names or folders.

Reading a hundred gigabytes takes minutes.  So digests are stored with the size and change time of
their files and are reused as long as both are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from pathlib import Path

from surgqa.ontology.errors import MediaMissing
from surgqa.ontology.files import listed
from surgqa.ontology.keys import bytes_digest, file_sha256
from surgqa.transforms.places import Place, RemotePath

Known = MutableMapping[str, str]
"""Digest of ``path size time`` of a file, or of all files of a folder -> SHA-256 of the content."""


def media_digest(path: Place, name: str, known: Known) -> str:
    """Return the SHA-256 of a file, or of the names and digests of a folder's files.

    Args:
        path: file or folder.
        name: for messages.
        known: digests of earlier runs; new digests are added.

    Raises:
        SourceMissing: neither a file nor a folder.
    """
    if path.is_file():
        return _of_file(path, known)
    if not path.is_dir():
        raise MediaMissing(f"{name} is missing", expected="a video or a folder of frames",
                           where=name)  # fmt: skip
    files = list(_files(path))
    look = _look(files)
    if look is None or look not in known:
        # The files of a folder are not stored one by one: there can be a million.
        parts = [f"{file.relative_to(path).as_posix()} {_of_file(file, {})}" for file in files]
        digest = bytes_digest("\n".join(parts).encode())
        if look is None:
            return digest
        known[look] = digest
    return known[look]


def _files(folder: Place) -> Iterator[Place]:
    for path in listed(folder):
        if path.is_dir():
            yield from _files(path)
        elif not path.name.startswith("."):
            yield path


def _of_file(path: Place, known: Known) -> str:
    look = _look([path])
    if look is None:
        return file_sha256(path)
    if look not in known:
        known[look] = file_sha256(path)
    return known[look]


def _look(files: list[Place]) -> str | None:
    """Key from paths, sizes and change times, without reading the files; None for remote ones."""
    if any(isinstance(path, RemotePath) for path in files):
        return None
    stats = [(str(Path(str(path)).resolve()), path.stat()) for path in files]
    text = "\n".join(f"{path} {stat.st_size} {stat.st_mtime_ns}" for path, stat in stats)  # type: ignore[union-attr]
    return bytes_digest(text.encode())
