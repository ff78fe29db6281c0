"""Write what every export of dialogues contains: media, a list of left-out items, and a record."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from surgqa.transforms.exports.dialogue import Dialogue
from surgqa.transforms.exports.writing import digests, write_lines, write_record
from surgqa.transforms.places import Place, RemotePath, below
from surgqa.transforms.store import OutputFolder

LEFT_OUT, LICENCES = "left_out.jsonl", "licences.md"
MEDIA = "media/"


def placed(dialogues: Iterator[Dialogue], store: Place | None, to: Path) -> Iterator[Dialogue]:
    """Yield the dialogues after their images and clips were linked or copied into the folder."""
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


def write_about(
    folder: OutputFolder, to: Path, form: str, settings: Mapping[str, Any],
    left_out: Sequence[Mapping[str, Any]],
) -> None:  # fmt: skip
    """Write ``left_out.jsonl``, ``licences.md`` and ``export.json``, with digests of all files."""
    write_lines(to / LEFT_OUT, left_out)
    licences = folder.path / LICENCES
    if licences.is_file():
        (to / LICENCES).write_bytes(licences.read_bytes())
    write_record(folder, to, form, **settings, left_out=len(left_out), files=digests(to))
