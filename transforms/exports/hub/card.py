"""The card of a hub's dataset: the output's own card, plus the export's files and columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from surgqa.transforms.exports.card import front_matter
from surgqa.transforms.exports.chat import COLUMNS as COUNTS
from surgqa.transforms.exports.dialogue import LABELS
from surgqa.transforms.store import OutputFolder

COLUMNS = {
    "id": "of the dialogue: an item, a chain, or all questions about one clip",
    ", ".join(LABELS): "of its items; unit says what a question is about",
    "messages": "role and content; each tag of a content stands for the next picture or clip",
    "items": "id, round and answer of each question, as `surgqa score` knows them",
    "images, videos": "the files themselves",
}


def write_card(
    folder: OutputFolder, to: Path, counts: Mapping[tuple[str, str], Counter[str]]
) -> None:
    """Write ``README.md``: the output's own card, with a front matter that names the export's
    files.
    """
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
    """Return the files of a split; its name has only letters, digits and underscores."""
    return {"split": re.sub(r"\W", "_", split), "path": f"data/{name}/{split}-*.parquet"}


def _here(to: Path, counts: Mapping[tuple[str, str], Counter[str]]) -> str:
    """Return a description of this export, which precedes the output's own description."""
    lines = ["", "# Dialogues with pictures and clips", "",
             "| benchmark | split | dialogues | questions | pictures | clips | megabytes |",
             "| --- | --- | --- | --- | --- | --- | --- |"]  # fmt: skip
    for (name, split), mine in sorted(counts.items()):
        size = sum(one.stat().st_size for one in (to / "data" / name).glob(f"{split}-*.parquet"))
        cells = " | ".join(str(mine[key]) for key in COUNTS)
        lines.append(f"| {name} | {split} | {cells} | {size / 1e6:.1f} |")
    lines += ["", "| column | holds |", "| --- | --- |"]
    lines += [f"| {name} | {cells} |" for name, cells in COLUMNS.items()]
    lines += ["", "Questions whose pictures could not be cut are in `left_out.jsonl` with reasons.",
              "The text below tells of the output that this was made from.", ""]  # fmt: skip
    return "\n".join(lines) + "\n"
