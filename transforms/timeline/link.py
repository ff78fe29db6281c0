"""Link the event tuples of one video into tracks: which rows show the same instrument.

Track ids of the source are kept. Otherwise the rows of each class are linked by a rule from
SurgSTU's public material (greedy, nearest centroid, with a re-identification window), which is made
exact as follows. At each instant, all open tracks of the class and all its detections form pairs
with ``d <= speed * dt + slack``. Pairs are taken in the order of (d, track, detection sorted by
box); each remaining detection opens a new track. Detections without a box have no centroid. Such a
detection continues the class's track only if the class occurs exactly once at both neighbouring
instants.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, groupby

import numpy as np

from surgqa.ontology.boxes import centres, distance
from surgqa.ontology.records import UNKNOWN, InstrumentTable


@dataclass(frozen=True, slots=True)
class LinkLimits:
    """Limits for linking detections to tracks (SurgSTU's later public material, with additions).

    Attributes:
        reidentify_us: a track is continued only if its last detection is at most this old.
        speed: greatest centroid speed, in frame widths or heights per second.
        slack: jitter allowed in addition to the speed limit, in frame widths or heights.
        periods: the time limit is at least this many label periods of the dataset.
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
        label: int16 (K,), index of each track's class in the table's labels.
        ids: ``<label id>-<k>``, k counted from 1 in each class by first appearance.
        linked_by: how the track was found: ``source``, ``nearest_centroid`` or ``class``.
    """

    of_row: np.ndarray
    label: np.ndarray
    ids: tuple[str, ...]
    linked_by: tuple[str, ...]


def link(table: InstrumentTable, period_us: int, limits: LinkLimits) -> Tracks:
    """Return the tracks of one video.

    Args:
        table: rows sorted by (sample, label, box).
        period_us: the dataset's usual time between two annotated frames. (The median of a video
            would be too long if it is sparsely annotated.)
    """
    raw = np.full(len(table.sample), -1, dtype=np.int64)
    boxed, sourced = ~np.isnan(table.box_xyxy[:, 0]), table.track != UNKNOWN
    for code in range(len(table.labels)):
        of_class = table.label == code
        here = of_class & ~sourced
        counts = np.bincount(table.sample[here], minlength=len(table.instants_us))
        for rows, linker in ((of_class & sourced, _by_source), (here & boxed, _by_centroid),
                             (here & ~boxed, _by_class)):  # fmt: skip
            index = np.flatnonzero(rows)
            if len(index):
                raw[index] = raw.max() + 1 + linker(table, index, counts, period_us, limits)
    return _numbered(table, raw, boxed)


def _by_source(table, index, *_limits):
    """Return the track (from 0) of each row of one class, by the track ids of the source."""
    return np.unique(table.track[index], return_inverse=True)[1]


def _by_centroid(table, index, counts, period_us, limits):
    """Return the track (from 0) of each row ``index`` of one class; all these rows have boxes.

    A stretch is a run of instants with gaps inside the re-identification window. A stretch with
    one detection at each instant and every step within the limit is one track; any other stretch
    goes through the exact greedy rule.
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
        local = _greedy(time[part].tolist(), centre[part], limit, limits)
        track[part] = fresh + np.array(local)
        fresh += max(local) + 1
    return track


def _gate(dt_us, limits: LinkLimits):
    return limits.speed * (dt_us / 1e6) + limits.slack


def _greedy(time, centre, limit, limits):
    """Return the tracks of one stretch by the greedy rule; rows are in order of (time, box)."""
    tracks: list[int] = [0] * len(time)
    last: dict[int, int] = {}
    fresh = count()
    for now, group in groupby(range(len(time)), key=time.__getitem__):
        rows = list(group)
        last = {k: row for k, row in last.items() if now - time[row] <= limit}
        taken = _match(now, rows, last, time, centre, limits)
        for row in rows:
            tracks[row] = taken[row] if row in taken else next(fresh)
            last[tracks[row]] = row
    return tracks


def _match(now, rows, last, time, centre, limits):
    """Return the open track that each row continues; the nearest pairs are linked first."""
    pairs = []
    for track, old in last.items():
        gate, apart = _gate(now - time[old], limits), distance(centre[rows], centre[old])
        pairs += [(d, track, row) for d, row in zip(apart.tolist(), rows, strict=True) if d <= gate]
    taken: dict[int, int] = {}
    for _, track, row in sorted(pairs):
        if row not in taken and track not in taken.values():
            taken[row] = track
    return taken


def _by_class(table, index, counts, period_us, limits):
    """Return the track (from 0) of each row of one class; these rows have no boxes."""
    sample = table.sample[index]
    time = table.instants_us[sample]
    alone = counts[sample] == 1
    occurrence = np.cumsum(counts > 0)[sample]
    joined = (np.diff(time) <= limits.periods * period_us) & alone[1:] & alone[:-1]
    joined &= np.diff(occurrence) == 1
    return np.cumsum(np.concatenate([[True], ~joined])).astype(np.int64) - 1


def _numbered(table: InstrumentTable, raw: np.ndarray, boxed: np.ndarray) -> Tracks:
    _, first, inverse = np.unique(raw, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    first = np.sort(first)
    label = table.label[first]
    numbers: dict[int, Iterator[int]] = defaultdict(lambda: count(1))
    ids = tuple(f"{table.labels[code]}-{next(numbers[code])}" for code in label.tolist())
    how = np.where(boxed[first], "nearest_centroid", "class")
    how = np.where(table.track[first] != UNKNOWN, "source", how)
    return Tracks(rank[inverse].astype(np.int32), label, ids, tuple(how.tolist()))
