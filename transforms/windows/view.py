"""What each window shows: every instrument's samples, side by side, as arrays.

A *presence* is one track inside one window.  M presences over S sample slots are held
as padded matrices, so that a question about all windows of a video is a few array
operations.  Instances of a class are numbered per window by first sample, ties by box.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ontology.boxes import distance
from ontology.records import UNKNOWN, Window
from ontology.times import SECOND_US
from transforms.timeline import Timeline

ABSENT = -1


@dataclass(frozen=True, eq=False)
class View:
    """All windows of one kind over one timeline.

    W windows, M presences (sorted by window, label id, instance), S = most annotated
    instants in a window.

    Attributes:
        first, count: int64 (W,), the window's instants are ``first .. first + count``.
        window: int32 (M,), label: int16 (M,), track: int32 (M,).
        instance: int32 (M,), number within its class in the window, from 1.
        row: int32 (M, S), row of the instrument table at the window's s-th instant, ABSENT.
    """

    timeline: Timeline
    windows: tuple[Window, ...]
    first: np.ndarray
    count: np.ndarray
    window: np.ndarray
    label: np.ndarray
    track: np.ndarray
    instance: np.ndarray
    row: np.ndarray

    @cached_property
    def start_us(self) -> np.ndarray:
        """int64 (W,), start of each window."""
        return np.array([w.start_us for w in self.windows], dtype=np.int64)

    @cached_property
    def end_us(self) -> np.ndarray:
        """int64 (W,), end of each window."""
        return np.array([w.end_us for w in self.windows], dtype=np.int64)

    @cached_property
    def time(self) -> np.ndarray:
        """int64 (W, S), the annotated instants; the last one repeats as padding.

        A window without an instant (labels sparser than windows) is padding throughout.
        """
        slots = np.arange(self.row.shape[1])
        index = self.first[:, None] + np.minimum(slots, np.maximum(self.count[:, None] - 1, 0))
        instants = self.timeline.table.instants_us
        return instants[np.minimum(index, len(instants) - 1)]

    @cached_property
    def inside(self) -> np.ndarray:
        """bool (W, S), the slot holds an instant (not padding)."""
        return np.arange(self.row.shape[1]) < self.count[:, None]

    @cached_property
    def grid(self) -> np.ndarray:
        """bool (W, S), instants that may be asked about: one a second at most.

        Densely annotated video would otherwise give hundreds of thousands of possible
        intervals per clip; measures still use every sample.
        """
        second = (self.time - self.start_us[:, None]) // SECOND_US
        fresh = np.ones_like(self.inside)
        fresh[:, 1:] = second[:, 1:] != second[:, :-1]
        return self.inside & fresh

    @cached_property
    def present(self) -> np.ndarray:
        """bool (M, S), the instrument has a sample."""
        return self.row != ABSENT

    @cached_property
    def boxed(self) -> np.ndarray:
        """bool (M, S), the instrument has a sample with a box."""
        return self.present & self.timeline.boxed[self.row]

    @cached_property
    def centre(self) -> np.ndarray:
        """float64 (M, S, 2), NaN where there is no box."""
        return np.where(self.boxed[..., None], self.timeline.centre[self.row], np.nan)

    @cached_property
    def sample_time(self) -> np.ndarray:
        """int64 (M, S), :attr:`time` per presence."""
        return self.time[self.window]

    def of_rows(self, values: np.ndarray, missing) -> np.ndarray:
        """(M, S) of a per-row array, ``missing`` where the instrument has no sample."""
        return np.where(self.present, values[self.row], missing)

    # -- runs: stretches without a hole ----------------------------------------

    @cached_property
    def gap_limit_us(self) -> int:
        """Largest allowed distance of neighbouring samples."""
        return self.timeline.limits.gap(self.timeline.video.period_us)

    @cached_property
    def seen_breaks(self) -> np.ndarray:
        """int32 (M, S), breaks of presence up to each sample; equal = same run."""
        return self._breaks(self.present)

    @cached_property
    def boxed_breaks(self) -> np.ndarray:
        """int32 (M, S), the same for presence with a box."""
        return self._breaks(self.boxed)

    def _breaks(self, there: np.ndarray) -> np.ndarray:
        gap = np.diff(self.sample_time, axis=1) > self.gap_limit_us
        broken = np.zeros(there.shape, dtype=bool)
        broken[:, 1:] = ~(there[:, 1:] & there[:, :-1]) | gap
        return np.cumsum(broken, axis=1, dtype=np.int32)

    # -- kinematics ------------------------------------------------------------

    @cached_property
    def step(self) -> np.ndarray:
        """float64 (M, S), centre distance from the previous sample; 0 at the first or a break."""
        out = np.zeros(self.row.shape)
        if out.size:
            moved = distance(self.centre[:, 1:], self.centre[:, :-1])
            out[:, 1:] = np.where(np.isnan(moved), 0.0, moved)
        return out

    @cached_property
    def step_speed(self) -> np.ndarray:
        """float64 (M, S), :attr:`step` per second."""
        dt = np.zeros(self.row.shape)
        dt[:, 1:] = np.diff(self.sample_time, axis=1) / SECOND_US
        return np.where(dt > 0, self.step / np.where(dt > 0, dt, 1.0), 0.0)

    @cached_property
    def path(self) -> np.ndarray:
        """float64 (M, S), path length up to each sample."""
        return np.cumsum(self.step, axis=1)

    @cached_property
    def jumps(self) -> np.ndarray:
        """int32 (M, S), steps above the speed limit up to each sample."""
        return np.cumsum(self.step_speed > self.timeline.limits.speed, axis=1, dtype=np.int32)

    # -- interactions ----------------------------------------------------------

    @cached_property
    def pairs(self) -> np.ndarray:
        """int16 (M, S), pair-set code, UNKNOWN where absent or not annotated."""
        return self.of_rows(self.timeline.table.pairs, UNKNOWN)

    @cached_property
    def verb(self) -> np.ndarray:
        """int16 (M, S), index into ``timeline.verbs`` of single-pair samples, else UNKNOWN."""
        return self.of_rows(self.timeline.single_verb, UNKNOWN)

    @cached_property
    def target(self) -> np.ndarray:
        """int16 (M, S), index into ``timeline.targets`` of single-pair samples."""
        return self.of_rows(self.timeline.single_target, UNKNOWN)

    @cached_property
    def idle(self) -> np.ndarray:
        """bool (M, S), present and known to idle."""
        return self.present & self.timeline.idle[self.row]

    # -- per window ------------------------------------------------------------

    @cached_property
    def presences(self) -> list[range]:
        """Presences of each window."""
        edges = np.searchsorted(self.window, np.arange(len(self.windows) + 1))
        return [range(a, b) for a, b in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)]

    def per_instant(self, flags: np.ndarray) -> np.ndarray:
        """int32 (W, S), how many presences of the window have the flag (M, S)."""
        out = np.zeros((len(self.windows), self.row.shape[1]), dtype=np.int32)
        if len(self.window):
            # Presences are sorted by window, so each window is one stretch of rows.
            starts = np.flatnonzero(np.diff(self.window, prepend=-1))
            out[self.window[starts]] = np.add.reduceat(flags, starts, axis=0, dtype=np.int32)
        return out

    @cached_property
    def class_present(self) -> np.ndarray:
        """bool (W, C, S), class C (index into the table's labels) has a sample."""
        shape = (len(self.windows), max(len(self.timeline.table.labels), 1), self.row.shape[1])
        out = np.zeros(shape, dtype=bool)
        np.logical_or.at(out, (self.window, self.label), self.present)
        return out

    @cached_property
    def pairs_known(self) -> np.ndarray:
        """bool (W, S), every instrument seen at the instant has its interactions annotated."""
        return self.per_instant(self.present & (self.pairs == UNKNOWN)) == 0

    @cached_property
    def all_boxed(self) -> np.ndarray:
        """bool (W, S), every instrument seen at the instant has a box."""
        return self.per_instant(self.present & ~self.boxed) == 0


def view_windows(timeline: Timeline, windows: tuple[Window, ...]) -> View:
    """Lay the timeline out over its windows (which may overlap)."""
    table = timeline.table
    starts = np.array([w.start_us for w in windows], dtype=np.int64)
    ends = np.array([w.end_us for w in windows], dtype=np.int64)
    first = np.searchsorted(table.instants_us, starts)
    count = np.searchsorted(table.instants_us, ends) - first
    row_edge = np.searchsorted(table.sample, np.stack([first, first + count]))
    lengths = row_edge[1] - row_edge[0]
    window_of = np.repeat(np.arange(len(windows)), lengths)
    offset = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    rows = np.repeat(row_edge[0], lengths) + offset
    key = window_of * max(len(timeline.tracks.ids), 1) + timeline.tracks.of_row[rows]
    unique, start, presence = np.unique(key, return_index=True, return_inverse=True)
    width = max(int(count.max(initial=0)), 1)  # windows without an instant are padding
    matrix = np.full((len(unique), width), ABSENT, dtype=np.int32)
    matrix[presence, table.sample[rows] - first[window_of]] = rows
    return _sorted(timeline, windows, first, count, window_of[start], rows[start], matrix)


def _sorted(timeline, windows, first, count, window, first_row, matrix) -> View:
    """Order presences by (window, label, first sample, box) and number instances."""
    label = timeline.table.label[first_row]
    order = np.lexsort((first_row, label, window))
    window, label, first_row = window[order], label[order], first_row[order]
    same = np.zeros(len(order), dtype=bool)
    same[1:] = (np.diff(window) == 0) & (np.diff(label) == 0)
    begin = np.maximum.accumulate(np.where(~same, np.arange(len(order)), 0))
    return View(
        timeline=timeline,
        windows=windows,
        first=first,
        count=count,
        window=window.astype(np.int32),
        label=label,
        track=timeline.tracks.of_row[first_row],
        instance=(np.arange(len(order)) - begin + 1).astype(np.int32),
        row=matrix[order],
    )
