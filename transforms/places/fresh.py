"""Folders that get their name when all of it is there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ontology.errors import UserError
from ontology.files import listed
from transforms.places.locks import only_one
from transforms.places.remote import Place, RemotePath
from transforms.places.trees import absolute, remove_tree

PROBE = 1 << 16
"""Bytes written to see whether a disk takes any: fewer than the smallest output has."""


def beside(folder: Place, what: str) -> Place:
    """A hidden name next to a folder, so on the same disk: renaming is one step."""
    return folder.parent / f".{folder.name}.{what}"


def real(folder: Place, option: str) -> Place:
    """Where a folder truly lies: links are followed, also to what is not there yet.

    Raises:
        UserError: links that lead in a circle, or the root of the disk.
    """
    try:
        found = absolute(folder)
    except (OSError, RuntimeError) as error:
        raise UserError(
            f"{folder} leads nowhere", found=str(error), where=option, fix="correct the link"
        ) from None
    if isinstance(found, Path) and not found.name:
        raise UserError(
            "the root of a disk cannot be replaced", expected="a folder with a name",
            found=str(folder), where=option, fix=f"name a folder below it with {option}",
        )  # fmt: skip
    return found


def make_replacing(partial: Place, target: Place, option: str) -> None:
    """Make the folder in which ``target`` is prepared; says now what would fail at the end.

    Raises:
        UserError: nothing can be written there, or ``target`` cannot be replaced.
    """
    if isinstance(partial, RemotePath) or isinstance(target, RemotePath):
        partial.mkdir(parents=True)
        return
    if target.is_dir() and is_mount(target):
        raise UserError(
            f"{target} is a mount point, which cannot be replaced", expected="an ordinary folder",
            where=option, fix=f"name a folder below it: {option} {target / 'out'}",
        )  # fmt: skip
    try:
        _probe(partial)
    except OSError as error:
        remove_tree(partial, quietly=True)
        raise _unwritable(target, error, option) from None


def is_mount(folder: Path) -> bool:
    """Whether something is mounted there, also a folder of the same disk."""
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
    """Write and rename for trial."""
    trial, renamed = partial / "trial", partial / "renamed"
    trial.mkdir(parents=True)
    with (trial / "file").open("wb") as file:
        file.write(bytes(PROBE))
        file.flush()
        os.fsync(file.fileno())
    trial.rename(renamed)
    remove_tree(renamed)


def refuse_full(target: Path, option: str) -> None:
    """Refuse what is no new or empty folder.

    Raises:
        UserError: there is something already.
    """
    if target.exists() and (not target.is_dir() or listed(target)):
        raise UserError(
            f"{target} is there already", expected="a new or empty folder", where=option,
            fix="name another, or remove this one first",
        )  # fmt: skip


@contextmanager
def new_folder(to: Path, option: str = "--to") -> Iterator[Path]:
    """A folder to fill; it gets its name ``to`` at the end of the block.

    Where the block fails nothing is left.  What a killed process left is removed by the next.

    Raises:
        UserError: there is something already, another process makes the same folder, or
            nothing can be written there.
        OSError: the block's own.
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
    """Hold the lock on a folder that is replaced as a whole; the lock lies beside it.

    Args:
        shown: the folder as the user named it.

    Raises:
        UserError: another process holds it, or no file can be made there.
    """
    else_ = f"name another folder with {option}"
    with ExitStack() as held:
        try:
            held.enter_context(only_one(beside(target, "lock"), str(shown), else_))
        except OSError as error:
            raise _unwritable(target, error, option) from None
        yield


def _unwritable(target: Place, error: OSError, option: str) -> UserError:
    return UserError(
        f"nothing can be written beside {target}",
        expected="a folder that may be written, on a disk with room",
        found=error.strerror or str(error),
        where=str(target.parent),
        fix=f"make room there or get the right to write, or name another folder with {option}",
    )
