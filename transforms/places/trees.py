"""Operations on whole folders and files, the same for local and remote places."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
from pathlib import Path

from surgqa.ontology.errors import PlaceUnusable, SourceBroken
from surgqa.transforms.places.remote import Place, RemotePath

_PIECE = 1 << 20
_HERE, _EXCHANGE = -100, 2
"""The constants AT_FDCWD and RENAME_EXCHANGE of Linux's ``renameat2(2)``."""


def remove_tree(path: Place, quietly: bool = False) -> None:
    """Remove a folder and its contents; do nothing if it does not exist.

    Args:
        quietly: ignore what cannot be removed; used for cleaning up after another error.

    Raises:
        UserError: the path is a whole bucket.
    """
    if isinstance(path, Path):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=quietly)
        return
    if not path.name:
        raise PlaceUnusable(
            "surgqa does not delete a whole bucket", expected=f"{path}/folder", found=str(path)
        )
    path._store.delete_below(str(path))


def copy_tree(source: Place, target: Place) -> None:
    """Copy all files of a folder into another, replacing files of the same name.

    Raises:
        FileNotFoundError: the folder does not exist.
        SourceBroken: a remote name would lead out of the local folder.
    """
    if not source.is_dir():
        raise FileNotFoundError(f"{source} is not a folder")
    if isinstance(source, Path):
        files: list[Place] = [p for p in sorted(source.rglob("*")) if p.is_file()]
    else:
        files = list(source.files_below())
    for file in files:
        way = file.relative_to(source)  # type: ignore[arg-type]
        if ".." in way.parts:
            raise SourceBroken("a file's name leads out of its folder", where=str(file))
        copy_file(file, target / way.as_posix())


def copy_file(source: Place, target: Place) -> None:
    """Copy one file, creating local folders above it; within one store, the store itself copies."""
    if isinstance(source, RemotePath) and source.shares_store(target):
        source._store.copy(str(source), str(target))
        return
    if isinstance(source, Path) and isinstance(target, RemotePath):
        with source.open("rb") as local:
            target.write_from(local)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with source.open("rb") as file, target.open("wb") as copy:
        shutil.copyfileobj(file, copy, _PIECE)


def write_whole(path: Place, data: bytes) -> None:
    """Write a file so that a partially written file is never visible under its name.

    A local file is written next to its final path and renamed; a remote object becomes visible
    only when it is complete.
    """
    if isinstance(path, RemotePath):
        path.write_bytes(data)
        return
    # The target of a link is replaced, never the link itself.
    path = path.resolve()
    # With the process id in the name, two processes do not write the same file.
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_bytes(data)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def exchange(one: Path, other: Path, spare: Path) -> None:
    """Swap the names of two folders on one disk.

    This is atomic if the system supports it; else one folder is named ``spare`` for a moment.
    """
    if _exchanged(one, other):
        return
    other.rename(spare)
    try:
        one.rename(other)
    except OSError:
        spare.rename(other)
        raise
    spare.rename(one)


def _exchanged(one: Path, other: Path) -> bool:
    """Call Linux's ``renameat2``; False if the system or the file system does not support it."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    if rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0:
        return True
    if ctypes.get_errno() in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        return False
    number = ctypes.get_errno()
    raise OSError(number, os.strerror(number), str(one), None, str(other))


def absolute(path: Place) -> Place:
    """Return the absolute local path, with links resolved; a remote path is already absolute."""
    return path.resolve() if isinstance(path, Path) else path
