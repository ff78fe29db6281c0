"""Models are loaded once per process, shared by its threads, and counted."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Hashable
from functools import cache
from pathlib import Path
from typing import TypeVar

from surgqa.ontology.errors import WeightsMissing
from surgqa.ontology.keys import bytes_digest

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
    with Path(name).open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()
