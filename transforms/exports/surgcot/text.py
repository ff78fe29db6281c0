"""``README.md`` of an exported folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_HEAD = """# Chains in the shape of SurgCoT

Written by `surgqa export --as surgcot`; `docs/surgcot.md` of surgqa describes the fields.

| path | holds |
| --- | --- |
| `chains.jsonl` | one chain a line: main question and its stages nested |
| `Q/` | main questions |
| `Q_dq/` | main questions and their stages, without knowledge and clues |
| `Q_dq_clue/` | the same with knowledge, clues and the answers of earlier stages |
| `export.json` | counts, and items and SHA-256 of every file |

Each part has `train.json`, `test.json` and, where the dataset has such a split, `val.json`;
`data.json` holds all items, also those without a split. Paths are below the root of the
item's dataset; `<video>` in a message stands for its recording, of which the stretch from
`start_s` to `end_s` may be seen. Times count from the start of the recording.

{empty}

| part | items | by split |
| --- | --- | --- |
"""


def readme(manifest: Mapping[str, Any]) -> str:
    """The page; counts are those of the manifest."""
    empty = manifest["empty"]
    told = (
        f"Empty, because no recording is in that split: {', '.join(f'`{n}`' for n in empty)}."
        if empty
        else "No file is empty."
    )
    lines = [
        f"| `{name}` | {sum(by_split.values())} | "
        f"{', '.join(f'{split} {count}' for split, count in by_split.items())} |\n"
        for name, by_split in manifest["counts"].items()
    ]
    return _HEAD.format(empty=told) + "".join(lines)
