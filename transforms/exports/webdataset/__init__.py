"""``--as webdataset``: tar files (shards), in which each dialogue is followed by its media."""

from __future__ import annotations

import io
import shutil
import tarfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import orjson

from surgqa.transforms.exports.chat import count, table_of
from surgqa.transforms.exports.dialogue import Dialogue, messages, tagged
from surgqa.transforms.exports.formats import Format, Row
from surgqa.transforms.exports.talking import TAKING
from surgqa.transforms.store import OutputFolder

SHARD = 512 << 20
"""Number of bytes after which a new shard begins."""


class Shards:
    """Writes the tar files of one split."""

    def __init__(self, to: Path, split: str, held: ExitStack, size: int = SHARD) -> None:
        self.to, self.split, self.held, self.size = to, split, held, size
        self.number, self.written = -1, size

    def add(self, files: list[tuple[str, bytes]]) -> None:
        """Add the files of one sample, whose names must be equal up to the first dot."""
        if self.written >= self.size:
            self.number, self.written = self.number + 1, 0
            path = self.to / f"{self.split}-{self.number:06d}.tar"
            # Closed at the end with all others, because there are few shards.
            self.tar = self.held.enter_context(tarfile.TarFile(path, "w"))
        for name, data in files:
            info = tarfile.TarInfo(name)  # no time and user, so the bytes are the same everywhere
            info.size = len(data)
            self.tar.addfile(info, io.BytesIO(data))
            self.written += len(data)


def sample(dialogue: Dialogue, to: Path) -> list[tuple[str, bytes]]:
    """Return the files of a dialogue: ``ID.json``, then media such as ``ID.000.jpg`` in order."""
    paths = dialogue.media("image") + dialogue.media("video")
    names = {path: f"{number:03d}.{path.rpartition('.')[2]}" for number, path in enumerate(paths)}
    record = {
        "id": dialogue.id, **dialogue.labels, "messages": messages(dialogue, tagged()),
        "images": [names[path] for path in dialogue.media("image")],
        "videos": [names[path] for path in dialogue.media("video")],
        "items": [{"item_id": turn.item_id, "round_index": turn.round_index}
                  for turn in dialogue.turns],
    }  # fmt: skip
    found = [(f"{dialogue.id}.json", orjson.dumps(record))]
    return found + [(f"{dialogue.id}.{names[path]}", (to / path).read_bytes()) for path in paths]


def talk(_folder: OutputFolder, to: Path, dialogues: Iterator[Dialogue]) -> list[Row]:
    """Write the shards, and delete the folder of media, because the shards contain them."""
    counts: dict[str, Counter[str]] = {}
    shards: dict[str, Shards] = {}
    with ExitStack() as held:
        for one in dialogues:
            mine = shards.setdefault(one.split, Shards(to, one.split, held))
            mine.add(sample(one, to))
            count(counts.setdefault(one.split, Counter()), one)
    shutil.rmtree(to / "media", ignore_errors=True)
    return table_of(counts)


FORMAT = Format(
    name="webdataset", taking=TAKING, talk=talk,
    summary="tar shards of dialogues with their pictures and clips",
)  # fmt: skip
