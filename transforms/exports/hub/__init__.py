"""``--as hub``: Parquet files with dialogues and their media, and a card for dataset hubs."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
from ruamel.yaml import YAML

from surgqa.transforms.exports.card import front_matter
from surgqa.transforms.exports.chat import COLUMNS as COUNTS
from surgqa.transforms.exports.chat import count, table_of
from surgqa.transforms.exports.dialogue import LABELS, Dialogue, messages, tagged
from surgqa.transforms.exports.formats import Format, Row
from surgqa.transforms.exports.parquet import SETTINGS
from surgqa.transforms.exports.talking import TAKING
from surgqa.transforms.exports.writing import rendered
from surgqa.transforms.store import OutputFolder

GROUP = 32
"""Number of dialogues in a row group, which is the smallest part that a program loads at once."""
FILE = 512 << 20
"""Number of bytes of images and clips after which a new file begins."""

WITH_SCHEMA = SETTINGS | {"store_schema": True}
"""The schema's metadata describe the columns to the library ``datasets``."""

_FILE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
_MESSAGE = pa.struct([("role", pa.string()), ("content", pa.string())])
_ITEM = pa.struct([("item_id", pa.string()), ("round_index", pa.int32()), ("answer", pa.string())])
_COLUMNS = {
    "id": pa.string(), **dict.fromkeys(LABELS, pa.string()), "messages": pa.list_(_MESSAGE),
    "items": pa.list_(_ITEM), "images": pa.list_(_FILE), "videos": pa.list_(_FILE),
}  # fmt: skip


def _feature(kind: pa.DataType) -> Any:
    if pa.types.is_list(kind):
        return {"feature": _feature(kind.value_type), "_type": "List"}
    if pa.types.is_struct(kind):
        return {field.name: _feature(field.type) for field in kind}
    return {"dtype": str(kind), "_type": "Value"}


FEATURES = {name: _feature(kind) for name, kind in _COLUMNS.items()} | {
    "images": {"feature": {"_type": "Image"}, "_type": "List"},
    "videos": {"feature": {"_type": "Video"}, "_type": "List"},
}
"""The columns as features of the library ``datasets``."""
SCHEMA = pa.schema(_COLUMNS).with_metadata(
    {"huggingface": orjson.dumps({"info": {"features": FEATURES}})}
)


def row_of(dialogue: Dialogue, to: Path) -> dict[str, Any]:
    """Return the row of a dialogue; tags in its messages stand for its media, in order."""
    files = {
        key: [{"bytes": (to / path).read_bytes(), "path": path.rpartition("/")[2]}
              for path in dialogue.media(kind)]
        for key, kind in (("images", "image"), ("videos", "video"))
    }  # fmt: skip
    items = [{"item_id": turn.item_id, "round_index": turn.round_index, "answer": turn.answer}
             for turn in dialogue.turns]  # fmt: skip
    return {"id": dialogue.id, **dialogue.labels, "split": dialogue.split, "items": items,
            "messages": messages(dialogue, tagged()), **files}  # fmt: skip


class _Files:
    """Writes the files of one split of a benchmark."""

    def __init__(self, folder: Path, split: str) -> None:
        self.folder, self.split = folder, split
        self.waiting: list[dict[str, Any]] = []
        self.writer: pq.ParquetWriter | None = None
        self.number = self.size = 0

    def add(self, row: dict[str, Any]) -> None:
        """Add a row; rows are written in groups."""
        self.waiting.append(row)
        self.size += sum(len(one["bytes"]) for key in ("images", "videos") for one in row[key])
        if len(self.waiting) == GROUP:
            self.write()
        if self.size >= FILE:
            self.close()

    def write(self) -> None:
        """Write the rows of the current group."""
        if self.waiting:
            if self.writer is None:
                self.folder.mkdir(parents=True, exist_ok=True)
                path = self.folder / f"{self.split}-{self.number:05d}.parquet"
                self.writer = pq.ParquetWriter(path, SCHEMA, **WITH_SCHEMA)
            self.writer.write_table(pa.Table.from_pylist(self.waiting, SCHEMA))
        self.waiting = []

    def close(self) -> None:
        """Close the current file."""
        self.write()
        if self.writer is not None:
            self.writer.close()
            self.number += 1
        self.writer, self.size = None, 0


def talk(folder: OutputFolder, to: Path, dialogues: Iterator[Dialogue]) -> list[Row]:
    """Write the files of all benchmarks and splits, and the card."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    files: dict[tuple[str, str], _Files] = {}
    for one in dialogues:
        key = str(one.labels["benchmark"]), one.split
        mine = files.setdefault(key, _Files(to / "data" / key[0], key[1]))
        mine.add(row_of(one, to))
        count(counts.setdefault(key, Counter()), one)
    for mine in files.values():
        mine.close()
    shutil.rmtree(to / "media", ignore_errors=True)
    write_card(folder, to, counts)
    return table_of(counts, "benchmark", "split")


def write_card(
    folder: OutputFolder, to: Path, counts: Mapping[tuple[str, str], Counter[str]]
) -> None:
    """Write ``README.md``: the card of the output, with the files of this export."""
    own = folder.path / "README.md"
    text = own.read_text(encoding="utf-8") if own.is_file() else "---\n{}\n---\n"
    _, front, body = text.split("---\n", 2)
    head: dict[str, Any] = dict(YAML(typ="safe").load(front) or {})
    names = sorted({name for name, _ in counts})
    head["configs"] = [
        {
            "config_name": name,
            "data_files": [_where(*key) for key in sorted(counts) if key[0] == name],
        }
        for name in names
    ]
    (to / "README.md").write_text(f"{front_matter(head)}{_here(to, counts)}{body}", "utf-8")


def _where(name: str, split: str) -> dict[str, str]:
    """Return the pattern of a split's files, and a name of the split that hubs allow."""
    return {"split": re.sub(r"\W", "_", split), "path": f"data/{name}/{split}-*.parquet"}


def _here(to: Path, counts: Mapping[tuple[str, str], Counter[str]]) -> str:
    """Return the description of this export, which stands before the output's description."""
    rows = []
    for (name, split), mine in sorted(counts.items()):
        size = sum(one.stat().st_size for one in (to / "data" / name).glob(f"{split}-*.parquet"))
        rows.append([name, split, *(mine[key] for key in COUNTS), f"{size / 1e6:.1f}"])
    return rendered("hub/readme.md.jinja", rows=rows, labels=LABELS)


FORMAT = Format(
    name="hub", taking=TAKING, talk=talk,
    summary="Parquet for datasets.load_dataset, media inside, by benchmark and split; a card",
)  # fmt: skip
