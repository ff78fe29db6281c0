"""Keep the files that a user added to an output folder, when a new run replaces the folder."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from surgqa.ontology.files import listed
from surgqa.ontology.keys import file_sha256
from surgqa.transforms.places.remote import Place, RemotePath

_PIECE = 1 << 20
Stamp = tuple[int, int, int]
"""Size, modification time in nanoseconds, inode: equal for a file that was not changed."""


@dataclass(frozen=True, slots=True)
class FolderContents:
    """Contents of an output folder: files that surgqa wrote, and files that the user added.

    Attributes:
        files: names of the user's files, links and so on, relative to the folder.
        folders: folders without a file of surgqa. A folder is listed before its contents.
        changed: files of surgqa whose bytes have changed since they were written.
        stamps: stamps (size, time, inode) of local files of surgqa that are unchanged.
    """

    files: tuple[str, ...]
    folders: tuple[str, ...]
    changed: tuple[str, ...]
    stamps: Mapping[str, Stamp] = field(default_factory=dict)


def survey(
    folder: Place, ours: Mapping[str, str | None], known: Mapping[str, Stamp] | None = None
) -> FolderContents:
    """Find out which files of a folder surgqa wrote, and which are the user's.

    Args:
        ours: path (relative to the folder) of each file that surgqa wrote, with its SHA-256. It is
            None if it was not recorded; a change of the file can then not be detected.
        known: stamps from an earlier call; a file with the same stamp is not read again.
    """
    own_folders = {str(parent) for name in ours for parent in PurePosixPath(name).parents}
    files, folders, changed, stamps = [], [], [], {}
    for name, path, is_folder in _entries(folder):
        if is_folder:
            folders += [name] if name not in own_folders else []
        elif name not in ours:
            files.append(name)
        elif (stamp := _stamp(path)) is not None and stamp == (known or {}).get(name):
            stamps[name] = stamp
        elif not path.is_file() or file_sha256(path) != ours[name]:
            changed.append(name)
        elif stamp is not None:
            stamps[name] = stamp
    return FolderContents(tuple(files), tuple(folders), tuple(changed), stamps)


def _entries(folder: Place, within: str = "") -> Iterator[tuple[str, Place, bool]]:
    """Yield (name, place, True for a folder) of everything in a folder; no link is followed."""
    if isinstance(folder, RemotePath):
        for file in folder.files_below():
            yield file.relative_to(folder).as_posix(), file, False
        return
    for path in listed(folder) if folder.is_dir() else []:
        name = within + path.name
        is_folder = path.is_dir() and not path.is_symlink()
        yield name, path, is_folder
        if is_folder:
            yield from _entries(path, f"{name}/")


def _stamp(path: Place) -> Stamp | None:
    if isinstance(path, RemotePath) or not path.is_file():
        return None
    status = path.stat()
    return status.st_size, status.st_mtime_ns, status.st_ino


def carry(found: FolderContents, old: Path, new: Path) -> None:
    """Add the user's files to the new folder; the old folder keeps them too.

    Files are linked, so a program that is still writing to a file writes to both folders. If the
    file system does not support links, files are copied; the copy that was modified last is kept.

    Raises:
        FileExistsError: the new folder already has another file or folder under one of the names.
    """
    for name in found.folders:
        (new / name).mkdir(parents=True, exist_ok=True)
        shutil.copystat(old / name, new / name)
    for name in found.files:
        _carry_file(old / name, new / name)


def carry_late(found: FolderContents, old: Path, new: Path) -> None:
    """Add files that are missing in the new folder or were modified after :func:`carry`."""
    late = tuple(name for name in found.files if _is_newer(old / name, new / name))
    for name in late:
        (new / name).unlink(missing_ok=True)
    folders = tuple(name for name in found.folders if not (new / name).is_dir())
    carry(FolderContents(late, folders, ()), old, new)


def _is_newer(old: Path, new: Path) -> bool:
    if not os.path.lexists(new):
        return True
    before, after = old.lstat(), new.lstat()
    return not os.path.samestat(before, after) and before.st_mtime_ns > after.st_mtime_ns


def _carry_file(old: Path, new: Path) -> None:
    new.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(new):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(new))
    try:
        os.link(old, new, follow_symlinks=False)
    except OSError:
        shutil.copy2(old, new, follow_symlinks=False)
