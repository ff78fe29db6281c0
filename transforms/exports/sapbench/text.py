"""The ``README.md`` of an exported folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_HEAD = """# Next actions in the shape of SAP-Bench

Written by `surgqa export --as sapbench`; `docs/sapbench.md` of surgqa describes the fields.

| path | holds |
| --- | --- |
| `samples.jsonl` | for models: current frame, image, messages in three settings; no answer |
| `references.jsonl` | for scoring: the correct action or plan, and its evidence |
| `clips/<dataset>.csv` | the action clips; a run reads them back as `action_clips` |
| `statistics.json` | number and duration of the clips, in total and for each action |
| `frames/<dataset>/<video>/<second>.png` | the image of a current frame, if it was exported |
| `export.json` | counts, and size and SHA-256 of every file |

Frames are counted in seconds of the video; the last frame of a clip belongs to the clip.
Do not show `references.jsonl` or `clips` to a model: they contain the correct answers.

{remarks}

| dataset | videos | clips | current frames | images |
| --- | --- | --- | --- | --- |
"""


def readme(manifest: Mapping[str, Any]) -> str:
    """Return the text of the page; its counts are those of the manifest."""
    lines = [
        f"| {name} | {one['videos']} | {one['clips']} | {one['frames']} | {one['pictures']} |\n"
        for name, one in manifest["datasets"].items()
    ]
    remark_lines = (
        "\n".join(f"- {one}." for one in manifest["remarks"]) or "Every sample has its image."
    )
    return _HEAD.format(remarks=remark_lines) + "".join(lines)
