"""Join a relative path that stands in a data file to the folder that it is relative to.

Jobs, rows, manifests and tables may come from other people, so their paths are not trusted:
no path may lead out of its folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import overload

from surgqa.ontology.errors import FileMissing, PathOutside, UserError
from surgqa.ontology.files import is_name
from surgqa.transforms.places.remote import Place, place

EXPECTED = "a path below that folder, such as videos/VID01.mp4"


@overload
def below(root: Path, path: str) -> Path: ...
@overload
def below(root: Place | str, path: str) -> Place: ...
def below(root: Place | str, path: str) -> Place:
    """Return ``root`` joined with ``path``, after a check that the text of ``path`` stays below it.

    Links are not checked; use this for files that only this machine reads or writes.  For every
    file that is opened as a video or sent elsewhere, use :func:`inside`.

    Args:
        root: a folder, local or in remote storage.
        path: relative, with forward slashes.

    Raises:
        UserError: the path is absolute or a URL, contains ``..``, or is empty.
        SourceMissing: no file can have such a path.
    """
    if not is_name(path):
        raise FileMissing(
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
    """Return ``root`` joined with ``path``, after a check that no link leads out of ``root``.

    ``root`` itself may be a link.

    Raises:
        UserError: as in :func:`below`, or a link leads out of the root.
    """
    target = below(root, path)
    if isinstance(target, Path):
        _check_real(place(root), target, path)
    return target


def check_links(root: Place | str, path: str, names: Iterable[str]) -> None:
    """Check that no file of a folder below ``root`` is a link that leads out of it.

    The folder is listed once, so files that are not links cost nothing.

    Args:
        path: path of the folder, relative to ``root``.
        names: names of the folder's files that will be opened.

    Raises:
        UserError: one of the links leads out of the root.
    """
    folder = inside(root, path)
    if not isinstance(folder, Path):
        return
    # The order does not matter, and only scandir reports links without a call for each file.
    with os.scandir(folder) as entries:  # noqa: TID251
        links = {entry.name for entry in entries if entry.is_symlink()}
    for name in sorted(links.intersection(names)):
        inside(root, f"{path}/{name}")


def _check_real(root: Place, target: Path, path: str) -> None:
    try:
        real, top = target.resolve(), Path(str(root)).resolve()
    except (OSError, RuntimeError):  # links in a circle
        raise _outside(root, path, "links that cannot be resolved") from None
    if not real.is_relative_to(top):
        raise _outside(
            root, path, f"a link to {real}", "copy its target into the folder, or name the "
            "folder that contains the file",
        )  # fmt: skip


def _outside(root: Place | str, path: str, found: str, fix: str | None = None) -> UserError:
    return PathOutside(
        f"{path!r} is not inside {root}", expected=EXPECTED, found=found, where=str(root),
        fix=fix or "correct the file that names this path; nothing outside the folder is opened",
    )  # fmt: skip
