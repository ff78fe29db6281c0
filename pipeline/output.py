"""The output folder: whether surgqa may replace it, and how it is replaced in one step."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import orjson

from surgqa.ontology.errors import OutputExists, PlaceUnusable, UserError
from surgqa.ontology.files import listed
from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.rows import EVIDENCE_TABLES
from surgqa.pipeline.manifest import DOCUMENTS, MANIFEST, ours
from surgqa.transforms.places import Place, RemotePath, copy_tree, remove_tree
from surgqa.transforms.places.carry import FolderContents, carry, carry_late, survey
from surgqa.transforms.places.fresh import beside, make_replacing
from surgqa.transforms.places.trees import exchange
from surgqa.transforms.steps.video import STAGES
from surgqa.transforms.store.signature import SIGNATURE

OPTION = "--out"
TEMPLATES = "templates"
"""Folder of an output with the template files of its questions."""
REPLACING = ".replacing.json"
"""In a remote output during its replacement: the names of all files, old and new."""
SHOWN = 10
"""Number of file names that a message lists."""


def check_target(out: Place) -> None:
    """Refuse to replace a folder that surgqa did not write.

    Raises:
        UserError: the folder contains something else.
    """
    if out.is_file() or (out.is_dir() and any(out.iterdir()) and _own(out) is None):
        raise OutputExists(
            "the output folder holds something else",
            expected="a new or empty folder, or one that surgqa wrote",
            found=f"no {MANIFEST} of surgqa",
            where=str(out),
            fix="name another folder with --out",
        )


def _own(out: Place) -> Mapping[str, str | None] | None:
    """Map the files that surgqa wrote to their digests; None if surgqa did not write the folder."""
    if (out / MANIFEST).is_file():
        found = ours((out / MANIFEST).read_bytes())
        if found is not None and (out / SIGNATURE).is_file():
            # The manifest does not list its signature, which is invalid for a new manifest.
            found[SIGNATURE] = bytes_digest((out / SIGNATURE).read_bytes())
        return found
    if isinstance(out, RemotePath) and (out / REPLACING).is_file():
        return dict.fromkeys(orjson.loads((out / REPLACING).read_bytes()))
    return None


def look_over(
    out: Place, benchmarks: Sequence[str], before: FolderContents | None = None
) -> FolderContents:
    """List the files in the old output that belong to the user; they will be copied.

    Args:
        before: the result of an earlier call, so that files need not be read again.

    Raises:
        UserError: a file of the dataset was changed, or the new dataset needs the name of a user
            file.  User files are never overwritten.
    """
    own = _own(out) or {}
    halfway = isinstance(out, RemotePath) and not (out / MANIFEST).is_file()
    markers = {REPLACING: None} if isinstance(out, RemotePath) else {}
    found = survey(out, {**own, **markers}, before.stamps if before else None)
    changed = [] if halfway else [name for name in found.changed if name != REPLACING]
    if changed:
        raise OutputExists(
            "files of the old output were changed since surgqa wrote them",
            expected="files as they were written, or none",
            found=shown(changed),
            where=str(out),
            fix="move them out of the folder, or name another folder with --out",
        )
    taken = [name for name in found.files if _is_taken(name, benchmarks, False)]
    taken += [name for name in found.folders if _is_taken(name, benchmarks, True)]
    if taken:
        raise OutputExists(
            "files in the output folder have names that the dataset needs",
            found=shown(taken),
            where=str(out),
            fix="move them out of the folder, or name another folder with --out",
        )
    return found


def _is_taken(name: str, benchmarks: Sequence[str], is_folder: bool) -> bool:
    """Return whether the new dataset may contain a file, or need a folder, of this name."""
    files = [re.escape(one) for one in (*DOCUMENTS, MANIFEST, REPLACING, SIGNATURE)]
    files += [rf"evidence/{table}\.parquet" for table in EVIDENCE_TABLES]
    files += [rf"rejected/{stage}\.jsonl" for stage in ("plan", *STAGES)]
    data = [f"data/{re.escape(benchmark)}" for benchmark in benchmarks]
    files += [rf"{folder}/[^/]+-\d{{5,}}-of-\d{{5,}}\.(parquet|jsonl)" for folder in data]
    own = [f"{TEMPLATES}/{re.escape(name)}" for name in (*benchmarks, "shared")]
    files += [rf"{one}/.+\.yaml" for one in own]
    folders = [] if is_folder else ["data", "evidence", "rejected", TEMPLATES, *data, *own]
    return re.fullmatch("|".join([*files, *folders]), name) is not None


def shown(names: Sequence[str]) -> str:
    """Return the first few names and the number of the remaining ones, as text."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def work_folder(out: Place, plan_digest: str) -> Place:
    """Return a hidden folder next to ``out``, on the same disk, so that one rename is enough.

    The folder's name contains the plan's digest. So a job with other settings that still runs on a
    cluster cannot write into this run's files.
    """
    return beside(out, f"partial-{plan_digest[:12]}")


