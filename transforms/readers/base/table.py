"""Convert label rows to records: instants, instrument instances and labelled intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from surgqa.ontology.records import UNKNOWN, Span
from surgqa.ontology.times import SECOND_US, frame_to_us

_EXACT = 2**62


def instants_of(frames: np.ndarray, fps: Fraction) -> np.ndarray:
    """Return times of frames (T,) as int64 microseconds (T,), exactly as ``times.frame_to_us``."""
    twice_us = 2 * SECOND_US * fps.denominator
    largest = int(frames.max(initial=1))
    if largest * twice_us + 2 * fps.numerator < _EXACT:
        return (frames * twice_us + fps.numerator) // (2 * fps.numerator)
    return np.array([frame_to_us(int(frame), fps) for frame in frames], dtype=np.int64)


def spans_of(
    kind: str,
    instants_us: np.ndarray,
    codes: np.ndarray,
    labels: Sequence[str],
    period_us: int,
    source: str,
    place: Callable[[int, int], str],
) -> tuple[Span, ...]:
    """Return half-open intervals of consecutive instants with the same label.

    An instant lasts one period.  An interval ends where the label changes, where the
    label is unknown, or where two annotated instants are more than 1.5 periods apart.

    Args:
        instants_us: int64 (T,), ascending.
        codes: int (T,), index into ``labels``, UNKNOWN where not annotated.
        place: maps first and last position in the instants to a place in the source.
    """
    if not codes.size:
        return ()
    far = 2 * np.diff(instants_us) > 3 * period_us
    breaks = np.flatnonzero((codes[1:] != codes[:-1]) | far) + 1
    starts = [0, *breaks.tolist()]
    ends = [*breaks.tolist(), codes.size]
    out = []
    for start, end in zip(starts, ends, strict=True):
        if codes[start] == UNKNOWN:
            continue
        end_us = int(instants_us[end - 1]) + period_us
        if end < codes.size:
            # Rounding to microseconds may make neighbours overlap by one microsecond.
            end_us = min(end_us, int(instants_us[end]))
        label = labels[int(codes[start])]
        where = place(start, end - 1)
        out.append(Span(kind, label, int(instants_us[start]), end_us, source, where,
                        sampled_us=period_us))  # fmt: skip
    return tuple(out)
