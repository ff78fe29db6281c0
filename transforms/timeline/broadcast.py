"""Broadcast: the label of an annotated instant holds half a second to each side.

SurgSTU (paper): sources at 1 fps label the frames in [t - 0.5 s, t + 0.5 s).  A frame
exactly half-way belongs to the later instant; outside every interval the label is
*unknown*, not idle.  Class, verb and target are broadcast, boxes are not.
"""

from __future__ import annotations

import numpy as np

from ontology.records import UNKNOWN
from transforms.timeline.settings import BroadcastLimits


def nearest_annotated(
    instants_us: np.ndarray, times_us: np.ndarray, limits: BroadcastLimits
) -> np.ndarray:
    """Index of the instant whose label holds at each time, UNKNOWN where none does.

    Args:
        instants_us: int64 (T,), strictly ascending annotated instants.
        times_us: int64 (F,), any times.

    Returns:
        int64 (F,).
    """
    if not len(instants_us):
        return np.full(len(times_us), UNKNOWN, dtype=np.int64)
    later = np.clip(np.searchsorted(instants_us, times_us), 0, len(instants_us) - 1)
    earlier = np.maximum(later - 1, 0)
    to_later = np.abs(instants_us[later] - times_us)
    to_earlier = np.abs(times_us - instants_us[earlier])
    nearest = np.where(to_later <= to_earlier, later, earlier)
    offset = times_us - instants_us[nearest]
    holds = (offset >= -limits.half_us) & (offset < limits.half_us)
    return np.where(holds, nearest, UNKNOWN)


def known_spans(instants_us: np.ndarray, half_us: int) -> np.ndarray:
    """Merged half-open intervals (K, 2) in which some label holds."""
    if not len(instants_us):
        return np.zeros((0, 2), dtype=np.int64)
    breaks = np.flatnonzero(np.diff(instants_us) > 2 * half_us)
    starts = np.concatenate([[0], breaks + 1])
    ends = np.concatenate([breaks, [len(instants_us) - 1]])
    return np.stack([instants_us[starts] - half_us, instants_us[ends] + half_us], axis=1)
