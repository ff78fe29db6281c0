"""Model weights, local or copied from remote storage once per process."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Hashable
from functools import cache
from pathlib import Path
from typing import TypeVar

from surgqa.ontology.errors import SourceChanged, WeightsMissing
from surgqa.ontology.keys import bytes_digest, file_sha256
from surgqa.transforms.places import Place, RemotePath, place
from surgqa.transforms.places.trees import copy_file, copy_tree

Model = TypeVar("Model")

_models: dict[Hashable, object] = {}
_lock = threading.Lock()


def shared(key: Hashable, load: Callable[[], Model]) -> Model:
    """Return the model for a key, loaded on first use in this process.

    Args:
        key: everything that the loaded model depends on (path, digest, device, precision).
        load: loads the model; called at most once per process and key.
    """
    with _lock:
        if key not in _models:
            _models[key] = load()
        return _models[key]  # type: ignore[return-value]


def loaded() -> int:
    """Return the number of models that this process has loaded."""
    return len(_models)


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a weights file, or of the file names and digests of a folder.

    Raises:
        SourceMissing: neither a file nor a folder.
    """
    if not path.exists():
        raise WeightsMissing(
            f"no weights at {path.name}", expected="a weights file or folder", where=str(path),
            fix="name the file that holds the model; surgqa downloads nothing by itself",
        )  # fmt: skip
    if path.is_dir():
        files = sorted(p for p in path.rglob("*") if p.is_file())
        parts = [f"{p.relative_to(path).as_posix()} {file_digest(p)}" for p in files]
        return bytes_digest("\n".join(parts).encode())
    stat = path.stat()
    return _digest_at(str(path), stat.st_size, stat.st_mtime_ns)


@cache
def _digest_at(name: str, size: int, changed: int) -> str:
    return file_sha256(Path(name))


_folders: list[tempfile.TemporaryDirectory[str]] = []
"""Temporary folders, deleted when the process ends."""
_fetched: dict[str, Path] = {}
_turn = threading.Lock()


def is_remote(address: Path | str) -> bool:
    """Return whether weights are in remote storage."""
    return isinstance(place(str(address)), RemotePath)


def at_hand(address: Path | str, sha256: str | None = None) -> Path:
    """Return a local path of the weights: the file or folder itself, or a copy.

    A copy is made on first use and deleted when the process ends.  If there is a file with the
    same name that ends in ``.json``, it is copied too.

    Args:
        sha256: digest that the weights must have, see :func:`weights_digest`; None for any.

    Raises:
        SourceMissing: there are no weights at the address.
        SourceBroken: the weights have another digest.
    """
    where = place(str(address))
    if isinstance(where, RemotePath):
        with _turn:
            if str(where) not in _fetched:
                _fetched[str(where)] = _copy(where)
            local = _fetched[str(where)]
    else:
        local = where
    if sha256 is not None:
        check(file_digest(local), sha256, address)
    return local


def check(found: str, expected: str, address: Path | str) -> None:
    """Raise an error if weights have an unexpected digest.

    Raises:
        SourceBroken: the digests differ.
    """
    if found != expected:
        where = place(str(address))
        raise SourceChanged(
            f"{where.name} contains other weights", expected=f"sha256 {expected}", found=found,
            where=str(where), fix="put back the weights with which the run was started",
        )  # fmt: skip


def weights_digest(address: Path | str, sha256: str | None = None) -> str:
    """Return the SHA-256 of the weights: ``sha256`` itself if it is given, otherwise computed."""
    return sha256 or file_digest(at_hand(address))


def _copy(where: RemotePath) -> Path:
    _folders.append(tempfile.TemporaryDirectory(prefix="surgqa-weights-"))
    local = Path(_folders[-1].name) / where.name
    if where.is_file():
        copy_file(where, local)
        beside: Place = where.with_suffix(".json")
        if where.suffix and beside != where and beside.is_file():
            copy_file(beside, local.with_suffix(".json"))
    elif where.is_dir():
        copy_tree(where, local)
    else:
        raise WeightsMissing(
            f"no weights at {where.name}", expected="a weights file or folder", where=str(where),
            fix="check the address, and who may read it",
        )  # fmt: skip
    return local
