"""Folders that are written under a temporary name and renamed when they are complete."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from surgqa.ontology.errors import OutputExists, PlaceUnusable, UserError
from surgqa.ontology.files import listed
from surgqa.transforms.places.locks import only_one
from surgqa.transforms.places.remote import Place, RemotePath
from surgqa.transforms.places.trees import absolute, remove_tree

PROBE = 1 << 16
"""How many bytes are written to test a disk: fewer than the smallest output has."""


def beside(folder: Place, what: str) -> Place:
    """Return a hidden path next to a folder, on the same disk, so that renaming is atomic."""
    return folder.parent / f".{folder.name}.{what}"


def real(folder: Place, option: str) -> Place:
    """Return the real location of a folder.

    Links are followed even if their target does not exist yet.

    Raises:
        UserError: the links form a circle, or the folder is the root of a disk.
    """
    try:
        found = absolute(folder)
    except (OSError, RuntimeError) as error:
        raise PlaceUnusable(
            f"{folder} cannot be resolved", found=str(error), where=option, fix="correct the link"
        ) from None
    if isinstance(found, Path) and not found.name:
        raise PlaceUnusable(
            "the root of a disk cannot be replaced", expected="a folder with a name",
            found=str(folder), where=option, fix=f"name a folder below it with {option}",
        )  # fmt: skip
    return found


def make_replacing(partial: Place, target: Place, option: str) -> None:
    """Create the folder in which a replacement for ``target`` is written; test the renaming.

    Raises:
        UserError: nothing can be written there, or ``target`` cannot be replaced.
    """
    if isinstance(partial, RemotePath) or isinstance(target, RemotePath):
        partial.mkdir(parents=True)
        return
    if target.is_dir() and is_mount(target):
        raise PlaceUnusable(
            f"{target} is a mount point, which cannot be replaced", expected="an ordinary folder",
            where=option, fix=f"name a folder below it: {option} {target / 'out'}",
        )  # fmt: skip
    try:
        _probe(partial)
    except OSError as error:
        remove_tree(partial, quietly=True)
        raise _unwritable(target, error, option) from None


def is_mount(folder: Path) -> bool:
    """True if a disk is mounted there, or another folder of the same disk (bind mount)."""
    table = Path("/proc/self/mountinfo")
    if not table.is_file():
        return os.path.ismount(folder)
    lines = table.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    points = (line.split(" ")[4] for line in lines)
    return any(_unescaped(point) == str(folder) for point in points)


def _unescaped(point: str) -> str:
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        point = point.replace(code, character)
    return point


def _probe(partial: Path) -> None:
    """Write and rename a file and a folder as a test."""
    trial, renamed = partial / "trial", partial / "renamed"
    trial.mkdir(parents=True)
    with (trial / "file").open("wb") as file:
        file.write(bytes(PROBE))
        file.flush()
        os.fsync(file.fileno())
    trial.rename(renamed)
    remove_tree(renamed)


def refuse_full(target: Path, option: str) -> None:
    """Raise an error if the target is anything but a new or empty folder.

    Raises:
        UserError: the target already exists and is not empty.
    """
    if target.exists() and (not target.is_dir() or listed(target)):
        raise OutputExists(
            f"{target} already exists", expected="a new or empty folder", where=option,
            fix="name another folder, or remove this one first",
        )  # fmt: skip


@contextmanager
def new_folder(to: Path, option: str = "--to") -> Iterator[Path]:
    """Yield a temporary folder to fill; after the block it is renamed to ``to``.

    If the block fails, nothing is left. The next call removes what a killed process left.

    Raises:
        UserError: the target already exists, another process creates the same folder, or
            nothing can be written there.
        OSError: raised by the block itself.
    """
    target = real(to, option)
    assert isinstance(target, Path)
    refuse_full(target, option)
    partial = beside(target, "partial")
    assert isinstance(partial, Path)
    with claimed(target, to, option):
        remove_tree(partial)
        make_replacing(partial, target, option)
        try:
            yield partial
            refuse_full(target, option)
            partial.replace(target)
        finally:
            remove_tree(partial, quietly=True)


@contextmanager
def claimed(target: Place, shown: Place, option: str) -> Iterator[None]:
    """Lock a folder during the block, which replaces it; the lock file lies next to the folder.

    Args:
        shown: the folder as the user named it, for messages.

    Raises:
        UserError: another process holds the lock, or no file can be created there.
    """
    else_ = f"name another folder with {option}"
    with ExitStack() as held:
        try:
            held.enter_context(only_one(beside(target, "lock"), str(shown), else_))
        except OSError as error:
            raise _unwritable(target, error, option) from None
        yield


def _unwritable(target: Place, error: OSError, option: str) -> UserError:
    return PlaceUnusable(
        f"no file can be created next to {target}",
        expected="a writable folder on a disk with free space",
        found=error.strerror or str(error),
        where=str(target.parent),
        fix=f"free disk space there or get write permission, or name another folder with {option}",
    )
