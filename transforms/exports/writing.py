"""Functions with which exports write JSON, files for each split, and records of written files."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from importlib import resources
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import orjson

from surgqa.ontology.keys import file_sha256
from surgqa.transforms.exports.dialogue import Dialogue
from surgqa.transforms.places import Place, RemotePath, below
from surgqa.transforms.store import OutputFolder

RECORD = "export.json"


def line(value: Any) -> bytes:
    """Return a value as one line of JSON."""
    return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)


def pretty(value: Any) -> bytes:
    """Return a value as indented JSON with sorted keys."""
    option = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(value, option=option)


def indented(value: Any) -> bytes:
    """Return a value as indented JSON with keys in their order, without a newline at the end."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2)


class WrittenFile(NamedTuple):
    """A file that was written: number of pieces (such as lines) and of bytes, and its digest."""

    pieces: int
    size: int
    sha256: str


def written(path: Path, pieces: Iterable[bytes]) -> WrittenFile:
    """Write a file piece by piece; create its folder if it does not exist."""
    path.parent.mkdir(parents=True, exist_ok=True)
    found, count, size = hashlib.sha256(), 0, 0
    with path.open("wb") as file:
        for piece in pieces:
            file.write(piece)
            found.update(piece)
            count, size = count + 1, size + len(piece)
    return WrittenFile(count, size, found.hexdigest())


def rendered(file: str, /, **values: Any) -> str:
    """Return a page: a Jinja template of this package, such as ``card.md.jinja``, filled in."""
    from jinja2 import Environment, StrictUndefined

    text = (resources.files("surgqa.transforms.exports") / file).read_text(encoding="utf-8")
    environment = Environment(  # noqa: S701  (Markdown, not HTML)
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    return environment.from_string(text).render(**values)


def write_lines(path: Path, found: Iterable[Mapping[str, Any]]) -> WrittenFile:
    """Write a JSON Lines file."""
    return written(path, map(line, found))


def write_record(folder: OutputFolder, to: Path, form: str, **more: Any) -> None:
    """Write ``export.json``: the format, the digest of the dataset, and the entries ``more``."""
    record = {"format": form, "source_digest": folder.manifest.get("digest"), **more}
    (to / RECORD).write_bytes(pretty(record))


def digests(to: Path) -> dict[str, str]:
    """Return path -> SHA-256 digest of every file in a folder."""
    files = sorted(one for one in to.rglob("*") if one.is_file())
    return {path.relative_to(to).as_posix(): file_sha256(path) for path in files}


class SplitFiles(ExitStack):
    """Writes ``<split>.jsonl`` for each split with lines; a context manager."""

    def __init__(self, to: Path) -> None:
        super().__init__()
        self.to = to
        self.files: dict[str, BinaryIO] = {}

    def add(self, split: str, value: Any) -> None:
        """Write one line to the file of a split."""
        if split not in self.files:
            self.files[split] = self.enter_context((self.to / f"{split}.jsonl").open("wb"))
        self.files[split].write(line(value))


def counted(
    counts: Mapping[Any, Counter[str]], names: tuple[str, ...], columns: tuple[str, ...]
) -> list[list[object] | tuple[str, ...]]:
    """Return a table of counts, header first, sorted by key.

    Args:
        counts: key (a text or a tuple of texts) -> counts by column.
        names: header of the columns for the parts of the key.
    """
    rows: list[list[object] | tuple[str, ...]] = [(*names, *columns)]
    for key, mine in sorted(counts.items()):
        rows.append([*((key,) if isinstance(key, str) else key), *(mine[one] for one in columns)])
    return rows


LEFT_OUT, LICENCES = "left_out.jsonl", "licences.md"
MEDIA = "media/"


def placed(dialogues: Iterator[Dialogue], store: Place | None, to: Path) -> Iterator[Dialogue]:
    """Yield dialogues after linking or copying their images and clips into the folder."""
    for one in dialogues:
        for path in one.media("image") + one.media("video"):
            target = below(to, path)
            if store is not None and not target.exists():
                put(below(store, path.removeprefix(MEDIA)), target)
        yield one


def put(source: Place, target: Path) -> None:
    """Create a hard link to a file if the disk allows it, otherwise a copy."""
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
