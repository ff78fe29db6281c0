"""The ``README.md`` of an exported folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_HEAD = """# Next actions in the shape of SAP-Bench

Written by `surgqa export --as sapbench`; `docs/sapbench.md` of surgqa describes the fields.

| path | holds |
| --- | --- |
| `samples.jsonl` | for models: current frame, picture, messages in three settings; no answer |
| `references.jsonl` | for graders: the right action or plan, and what it rests on |
| `clips/<dataset>.csv` | the action clips; a run reads them back as `action_clips` |
| `statistics.json` | number and duration of the clips, in all and of each action |
| `frames/<dataset>/<video>/<second>.png` | the picture of a current frame, where it was cut |
| `export.json` | counts, and size and SHA-256 of every file |

A frame is a second of the recording; a clip ends with its last frame, which belongs to it.
Keep `references.jsonl` and `clips` from whoever answers: they tell what comes next.

{remarks}

| dataset | videos | clips | current frames | pictures |
| --- | --- | --- | --- | --- |
"""


def readme(manifest: Mapping[str, Any]) -> str:
    """The text of the page; its counts are those of the manifest."""
    lines = [
        f"| {name} | {one['videos']} | {one['clips']} | {one['frames']} | {one['pictures']} |\n"
        for name, one in manifest["datasets"].items()
    ]
    told = "\n".join(f"- {one}." for one in manifest["remarks"]) or "Every sample has its picture."
    return _HEAD.format(remarks=told) + "".join(lines)
