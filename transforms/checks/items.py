"""Checks the fields that every item copies from its video, and parses an item's JSON columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from surgqa.transforms.checks.evidence import VideoView

Problem = tuple[str, str]
COPIED = {name: name for name in ("procedure", "specialty", "split_group", "licence",
                                  "label_source")} | {"resolution_us": "period_us"}  # fmt: skip
"""Column of an item -> column of its video."""

MEDIA = {
    "path": "media_path", "kind": "media_kind", "fps_num": "fps_num", "fps_den": "fps_den",
    "width": "width", "height": "height", "first": "first_picture",
}  # fmt: skip
"""Field of an item's ``media`` -> column of its video."""


def parsed(row: Mapping[str, Any], column: str) -> dict[str, Any] | None:
    """Return a JSON column as a mapping, or None if it is not a JSON object."""
    try:
        value = orjson.loads(row[column])
    except (orjson.JSONDecodeError, TypeError):
        return None
    return value if isinstance(value, dict) else None


def header_problems(row: Mapping[str, Any], video: VideoView) -> Iterator[Problem]:
    """Yield a finding for each copied field that differs from the video's."""
    media = row["media"] or {}
    said = [*map(row.__getitem__, COPIED), *map(media.get, MEDIA)]
    wanted = [video.header[of] for of in (*COPIED.values(), *MEDIA.values())]
    if said == wanted:
        return
    names = (*COPIED, *(f"media.{name}" for name in MEDIA))
    for name, value, of in zip(names, said, wanted, strict=True):
        if value != of:
            yield "header_differs", f"{name}: item {value!r}, video {of!r}"
