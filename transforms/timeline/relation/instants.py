"""Facts from labels of single frames: from which to which time a label holds.

A label of instant ``t`` holds at ``t``. It is assumed that nothing changes between two neighbouring
instants with the same label (see the docs). A run is a label from instant i to instant j; it begins
in (t[i-1], t[i]] and ends in (t[j], t[j+1]]. The neighbours are annotated instants, however far
away. Questions state one time for each border: if the neighbour is near (:data:`REACH`), the
midpoint (as in SurgSTU: half a second at one label a second), otherwise the instant itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surgqa.transforms.timeline.relation.table import FAR, Columns

REACH = 1.5
"""Instants further apart than this many label periods are not neighbours; there is a gap."""


@dataclass(frozen=True, slots=True, eq=False)
class KindInstants:
    """The instants of one video at which a kind was annotated.

    Attributes:
        t: int64 (T,), ascending microseconds.
        period_us: usual time between two of them.
    """

    t: np.ndarray
    period_us: int

    @property
    def joined(self) -> np.ndarray:
        """bool (T + 1,), True where the time before instant k (or after the last) is no gap."""
        near = np.diff(self.t) <= REACH * self.period_us
        return np.concatenate([[False], near, [False]])

    def looked(self) -> np.ndarray:
        """Return int64 (K, 2), [first, last + 1 us) of each run of neighbouring instants."""
        if not len(self.t):
            return np.zeros((0, 2), np.int64)
        first = np.flatnonzero(~self.joined[:-1])
        last = np.append(first[1:] - 1, len(self.t) - 1)
        return np.stack([self.t[first], self.t[last] + 1], axis=1)


def holes_between(looked: np.ndarray) -> np.ndarray:
    """Return int64 (K, 2), the time outside the annotated stretches, beyond both ends of any video.

    Args:
        looked: int64 (L, 2), annotated stretches, half open, in any order; they may overlap.
    """
    at, out = -FAR, []
    for a, b in sorted(map(tuple, looked.tolist())):
        if a > at:
            out.append((at, a))
        at = max(at, b)
    if at < FAR:
        out.append((at, FAR))
    return np.array(out, np.int64).reshape(-1, 2)


@dataclass(frozen=True, slots=True, eq=False)
class Runs(Columns):
    """R runs: a label (key) at neighbouring annotated instants; all columns are arrays (R,).

    Attributes:
        key: int64, code of the label.
        first, last: int64, indices of the first and last instant.
        s0, s, s1, e0, e, e1: start and end, as in :class:`~.table.FactTable`, microseconds.
        s_gap, e_gap: int64, index of the time between instants before ``first`` and after ``last``.
    """

    key: np.ndarray
    first: np.ndarray
    last: np.ndarray
    s0: np.ndarray
    s: np.ndarray
    s1: np.ndarray
    e0: np.ndarray
    e: np.ndarray
    e1: np.ndarray
    s_gap: np.ndarray
    e_gap: np.ndarray


def runs_of(grid: KindInstants, key: np.ndarray, at: np.ndarray) -> Runs:
    """Return the longest possible runs of each label over neighbouring instants.

    Args:
        key: integers (N,), codes of the labels; pairs (key, at) may repeat.
        at: integers (N,), index of the instant of each label.
    """
    key, at = np.unique(np.stack([key, at], axis=1).astype(np.int64), axis=0).T
    goes_on = np.zeros(len(key) + 1, bool)
    goes_on[1:-1] = (key[1:] == key[:-1]) & (at[1:] == at[:-1] + 1) & grid.joined[at[1:]]
    begins, ends = np.flatnonzero(~goes_on[:-1]), np.flatnonzero(~goes_on[1:])
    first, last = at[begins], at[ends]
    before = np.concatenate([[-FAR - 1], grid.t])[first]
    after = np.concatenate([grid.t, [FAR]])[last + 1]
    near_start, near_end = grid.joined[first], grid.joined[last + 1]
    start, end = grid.t[first], grid.t[last]
    return Runs(
        key[begins], first, last,
        before + 1, np.where(near_start, _half(before, start), start), start,
        end + 1, np.where(near_end, _half(end, after), end + 1), after,
        first, last + 1,
    )  # fmt: skip


def _half(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the midpoint, with halves rounded up."""
    return (a + b + 1) // 2