def make_work(work: Place, out: Place, folders: Sequence[str]) -> None:
    """Create the work folder, and fail now if the final rename would fail.

    Raises:
        UserError: the folder is not writable, or ``out`` cannot be replaced.
    """
    make_replacing(work, out, OPTION)
    for name in folders:
        (work / name).mkdir(parents=True)


def remove_leftovers(out: Place) -> None:
    """Remove the work folders that killed runs with the same output folder left behind."""
    mine = re.compile(re.escape(f".{out.name}.partial-") + "[0-9a-f]{12}")
    for path in listed(out.parent) if out.parent.is_dir() else []:
        if mine.fullmatch(path.name):
            remove_tree(path)


def restore(out: Place) -> None:
    """Finish or undo the replacement of an output by a run that was killed meanwhile.

    The old output, or the user files in it, are restored.
    """
    old, spare = beside(out, "old"), beside(out, "spare")
    if not (isinstance(out, Path) and isinstance(old, Path) and isinstance(spare, Path)):
        return
    for kept in (spare, old):
        if kept.exists() and not out.exists():
            kept.rename(out)
    for kept in (spare, old):
        _settle(kept, out)


def put_in_place(
    new: Place, out: Place, before: FolderContents, benchmarks: Sequence[str]
) -> list[str]:
    """Replace the output by the finished folder; the old output is removed last.

    Args:
        before: the result of :func:`look_over` before the work began.

    Returns:
        Names of the user's files and folders that were copied, to be printed.

    Raises:
        UserError: the output cannot be replaced. A complete local output stays next to it.
    """
    if isinstance(new, RemotePath) or isinstance(out, RemotePath):
        return _upload(new, out, look_over(out, benchmarks, before))
    try:
        found = look_over(out, benchmarks, before)
        _swap(new, out, found)
    except (OSError, UserError) as error:
        raise _kept_aside(new, out, error) from None
    return _own_names(found)


def _swap(new: Path, out: Path, found: FolderContents) -> None:
    old, spare = beside(out, "old"), beside(out, "spare")
    assert isinstance(old, Path) and isinstance(spare, Path)
    if not out.exists():
        new.rename(out)
        return
    carry(found, out, new)
    shutil.copymode(out, new)
    new.rename(old)
    try:
        exchange(old, out, spare)
    except OSError:
        old.rename(new)
        raise
    _settle(old, out)


def _settle(old: Path, out: Path) -> None:
    """Remove an old output after all user files in it have been copied to the new output."""
    if not old.exists():
        return
    # Files that cannot be copied stay where they are; the next run tries again.
    with suppress(OSError):
        own, new = _own(old) or {}, _own(out) or {}
        found = survey(old, own)
        files = tuple(name for name in found.files if name not in new)
        carry_late(FolderContents(files, found.folders, ()), old, out)
        shutil.rmtree(old)


def _kept_aside(new: Path, out: Path, error: OSError | UserError) -> UserError:
    """Return the error that names the folder of the finished dataset, so that no work is lost."""
    if not (new / MANIFEST).is_file():
        raise AssertionError(f"the finished dataset no longer exists: {error}")
    aside = put_aside(new, out)
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return PlaceUnusable(
        "the finished dataset could not be put in place", found=reason or str(error),
        where=str(out), fix=f"it is complete in {aside}: move it from there",
    )  # fmt: skip


def has_items(out: Place) -> bool:
    """Return whether the old output has items: an empty dataset has no data files."""
    return any(name.startswith("data/") for name in _own(out) or {})


def put_aside(new: Place, out: Place) -> Place:
    """Move a finished folder next to ``out``, with its digest in the name; return its path."""
    digest = orjson.loads((new / MANIFEST).read_bytes())["digest"]
    aside = out.with_name(f"{out.name}-{digest[:12]}")
    if isinstance(new, RemotePath) or isinstance(aside, RemotePath):
        _upload(new, aside, FolderContents((), (), ()))
    elif not aside.exists():
        new.rename(aside)
    return aside


def _upload(new: Place, out: Place, found: FolderContents) -> list[str]:
    """Replace a remote output, which cannot be renamed in one step.

    The old manifest is removed first and the new manifest is written last, so that a partial state
    is never taken for a dataset. User files stay where they are.
    """
    manifest = (new / MANIFEST).read_bytes()
    mine = {MANIFEST: None, **(ours(manifest) or {})}
    old = _own(out) or {}
    (out / REPLACING).write_bytes(orjson.dumps(sorted({*mine, *old})))
    (out / MANIFEST).unlink(missing_ok=True)
    for name in sorted(set(old) - set(mine)):
        (out / name).unlink(missing_ok=True)
    (new / MANIFEST).unlink()
    copy_tree(new, out)
    (out / MANIFEST).write_bytes(manifest)
    (out / REPLACING).unlink(missing_ok=True)
    return _own_names(found)


def _own_names(found: FolderContents) -> list[str]:
    """Return the names of the user's files; a folder with nothing but user files is one name."""
    whole = tuple(f"{name}/" for name in found.folders)
    top = [name for name in whole if not name.startswith(tuple(w for w in whole if w != name))]
    return sorted([*top, *(name for name in found.files if not name.startswith(whole))])
