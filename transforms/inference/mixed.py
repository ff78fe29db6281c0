"""Pictures out of order, each under a letter, where their order is asked for.

A row's slots hold more than a model may know, so nothing but those times is read of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from ontology.errors import OutputBroken
from transforms.inference.prompts import Prompt

COLUMNS = ("slots",)
"""What is read of a row beside :data:`windows.COLUMNS`."""

SHOWN = "shown_us"
"""The slot that holds the times."""

IN_ORDER = "in order of time"
MIXED = "in mixed order and each behind its letter"
LETTERS = "ABCDEFGH"


def shown_us(row: Mapping[str, Any]) -> tuple[int, ...]:
    """Times of the pictures in the order in which they are shown; () for all other items.

    Raises:
        OutputBroken: they are no times, or too many.
    """
    times = orjson.loads(row.get("slots") or "{}").get(SHOWN, [])
    known = isinstance(times, list) and all(isinstance(time, int) for time in times)
    if not known or len(times) > len(LETTERS):
        raise OutputBroken(
            f"item {row['item_id']} does not say which pictures it shows", found=str(times)[:80],
            expected=f"at most {len(LETTERS)} times", where=f"slots: {SHOWN}",
            fix="build the dataset again",
        )  # fmt: skip
    return tuple(times)


def mixed_frames(times_us: Sequence[int], prompt: Prompt) -> list[dict[str, Any]]:
    """Time and caption of each picture; the caption tells the letter and no time."""
    return [
        {"time_us": time, "caption": prompt.render("mixed frame", {"letter": letter}) or None}
        for time, letter in zip(times_us, LETTERS, strict=False)
    ]
