"""The ``README.md`` of an exported folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_HEAD = """# Samples in the shape of SurgVeo

Written by `surgqa export --as surgveo`; `docs/surgveo.md` of surgqa describes fields and rules.
A sample is one image of an operation and the eight seconds of video that follow it. A model gets
the image and one of two prompts, and generates a video of eight seconds. Surgeons rate this video
against the reference.

| path | holds |
| --- | --- |
| `samples.jsonl` | one sample a line: operation, stage, first frame, number of frames, both prompts, licence |
| `prompts/` | both prompts of every sample as text, and the two templates that they were made from |
{media}| `extension.jsonl` | questions that the labels answer, without their answers; not part of the benchmark |
| `extension_answers.jsonl` | the same with their answers; not for models |
| `export.json` | counts, and the SHA-256 of every file |

{cut}

The licence of a recording also applies to media and text that were made from it. It is given in
`licence` of every line.

| track | operations | samples | additional questions |
| --- | --- | --- | --- |
"""  # noqa: E501 - a table's row is one line

_MEDIA = """| `input/` | the image that a model gets, one for each sample |
| `reference/` | the real eight seconds; the first frame is the image |
| `clips/`, `frames/` | media of the questions in `extension.jsonl` |
"""
_NEXT = """Generate `<sample id>.baseline.mp4` and `<sample id>.stage_aware.mp4` for every sample
with a model, then: `surgqa study new THIS_FOLDER --videos DIR --raters TRACK=NAME,NAME --name NAME
--to STUDY`."""
_UNCUT = """No media were exported. Export again with `--root DATASET=DIR`, the folder of the videos,
to get images and references."""  # noqa: E501 - lines of a page


def readme(manifest: Mapping[str, Any]) -> str:
    """Return the text of the page; its counts are those of the manifest."""
    cut = bool(manifest["cut"])
    head = _HEAD.format(media=_MEDIA if cut else "", cut=_NEXT if cut else _UNCUT)
    lines = []
    for track, one in manifest["tracks"].items():
        note = f" ({one['note']})" if one["note"] else ""
        extra = ", ".join(f"{kind} {n}" for kind, n in one["extension"].items()) or "none"
        videos = ", ".join(f"`{name}`" for name in one["operations"])
        lines.append(f"| {track} | {videos}{note} | {one['samples']} | {extra} |\n")
    return head + "".join(lines)
