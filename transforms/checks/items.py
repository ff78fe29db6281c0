"""What every item copies from its video, and its JSON columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from transforms.checks.evidence import VideoView

Problem = tuple[str, str]
COPIED = ("procedure", "specialty", "split_group", "licence", "label_source")


def parsed(row: Mapping[str, Any], column: str) -> dict[str, Any] | None:
    """A JSON column as a mapping, or None where it is none."""
    try:
        value = orjson.loads(row[column])
    except (orjson.JSONDecodeError, TypeError):
        return None
    return value if isinstance(value, dict) else None


def header_problems(row: Mapping[str, Any], video: VideoView) -> Iterator[Problem]:
    """Fields that every item copies from its video."""
    for name in COPIED:
        if row[name] != video.header[name]:
            yield "header_differs", f"{name}: item {row[name]!r}, video {video.header[name]!r}"
