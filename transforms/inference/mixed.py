"""Shuffled frames with letters, for questions that ask for their order.

A row's slots contain more than a model may know; only these times are read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from ontology.errors import OutputBroken
from transforms.inference.prompts import Prompt

COLUMNS = ("slots",)
"""Columns read in addition to :data:`windows.COLUMNS`."""

SHOWN = "shown_us"
"""The slot with the times."""

IN_ORDER = "in order of time"
MIXED = "in mixed order and each behind its letter"
LETTERS = "ABCDEFGH"


def shown_us(row: Mapping[str, Any]) -> tuple[int, ...]:
    """Times of the frames in display order; () for all other items.

    Raises:
        OutputBroken: they are not times, or too many.
    """
    times = orjson.loads(row.get("slots") or "{}").get(SHOWN, [])
    known = isinstance(times, list) and all(isinstance(time, int) for time in times)
    if not known or len(times) > len(LETTERS):
        raise OutputBroken(
            f"item {row['item_id']} does not state which frames it shows", found=str(times)[:80],
            expected=f"at most {len(LETTERS)} times", where=f"slots: {SHOWN}",
            fix="build the dataset again",
        )  # fmt: skip
    return tuple(times)


def mixed_frames(times_us: Sequence[int], prompt: Prompt) -> list[dict[str, Any]]:
    """Time and caption of each frame; the caption has the letter but no time."""
    return [
        {"time_us": time, "caption": prompt.render("mixed frame", {"letter": letter}) or None}
        for time, letter in zip(times_us, LETTERS, strict=False)
    ]
