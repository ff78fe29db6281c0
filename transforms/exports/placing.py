"""What an export of dialogues adds to its own files: media, the items left out, and a record."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from transforms.exports.dialogue import Dialogue
from transforms.places import Place, RemotePath, below
from transforms.store import OutputFolder

LEFT_OUT, RECORD, LICENCES = "left_out.jsonl", "export.json", "licences.md"
MEDIA = "media/"


def placed(dialogues: Iterator[Dialogue], store: Place | None, to: Path) -> Iterator[Dialogue]:
    """The dialogues, once their images and clips are in the folder, each linked or copied once."""
    for one in dialogues:
        for path in one.media("image") + one.media("video"):
            target = below(to, path)
            if store is not None and not target.exists():
                put(below(store, path.removeprefix(MEDIA)), target)
        yield one


def put(source: Place, target: Path) -> None:
    """Create a hard link to the same file if the disk allows it, otherwise a copy."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(source, RemotePath):
        target.write_bytes(source.read_bytes())
        return
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def write_record(
    folder: OutputFolder, to: Path, form: str, settings: Mapping[str, Any],
    left_out: Sequence[Mapping[str, Any]],
) -> None:  # fmt: skip
    """Write ``left_out.jsonl``, ``licences.md`` and ``export.json``, with digests of all files."""
    write_lines(to / LEFT_OUT, left_out)
    licences = folder.path / LICENCES
    if licences.is_file():
        (to / LICENCES).write_bytes(licences.read_bytes())
    files = {path.relative_to(to).as_posix(): _sha256(path)
             for path in sorted(to.rglob("*")) if path.is_file()}  # fmt: skip
    record = {
        "format": form, "source_digest": folder.manifest.get("digest"), **settings,
        "left_out": len(left_out), "files": files,
    }  # fmt: skip
    option = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    (to / RECORD).write_bytes(orjson.dumps(record, option=option))


def write_lines(path: Path, found: Iterable[Mapping[str, Any]]) -> None:
    """Write JSON Lines."""
    with path.open("wb") as file:
        file.writelines(orjson.dumps(one, option=orjson.OPT_APPEND_NEWLINE) for one in found)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
