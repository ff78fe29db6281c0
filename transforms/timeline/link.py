"""Linking event tuples of one video into tracks.

Source ids are kept where there are any.  Else greedy nearest-centroid linking per
class with a re-identification window (SurgSTU, public material), completed to one
exact rule: at each instant all open tracks of the class and all its detections form
pairs with ``d <= speed * dt + slack``; pairs are taken in the order of (d, track,
detection sorted by box); what is left opens new tracks.  Detections without a box have
no centroid: they continue the class's track only where the class occurs exactly once at
both neighbouring instants.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from ontology.boxes import centres, distance
from ontology.records import UNKNOWN, InstrumentTable


@dataclass(frozen=True, slots=True)
class LinkLimits:
    """Limits for linking and continuity (SurgSTU's later public material; our completions).

    Attributes:
        reidentify_us: oldest last sample a track may have to be continued.
        speed: largest centroid speed in normalised units per second.
        slack: jitter allowed beside the speed limit when linking, normalised units.
        periods: the time limit is at least this many nominal label periods.
    """

    reidentify_us: int = 1_000_000
    speed: float = 0.6
    slack: float = 0.05
    periods: float = 1.5


@dataclass(frozen=True, slots=True, eq=False)
class Tracks:
    """K tracks of one video, numbered by (first instant, row order).

    Attributes:
        of_row: int32 (N,), track of each row of the instrument table.
        label: int16 (K,), index into the table's labels.
        ids: ``<label id>-<k>``, k counted from 1 per class by first appearance.
        linked_by: ``source``, ``nearest_centroid`` or ``class``.
    """

    of_row: np.ndarray
    label: np.ndarray
    ids: tuple[str, ...]
    linked_by: tuple[str, ...]


def link(table: InstrumentTable, period_us: int, limits: LinkLimits) -> Tracks:
    """Link the rows of one video.

    Args:
        table: rows sorted by (sample, label, box).
        period_us: nominal label period of the source, never the median gap: sparse
            sets would widen their own gates.
    """
    raw = np.full(len(table.sample), UNKNOWN, dtype=np.int64)
    boxed = ~np.isnan(table.box_xyxy[:, 0])
    fresh = 0
    for code in range(len(table.labels)):
        of_class = table.label == code
        from_source = of_class & (table.track != UNKNOWN)
        if from_source.any():
            _, ids = np.unique(table.track[from_source], return_inverse=True)
            raw[from_source] = fresh + ids
            fresh += int(ids.max()) + 1
        here = of_class & ~from_source
        counts = np.bincount(table.sample[here], minlength=len(table.instants_us))
        for rows, linker in ((here & boxed, _by_centroid), (here & ~boxed, _by_class)):
            index = np.flatnonzero(rows)
            if len(index):
                part = linker(table, index, counts, period_us, limits)
                raw[index] = fresh + part
                fresh += int(part.max()) + 1
    return _numbered(table, raw, boxed)


def _by_centroid(table, index, counts, period_us, limits):
    """Tracks (from 0) of one class's boxed rows ``index``; whole stretches at once.

    A stretch is a run of instants with gaps inside the re-identification window.  A
    stretch with one detection at each instant and every step inside the gate is one
    track; any other goes through the exact greedy rule.
    """
    limit = max(limits.reidentify_us, int(limits.periods * period_us))
    time = table.instants_us[table.sample[index]]
    centre = centres(table.box_xyxy[index])
    dt = np.diff(time)
    step = distance(centre[1:], centre[:-1])
    opens = np.concatenate([[True], dt > limit])
    stretch = np.cumsum(opens) - 1
    odd = np.concatenate([[False], (dt == 0) | ((dt <= limit) & (step > _gate(dt, limits)))])
    bad = np.unique(stretch[odd])
    track = stretch.astype(np.int64)
    fresh = int(stretch[-1]) + 1
    starts = np.flatnonzero(opens)
    ends = np.append(starts[1:], len(index))
    for number in bad:
        part = slice(starts[number], ends[number])
        local = _greedy(time[part].tolist(), centre[part].tolist(), limit, limits)
        track[part] = fresh + np.array(local)
        fresh += max(local) + 1
    return track


def _gate(dt_us, limits: LinkLimits):
    return limits.speed * (dt_us / 1e6) + limits.slack


def _greedy(time, centre, limit, limits):
    """The exact rule on one stretch; rows are in order of (time, box)."""
    tracks: list[int] = [0] * len(time)
    last: dict[int, int] = {}
    fresh = 0
    start = 0
    while start < len(time):
        end = start
        while end < len(time) and time[end] == time[start]:
            end += 1
        now = time[start]
        last = {k: row for k, row in last.items() if now - time[row] <= limit}
        taken = _match(now, range(start, end), last, time, centre, limits)
        for row in range(start, end):
            if row not in taken:
                taken[row] = fresh
                fresh += 1
            tracks[row] = taken[row]
            last[taken[row]] = row
        start = end
    return tracks


def _match(now, rows, last, time, centre, limits):
    pairs = []
    for track, old in last.items():
        gate = _gate(now - time[old], limits)
        for row in rows:
            dx, dy = centre[row][0] - centre[old][0], centre[row][1] - centre[old][1]
            d = sqrt(dx * dx + dy * dy)
            if d <= gate:
                pairs.append((d, track, row))
    taken: dict[int, int] = {}
    used: set[int] = set()
    for _, track, row in sorted(pairs):
        if row not in taken and track not in used:
            taken[row] = track
            used.add(track)
    return taken


def _by_class(table, index, counts, period_us, limits):
    """Tracks (from 0) of one class's rows without boxes."""
    sample = table.sample[index]
    time = table.instants_us[sample]
    alone = counts[sample] == 1
    occurrence = np.cumsum(counts > 0)[sample]
    joined = (np.diff(time) <= limits.periods * period_us) & alone[1:] & alone[:-1]
    joined &= np.diff(occurrence) == 1
    return np.cumsum(np.concatenate([[True], ~joined])).astype(np.int64) - 1


def _numbered(table: InstrumentTable, raw: np.ndarray, boxed: np.ndarray) -> Tracks:
    if not len(raw):
        return Tracks(raw.astype(np.int32), np.zeros(0, np.int16), (), ())
    _, first, inverse = np.unique(raw, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    label = table.label[first[order]]
    seen: dict[int, int] = {}
    ids = []
    for code in label.tolist():
        seen[code] = seen.get(code, 0) + 1
        ids.append(f"{table.labels[code]}-{seen[code]}")
    how = np.where(table.track[first[order]] != UNKNOWN, 0, np.where(boxed[first[order]], 1, 2))
    names = ("source", "nearest_centroid", "class")
    return Tracks(
        rank[inverse].astype(np.int32), label, tuple(ids), tuple(names[k] for k in how.tolist())
    )
