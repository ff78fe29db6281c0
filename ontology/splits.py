"""Splits by surgery: a patient or surgery is in one split only.

SurgSTU splits by procedure, but does not publish how.  Here, each split group (all videos of one
patient or surgery) is put into train, val or test by its digest, 80, 10 and 10 per cent of the
groups, or as the official split says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from surgqa.ontology.keys import h64

SPLITS = ("train", "val", "test")
HELD_OUT = "held_out"
"""The split of videos that are held out; they do not change the other splits."""

By = Literal["dataset", "procedure", "specialty"]
"""Criteria for holding out videos."""

HOLD_OUT: tuple[By, ...] = get_args(By)

Held = Mapping[By, Sequence[str]]
"""Criterion -> values, in lower case."""


def split_of(group: str, seed: str, shares: Mapping[str, float]) -> str:
    """Return the split of a group, by its digest.

    Args:
        group: the split group, such as ``cholec/74``.
        shares: for each split name, the share; they sum to 1, and their order determines the
            ranges.
    """
    place = h64("split", seed, group) / 2**64
    edge = 0.0
    for name, share in shares.items():
        edge += share
        if place < edge:
            return name
    return next(reversed(list(shares)))


def is_held(held: Held, video: Mapping[str, str]) -> bool:
    """True if a video is held out, because one of its values is listed; case does not matter."""
    return any(video[key].casefold() in {one.casefold() for one in values}
               for key, values in held.items())  # fmt: skip
