"""The output folder: whose it is, where it is made, and how it gets its place at once."""

from __future__ import annotations

import shutil
from pathlib import Path

from ontology.errors import UserError
from ontology.files import listed
from transforms.places import Place, RemotePath, absolute, copy_tree, remove_tree

MANIFEST = "manifest.json"
"""Written last and removed first: a folder without it is no finished dataset."""


def check_target(out: Place) -> None:
    """Refuse to replace a folder that is not a dataset of ours.

    Raises:
        UserError: it holds something else.
    """
    if out.is_file() or (
        out.is_dir() and any(out.iterdir()) and not (out / MANIFEST).is_file()
        and not _interrupted(out)
    ):  # fmt: skip
        raise UserError(
            "the output folder holds something else",
            expected="a new or empty folder, or one that surgqa wrote",
            where=str(out),
            fix="name another folder with --out",
        )
    out.parent.mkdir(parents=True, exist_ok=True)


def _interrupted(out: Place) -> bool:
    """Remote files of ours that a run did not live to complete."""
    ours = ("data", "evidence", "rejected")
    return isinstance(out, RemotePath) and any((out / name).is_dir() for name in ours)


def work_folder(out: Place, plan_digest: str) -> Place:
    """A hidden folder next to ``out``, on the same disk, so that renaming is one step.

    It is named after the plan: a job of other settings that still runs somewhere, with
    nobody waiting for it, cannot write into this run's files.
    """
    return _beside(out, f"partial-{plan_digest[:12]}")


def remove_leftovers(out: Place) -> None:
    """Remove what runs into the same folder left when they were killed."""
    whole = absolute(out)
    mine = f".{whole.name}.partial"
    for path in listed(whole.parent) if whole.parent.is_dir() else []:
        if path.name.startswith(mine):
            remove_tree(path)


def restore(out: Place) -> None:
    """Put back the old output of a run that ended between its two renames."""
    old = _beside(out, "old")
    if isinstance(out, Path) and isinstance(old, Path) and old.exists() and not out.exists():
        old.rename(out)


def put_in_place(new: Place, out: Place) -> None:
    """Put the finished folder in place; the old one goes only when the new one is whole.

    Remote storage cannot rename a folder in one step.  There the old manifest goes first
    and the new one comes last, so that what lies between is never taken for a dataset.
    """
    old = _beside(out, "old")
    if not (isinstance(out, Path) and isinstance(new, Path) and isinstance(old, Path)):
        (out / MANIFEST).unlink(missing_ok=True)
        remove_tree(out)
        _copy_with_manifest_last(new, out)
        return
    shutil.rmtree(old, ignore_errors=True)
    if out.exists():
        out.rename(old)
    new.rename(out)
    shutil.rmtree(old, ignore_errors=True)


def _beside(out: Place, what: str) -> Place:
    whole = absolute(out)
    return whole.parent / f".{whole.name}.{what}"


def _copy_with_manifest_last(new: Place, out: Place) -> None:
    manifest = (new / MANIFEST).read_bytes()
    (new / MANIFEST).unlink()
    copy_tree(new, out)
    (out / MANIFEST).write_bytes(manifest)
