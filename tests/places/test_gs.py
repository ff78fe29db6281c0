"""What Beam's file systems are asked for ``gs://``, against one that is kept in memory.

Like Beam's own for Google Cloud Storage it has no folders, lists by prefix, takes the
paths of ``delete`` for patterns and wraps its errors, some of them twice.
"""

from __future__ import annotations

import io
from typing import Any

import pytest
from apache_beam.io.filesystem import BeamIOError, FileMetadata, FileSystem

from surgqa.ontology.errors import SourceMissing, UserError
from surgqa.ontology.files import listed
from surgqa.transforms.places import RemotePath, copy_tree, place, remove_tree, stores
from surgqa.transforms.places.beam import Beam

NotFound = type("NotFound", (Exception,), {"__module__": "google.api_core", "code": 404})
Forbidden = type("Forbidden", (Exception,), {"__module__": "google.api_core", "code": 403})
NoCredentials = type("DefaultCredentialsError", (Exception,), {"__module__": "google.auth.x"})


class Memory(FileSystem):
    """Objects of the bucket ``b``."""

    def __init__(self) -> None:
        super().__init__(None)
        self.held: dict[str, bytes] = {}
        self.fails_with: Exception | None = None

    @classmethod
    def scheme(cls) -> str:
        return "memory of these tests"

    def has_dirs(self) -> bool:
        return False

    def _list(self, dir_or_prefix: str) -> Any:
        if not dir_or_prefix.startswith("gs://b/"):
            raise BeamIOError("List failed", {dir_or_prefix: NotFound("no bucket")})
        for url, data in self.held.items():
            if url.startswith(dir_or_prefix):
                yield FileMetadata(url, len(data))

    def exists(self, path: str) -> bool:
        if self.fails_with:
            raise self.fails_with
        return path in self.held

    def metadata(self, path: str) -> FileMetadata:
        return FileMetadata(path, len(self.held[path]))

    def open(self, path: str, mime_type: str = "", compression_type: str = "auto") -> Any:
        assert compression_type == "uncompressed"
        return io.BytesIO(self.held[path])

    def create(self, path: str, mime_type: str = "", compression_type: str = "auto") -> Any:
        assert compression_type == "uncompressed"
        held = self.held

        class Written(io.BytesIO):
            def close(self) -> None:
                held[path] = self.getvalue()
                super().close()

        return Written()

    def copy(self, source_file_names: list[str], destination_file_names: list[str]) -> None:
        for source, target in zip(source_file_names, destination_file_names, strict=True):
            self.held[target] = self.held[source]

    def rename(self, source_file_names: list[str], destination_file_names: list[str]) -> None:
        self.copy(source_file_names, destination_file_names)
        for source in source_file_names:
            del self.held[source]

    def delete(self, paths: list[str]) -> None:
        for result in self.match(paths):
            for one in result.metadata_list:
                del self.held[one.path]

    def never(self, *_: object) -> Any:
        raise NotImplementedError

    join = split = mkdirs = size = last_updated = checksum = never


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> Memory:
    system = Memory()
    monkeypatch.setattr(Beam, "system", lambda self, url: system)
    monkeypatch.setattr(stores, "_installed", lambda package: True)
    return system


@pytest.fixture
def bucket(memory: Memory) -> RemotePath:
    path = place("gs://b")
    assert isinstance(path, RemotePath)
    return path


def test_files_are_written_read_and_listed(bucket):
    folder = bucket / "odd [1]*?"
    assert not folder.is_dir()
    for name in ("a.gz", "deep/b", "deep/c"):
        (folder / name).write_bytes(name.encode())
    (bucket / "odd 1xx" / "near").write_bytes(b"")
    assert (folder / "a.gz").read_bytes() == b"a.gz"
    assert folder.is_dir() and not folder.is_file() and (folder / "a.gz").stat().st_size == 4
    assert [path.name for path in listed(folder)] == ["a.gz", "deep"]
    assert [path.name for path in folder.files_below()] == ["a.gz", "b", "c"]
    with (folder / "deep" / "b").open("rb") as file:
        assert file.read() == b"deep/b"


def test_deleting_takes_no_name_for_a_pattern(bucket, memory):
    for name in ("a*", "ab", "a[b]/x", "ab/x"):
        (bucket / name).write_bytes(b"")
    (bucket / "a*").unlink()
    assert sorted(memory.held) == ["gs://b/a[b]/x", "gs://b/ab", "gs://b/ab/x"]
    remove_tree(bucket / "a[b]")
    assert sorted(memory.held) == ["gs://b/ab", "gs://b/ab/x"]
    with pytest.raises(FileNotFoundError):
        (bucket / "a*").unlink()
    (bucket / "a*").unlink(missing_ok=True)


def test_copying_and_moving(bucket, memory):
    (bucket / "a" / "x").write_bytes(b"1")
    copy_tree(bucket / "a", bucket / "c")
    (bucket / "a" / "x").rename(bucket / "y")
    assert memory.held == {"gs://b/c/x": b"1", "gs://b/y": b"1"}
    (bucket / "empty.d").mkdir()
    assert not (bucket / "empty.d").exists()


def test_errors_are_those_of_files(bucket, memory):
    with pytest.raises(FileNotFoundError):
        (bucket / "x").read_bytes()
    with pytest.raises(SourceMissing, match="bucket not found"):
        place("gs://other/x").is_dir()
    memory.fails_with = BeamIOError("exists failed", {"x": Forbidden("not yours")})
    with pytest.raises(PermissionError, match="not yours"):
        (bucket / "x").is_file()
    memory.fails_with = NoCredentials("none found")
    with pytest.raises(UserError, match="no usable credentials"):
        (bucket / "x").is_file()
    memory.fails_with = BeamIOError("exists failed")
    with pytest.raises(OSError, match="exists failed"):
        (bucket / "x").is_file()
    memory.fails_with = ZeroDivisionError("a mistake of ours")
    with pytest.raises(ZeroDivisionError):
        (bucket / "x").is_file()
