"""The ``README.md`` of an exported folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_HEAD = """# Chains in the shape of SurgCoT

Written by `surgqa export --as surgcot`; `docs/surgcot.md` of surgqa describes the fields.

| path | holds |
| --- | --- |
| `chains.jsonl` | one chain a line: main question and its stages nested |
| `Q/` | main questions |
| `Q_dq/` | main questions and their stages, without knowledge and clues |
| `Q_dq_clue/` | the same with knowledge, clues and the answers of earlier stages |
| `left_out.jsonl` | stages that cannot be shown, whose chains are left out |
| `export.json` | settings, and SHA-256 of every file |

Each part has `train.json`, `test.json` and, where the dataset has such a split, `val.json`;
`data.json` holds all items, also those without a split. `<video>` in a message stands for the clip
that `videos` names below this folder: the stretch from `start_s` to `end_s`. An export without
clips names the whole recording, below the root of its dataset. Times count from the start of the
recording.

{empty}

| part | items | by split |
| --- | --- | --- |
"""


def readme(counts: Mapping[str, Mapping[str | None, int]], empty: Sequence[str]) -> str:
    """Return the text of the page.

    Args:
        counts: for each folder and split, the number of items.
        empty: names of files without items.
    """
    listing = (
        f"Empty, because no recording is in that split: {', '.join(f'`{n}`' for n in empty)}."
        if empty
        else "No file is empty."
    )
    lines = [
        f"| `{name}` | {sum(by_split.values())} | "
        + ", ".join(f"{split or 'none'} {n}" for split, n in by_split.items())
        + " |\n"
        for name, by_split in counts.items()
    ]
    return _HEAD.format(empty=listing) + "".join(lines)
