"""Splits by surgery: one patient or surgery is never in two of them.

SurgSTU splits by procedure; which procedures is not published.  Ours: 80 / 10 / 10 by
the digest of the split group (aliases of one surgery share it), or a list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from ontology.keys import h64

SPLITS = ("train", "val", "test")
HELD_OUT = "held_out"
"""The split of what is held out; the others are as they would be without it."""

By = Literal["dataset", "procedure", "specialty"]
"""What recordings can be held out by."""

HOLD_OUT: tuple[By, ...] = get_args(By)

Held = Mapping[By, Sequence[str]]
"""By what -> values, in plain letters."""


def split_of(group: str, seed: str, shares: Mapping[str, float]) -> str:
    """Split of a group by its digest.

    Args:
        group: split group, such as ``cholec/74``.
        shares: split name to share, summing to 1; order decides which range is whose.
    """
    place = h64("split", seed, group) / 2**64
    edge = 0.0
    for name, share in shares.items():
        edge += share
        if place < edge:
            return name
    return next(reversed(list(shares)))


def is_held(held: Held, video: Mapping[str, str]) -> bool:
    """Whether a recording is held out: one of its values is named, capitals aside."""
    return any(video[key].casefold() in {one.casefold() for one in values}
               for key, values in held.items())  # fmt: skip
