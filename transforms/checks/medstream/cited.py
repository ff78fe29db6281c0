"""Finds the times that a row's evidence text cites.

Such a text contains ``301.0-371.0 s``, ``from 301 to 371 s``, ``at 44.0 s`` or, if only the order
of frames is known, ``frames 12 to 31``. A duration in the text is taken for a time, so rules test
only whether at least one of the times fits.
"""

from __future__ import annotations

import re
from functools import lru_cache

_NUMBER = r"\d+(?:\.\d+)?"
_UNIT = r"\s*(?:s|sec|secs|seconds?)\b"
_TO = rf"(?:{_UNIT})?\s*(?:-|–|—|to|until|and)\s*"
_SECONDS = re.compile(rf"(?<![\w.-])({_NUMBER})(?:{_TO}({_NUMBER}))?{_UNIT}")
_FRAMES = re.compile(
    rf"\b(?:frames?|pictures?|images?)\s+({_NUMBER})(?:\s*(?:-|–|—|to|until)\s*({_NUMBER}))?"
)

Span = tuple[float, float]


@lru_cache(maxsize=4096)
def cited(evidence: str, unit: str) -> tuple[Span, ...]:
    """Return (start, end) of each time in the text; both are equal for a single time.

    If the unit is "frame", frame numbers and seconds both count, with one frame per second.
    """
    patterns = (_FRAMES, _SECONDS) if unit == "frame" else (_SECONDS,)
    every = (m for pattern in patterns for m in pattern.finditer(evidence))
    found = ((float(m[1]), float(m[2] or m[1])) for m in every)
    return tuple((min(pair), max(pair)) for pair in found)


def cites_time(evidence: str) -> bool:
    """Return whether the text cites a time or a frame."""
    return bool(cited(evidence, "sec") or cited(evidence, "frame"))
