"""The ``README.md`` of an exported folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_HEAD = """# Items in the format of MedStreamBench

Written by `surgqa export --as medstreambench`; `docs/medstream.md` of surgqa describes the
fields. `surgqa check` on this folder holds the rows against known defects.

| path | holds |
| --- | --- |
| `annotations/<dataset>.jsonl` | rows with answers, evidence and rubrics: for graders |
| `model/<dataset>.jsonl` | the same rows without answers: the input for a model |
| `media_map.jsonl` | recordings: alias, id, path below the dataset's root, split |
| `export.json` | counts, and lines and SHA-256 of every file |

Rows for models name recordings by their alias. {hidden}
A stream's rounds are asked one by one: a model that sees their list knows when something
happens.

| dataset | items | rounds | by temporal mode |
| --- | --- | --- | --- |
"""


def readme(manifest: Mapping[str, Any]) -> str:
    """Return the text of the page; its counts are those of the manifest."""
    hidden = manifest["hidden_names"]
    hidden_counts = (
        f"Rows with answers do so for {', '.join(hidden)}, where ids or paths spell answers."
        if hidden
        else "Rows with answers keep their ids and paths, as none of them spells an answer."
    )
    lines = [
        f"| {name} | {one['items']} | {one['rounds']} | "
        f"{', '.join(f'{mode} {n}' for mode, n in one['by_temporal_mode'].items())} |\n"
        for name, one in manifest["datasets"].items()
    ]
    return _HEAD.format(hidden=hidden_counts) + "".join(lines)
