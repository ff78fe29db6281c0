"""The total length of overlapping intervals, and how many of them hold at the same time."""

from __future__ import annotations

import numpy as np


def union_length(
    filling: np.ndarray, begin: np.ndarray, end: np.ndarray, low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """Return int64 (n,), how much of [low, high) the intervals of each row cover together.

    Args:
        filling: int64 (m,), the row of each interval. ``begin``, ``end``: int64 (m,).
        low, high: int64 (n,); nothing is covered where ``low >= high``.
    """
    n = len(low)
    first = np.maximum(begin, low[filling]) - low[filling]
    last = np.minimum(end, high[filling]) - low[filling]
    keep = last > first
    filling, first, last = filling[keep], first[keep], last[keep]
    order = np.lexsort((first, filling))
    filling, first, last = filling[order], first[order], last[order]
    width = int(last.max(initial=0)) + 1
    # The rows get separate parts of the number line, so one running maximum is enough for all.
    first, last = first + filling * width, last + filling * width
    covered = np.concatenate([[0], np.maximum.accumulate(last)])[:-1] if len(last) else last
    fresh = last - np.maximum(first, covered)
    return np.bincount(filling, weights=np.maximum(fresh, 0), minlength=n).astype(np.int64)


def most_at_once(
    filling: np.ndarray, begin: np.ndarray, end: np.ndarray, low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """Return int64 (n,), the largest number of a row's intervals at one instant of [low, high).

    Args:
        filling: int64 (m,), the row of each interval. ``begin``, ``end``: int64 (m,).
        low, high: int64 (n,).
    """
    first = np.maximum(begin, low[filling])
    last = np.minimum(end, high[filling])
    keep = last > first
    filling, first, last = filling[keep], first[keep], last[keep]
    who = np.concatenate([filling, filling])
    when = np.concatenate([first, last])
    change = np.concatenate([np.ones(len(first), np.int64), -np.ones(len(last), np.int64)])
    order = np.lexsort((change, when, who))  # an end comes before a start at the same time
    running = np.cumsum(change[order])
    out = np.zeros(len(low), np.int64)
    np.maximum.at(out, who[order], running)  # the sum of every row starts and ends at 0
    return out
