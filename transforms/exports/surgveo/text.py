"""The ``README.md`` of an exported folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_HEAD = """# Samples in the shape of SurgVeo

Written by `surgqa export --as surgveo`; `docs/surgveo.md` of surgqa describes fields and rules.
A sample is one picture of an operation and the eight seconds that really follow it. A model is
given the picture and one of two prompts, and makes a video of eight seconds; surgeons rate it
against the reference.

| path | holds |
| --- | --- |
| `samples.jsonl` | one sample a line: operation, stage, first frame, number of frames, both prompts, licence |
| `prompts/` | both prompts of every sample as text, and the two texts with slots they were made from |
{media}| `extension.jsonl` | questions that labels alone answer, as a model may see them; no part of the benchmark |
| `extension_answers.jsonl` | the same with their answers; not for models |
| `export.json` | counts, and the SHA-256 of every file |

{cut}

What was cut out of a recording, and what is told of it, may be used as the recording's own
licence says: it is in `licence` of every line.

| track | operations | samples | questions beside |
| --- | --- | --- | --- |
"""  # noqa: E501 - a table's row is one line

_MEDIA = """| `input/` | the picture a model is given, one a sample |
| `reference/` | the real eight seconds; the first frame is the picture |
| `clips/`, `frames/` | what the questions in `extension.jsonl` show |
"""
_NEXT = """Have a model make `<sample id>.baseline.mp4` and `<sample id>.stage_aware.mp4` of every
sample, then: `surgqa study new THIS_FOLDER --videos DIR --raters TRACK=NAME,NAME --name NAME
--to STUDY`."""
_UNCUT = """Nothing was cut: export again with `--root DATASET=DIR`, the folder of the recordings,
for pictures and references."""


def readme(manifest: Mapping[str, Any]) -> str:
    """The text of the page; its counts are those of the manifest."""
    cut = bool(manifest["cut"])
    head = _HEAD.format(media=_MEDIA if cut else "", cut=_NEXT if cut else _UNCUT)
    lines = []
    for track, one in manifest["tracks"].items():
        note = f" ({one['note']})" if one["note"] else ""
        extra = ", ".join(f"{kind} {n}" for kind, n in one["extension"].items()) or "none"
        videos = ", ".join(f"`{name}`" for name in one["operations"])
        lines.append(f"| {track} | {videos}{note} | {one['samples']} | {extra} |\n")
    return head + "".join(lines)
