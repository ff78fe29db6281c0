"""One item as plain text, for terminals and logs."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from surgqa.ontology.errors import SourceMissing
from surgqa.ontology.times import print_seconds
from surgqa.pipeline.demo.moments import shown_times
from surgqa.transforms.media.frames import frame_path

POINTERS = 3
"""Maximum number of evidence pointers printed; the rest is counted."""


def describe_item(row: Mapping[str, Any], root: Path | None = None, width: int = 88) -> str:
    """Return the question, options, answer, evidence and frames of an item, as text.

    Args:
        row: one row of ``data/``.
        root: the dataset's folder; with it, full paths of the frame files are printed.
        width: columns to wrap at.
    """
    start, end = print_seconds(row["start_us"]), print_seconds(row["end_us"])
    window = f"{row['dataset']}/{row['video_id']}, {start} to {end} s, {row['task']}"
    lines = [f"{row['item_id']}  {row['template_id']}", window, ""]
    lines += textwrap.wrap(row["question"], width)
    for option in row.get("options") or ():
        mark = "*" if option["is_answer"] else " "
        lines += _hanging(f"{mark} {option['key']}) ", option["text"], width)
    lines += ["", *_hanging("answer    ", row["answer"], width)]
    lines += _hanging("evidence  ", evidence_line(row), width)
    lines += [f"frame     {place}" for place in frame_places(row, root)]
    return "\n".join(lines)


def evidence_line(row: Mapping[str, Any]) -> str:
    """Return kind, id and seconds of the first pieces of evidence, and the number of others."""
    pointers = row.get("evidence") or []
    parts = [_pointer(p) for p in pointers[:POINTERS]]
    if len(pointers) > POINTERS:
        parts.append(f"and {len(pointers) - POINTERS} more")
    text = "; ".join(parts) or "none"
    source = row.get("label_source")
    return f"{text} (labels: {source})" if source else text


def _pointer(pointer: Mapping[str, Any]) -> str:
    start, end = print_seconds(pointer["start_us"]), print_seconds(pointer["end_us"])
    when = f"at {start} s" if start == end else f"{start} to {end} s"
    return f"{pointer['kind']} {pointer['id']} {when}"


def frame_places(row: Mapping[str, Any], root: Path | None = None) -> list[str]:
    """Return the frame file, or the video file and second, of each shown moment."""
    media = row.get("media") or {"kind": "absent", "path": None}
    if media["kind"] == "absent" or media["path"] is None:
        return ["none: the dataset was built without pictures"]
    if media["kind"] == "image":
        return [_joined(root, media["path"])]
    places = []
    for time_us in shown_times(row):
        when = f"{print_seconds(time_us)} s"
        if media["kind"] == "frames" and root is not None:
            try:
                path = str(frame_path(root, media, time_us))
            except SourceMissing as error:
                path = error.summary
            places.append(f"{path} ({when})")
        else:
            places.append(f"{_joined(root, media['path'])} at {when}")
    return places


def _joined(root: Path | None, path: str) -> str:
    return path if root is None else str(Path(root) / path)


def _hanging(head: str, text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, initial_indent=head, subsequent_indent=" " * len(head)) or [
        head.rstrip()
    ]
