"""Splits by surgery: no patient or surgery is in two splits.

SurgSTU splits by procedure, but has not published which.  Ours: 80 / 10 / 10 by the digest of the
split group (aliases of one surgery share it), or a list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from ontology.keys import h64

SPLITS = ("train", "val", "test")
HELD_OUT = "held_out"
"""The split of held-out videos; the other splits do not change."""

By = Literal["dataset", "procedure", "specialty"]
"""Criteria for holding out videos."""

HOLD_OUT: tuple[By, ...] = get_args(By)

Held = Mapping[By, Sequence[str]]
"""Criterion -> values, in lower case."""


def split_of(group: str, seed: str, shares: Mapping[str, float]) -> str:
    """Split of a group by its digest.

    Args:
        group: split group, such as ``cholec/74``.
        shares: split name -> share, summing to 1; the order determines the ranges.
    """
    place = h64("split", seed, group) / 2**64
    edge = 0.0
    for name, share in shares.items():
        edge += share
        if place < edge:
            return name
    return next(reversed(list(shares)))


def is_held(held: Held, video: Mapping[str, str]) -> bool:
    """Whether a video is held out: one of its values is listed, ignoring case."""
    return any(video[key].casefold() in {one.casefold() for one in values}
               for key, values in held.items())  # fmt: skip
