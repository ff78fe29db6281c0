"""Joining a path that a data file names to the folder that it counts from.

A job, a row, a manifest or a table is made by somebody else, so its paths are not trusted:
none may lead out of its folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import overload

from ontology.errors import SourceMissing, UserError
from ontology.files import is_name
from transforms.places.remote import Place, place

EXPECTED = "a path below that folder, such as videos/VID01.mp4"


@overload
def below(root: Path, path: str) -> Path: ...
@overload
def below(root: Place | str, path: str) -> Place: ...
def below(root: Place | str, path: str) -> Place:
    """``path`` joined to ``root``, where its text leads to somewhere below it.

    Links are not looked at: this is for files that only this machine reads or writes. Whatever
    is opened as a recording or sent goes through :func:`inside`.

    Args:
        root: a folder, here or in remote storage.
        path: relative, with forward slashes.

    Raises:
        UserError: the path is absolute or an address, has ``..`` in it, or is empty.
        SourceMissing: no file can have such a path.
    """
    if not is_name(path):
        raise SourceMissing(
            f"no file can have the name {path!r}", expected=EXPECTED,
            found="a null character, or half of a character", where=str(root),
            fix="correct the file that names this path",
        )  # fmt: skip
    for text in (PurePosixPath(path), PureWindowsPath(path)):
        address = text.parts[:1] and text.parts[0].endswith(":")
        if not path or text.anchor or ".." in text.parts or address:
            raise _outside(root, path, repr(path))
    return place(root) / path


@overload
def inside(root: Path, path: str) -> Path: ...
@overload
def inside(root: Place | str, path: str) -> Place: ...
def inside(root: Place | str, path: str) -> Place:
    """As :func:`below`, and no link on the way leads out of ``root``; the root itself may be one.

    Raises:
        UserError: as :func:`below`, or a link leads out of the root.
    """
    target = below(root, path)
    if isinstance(target, Path):
        _check_real(place(root), target, path)
    return target


def check_links(root: Place | str, path: str, names: Iterable[str]) -> None:
    """Look whether files of a folder below ``root`` are links that lead out of it.

    The folder is listed once, so that a file that is no link costs nothing.

    Args:
        path: of the folder, relative to ``root``.
        names: of its files that will be opened.

    Raises:
        UserError: one of them leads out of the root.
    """
    folder = inside(root, path)
    if not isinstance(folder, Path):
        return
    # The order is of no matter here, and only scandir tells links without a call for each file.
    with os.scandir(folder) as entries:  # noqa: TID251
        links = {entry.name for entry in entries if entry.is_symlink()}
    for name in sorted(links.intersection(names)):
        inside(root, f"{path}/{name}")


def _check_real(root: Place, target: Path, path: str) -> None:
    try:
        real, top = target.resolve(), Path(str(root)).resolve()
    except (OSError, RuntimeError):  # links in a circle
        raise _outside(root, path, "links that lead nowhere") from None
    if not real.is_relative_to(top):
        raise _outside(
            root, path, f"a link to {real}", "copy what it leads to into the folder, or name the "
            "folder that really holds it",
        )  # fmt: skip


def _outside(root: Place | str, path: str, found: str, fix: str | None = None) -> UserError:
    return UserError(
        f"{path!r} is not inside {root}", expected=EXPECTED, found=found, where=str(root),
        fix=fix or "correct the file that names this path; nothing outside the folder is opened",
    )  # fmt: skip
