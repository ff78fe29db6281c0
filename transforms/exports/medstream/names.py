"""Ids of rows: they contain only a-z, 0-9, '.', '_' and '-', and no answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from surgqa.ontology.keys import digest

_ODD = re.compile(r"[^a-z0-9_-]+")
_EDGE = "-_"
_EMPTY = {"none", "null", "nan"}
LONGEST = 80
HEX = 8


def slug(name: str, instead: str = "") -> str:
    """A plain lower-case name; ``instead`` if it is too long, a missing value or a repetition."""
    plain = _ODD.sub("-", name.casefold()).strip(_EDGE)
    parts = re.split("[-_]", plain)
    odd = not plain or len(plain) > LONGEST or _EMPTY & set(parts) or repeats(parts)
    return instead if odd and instead else plain


def repeats(parts: list[str]) -> bool:
    """True if a run of parts with a letter in it occurs twice in a row."""
    for size in range(1, len(parts) // 2 + 1):
        for at in range(len(parts) - 2 * size + 1):
            run = parts[at : at + size]
            if run == parts[at + size : at + 2 * size] and re.search("[a-z]", "".join(run)):
                return True
    return False


def video_slug(dataset: str, video_id: str, alias: str) -> str:
    """Return a video's part of the id; its alias if the id begins with its dataset's name."""
    head, name = slug(dataset), slug(video_id, alias)
    return alias if name == head or name.startswith((f"{head}-", f"{head}_")) else name


def media_alias(dataset: str, video_id: str) -> str:
    """Return a name that reveals nothing about a video."""
    return f"v{digest('media', dataset, video_id)[:12]}"


def sample_id(row: Mapping[str, Any], video: str, alias: str, ticks: int) -> str:
    """Return the id ``<dataset>.<video>.<task>.<temporal mode>.<closed|open|stream>.<t_q>.<hex>``.

    t_q is in milliseconds or frames, with nine digits.  The hex is the start of the item's id, a
    digest of template, video, window and slots, so 'surgqa explain' finds the item.

    Args:
        video: id of the video, or its alias if that is hidden.
        alias: used if the id does not give a plain name.
    """
    kind = "closed" if row["options"] else "open"
    parts = (
        slug(row["dataset"]), video_slug(row["dataset"], video, alias),
        slug(task_name(row["task"])), row["temporal_mode"],
        "stream" if row["rounds"] else kind, f"{ticks:09d}", row["item_id"][:HEX],
    )  # fmt: skip
    return ".".join(parts)


def task_name(task: str) -> str:
    """Return the task without the temporal mode before it."""
    return task.rpartition("/")[2]
