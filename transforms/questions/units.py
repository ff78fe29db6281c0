"""Units: the clips, stretches of time or events that get at most one item of a template each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from surgqa.ontology.keys import digest, h64
from surgqa.ontology.records import Window
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.algebra.columns.codes import value_codes
from surgqa.transforms.algebra.columns.rows import Rows
from surgqa.transforms.algebra.columns.values import Range, Stretch, Value
from surgqa.transforms.language.program import Unit
from surgqa.transforms.timeline.relation import FAR, Recording, Relation, on_axis

UNIT = "unit of the question"
"""Name under which rows store their unit; it has spaces, so no template can use it."""
ROUND = "round"
"""Name of the time at which a stream is asked again."""


@dataclass(frozen=True, slots=True)
class Units:
    """The clips, stretches of time or events of which each gets at most one item of a template.

    Attributes:
        ids: id of each unit, which does not depend on other units.
        video: int64 (n,), index of each unit's video.
        windows: for clips, the window of each; empty if each possible question has its own window.
    """

    ids: tuple[str, ...]
    video: np.ndarray
    windows: tuple[Window, ...] = ()


def clips(windows: Sequence[tuple[int, Window]]) -> Units:
    """Return clips as units: each gets at most one item. ``windows``: (video, window) pairs."""
    video = np.array([v for v, _ in windows], np.int64)
    return Units(tuple(w.window_id for _, w in windows), video, tuple(w for _, w in windows))


def recordings(relation: Relation, still: bool = False) -> Units:
    """Return whole videos (with ``still``: still images) as units, which get at most one item."""
    kind = "still" if still else "recording"
    return clips([(k, Window(kind, digest(kind, one.key), 0, one.duration_us))
                  for k, one in enumerate(relation.recordings) if one.still == still])  # fmt: skip


def stretches(relation: Relation, every_us: int) -> Units:
    """Divide each video into units of ``every_us`` microseconds; the last one may be shorter."""
    ids, video = [], []
    for k, one in enumerate(relation.recordings):
        for place in range(_parts(one, every_us)):
            ids.append(digest("stretch", one.key, every_us, place))
            video.append(k)
    return Units(tuple(ids), np.array(video, np.int64))


def _parts(one: Recording, every_us: int) -> int:
    """Return the number of stretches in a video: 1 for a still image, 0 without any time."""
    if one.still:
        return 1
    return -(-one.duration_us // every_us) if one.timed else 0


def whole(relation: Relation) -> Rows:
    """Return one row for each video, with only the name ``video`` defined."""
    video = np.arange(len(relation.recordings))
    return Rows(relation, video, {"video": recording_of(relation, video)})


def rows_of_windows(relation: Relation, units: Units) -> Rows:
    """Return one row for each window.

    The row's stretch ends one microsecond after the last annotated instant of the window, because
    nothing was annotated after that instant.
    """
    start = on_axis(units.video, np.array([w.start_us for w in units.windows], np.int64))
    end = on_axis(units.video, np.array([w.end_us for w in units.windows], np.int64))
    end = _last(relation, start, end)
    names: dict[str, Value] = {
        "window": Stretch(Range.exact(start), Range.exact(end)),
        "video": recording_of(relation, units.video),
        UNIT: Range.exact(np.arange(len(units.ids))),
    }
    return Rows(relation, units.video, names)


def _last(relation: Relation, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return one microsecond after each stretch's last annotated instant (else its end)."""
    grids = [np.array([-FAR]), *(relation.instants[video] for video in sorted(relation.instants))]
    instants = np.concatenate(grids)
    last = instants[np.searchsorted(instants, end, "left") - 1]
    return np.where(last >= start, last + 1, end)


def recording_of(relation: Relation, video: np.ndarray) -> Stretch:
    """Return the stretch of each row's whole video."""
    length = np.array([one.duration_us for one in relation.recordings], np.int64)
    return Stretch(Range.exact(on_axis(video, 0)), Range.exact(on_axis(video, 0) + length[video]))


def every_time(recordings: Rows, without: Collection[int] = ()) -> Rows:
    """Return one row for each possible query time: annotated instants, or else whole seconds.

    Args:
        recordings: one row for each video, as :func:`whole` makes them; their values are kept.
        without: indices of videos that get no row.
    """
    relation = recordings.relation
    video, now = [], []
    for k, one in enumerate(relation.recordings):
        if k in without:
            continue
        grid = relation.instants.get(k)
        if one.still:
            grid = on_axis(k, np.zeros(1, np.int64))
        elif grid is None or not len(grid):
            grid = on_axis(k, np.arange(0, one.duration_us, SECOND_US, dtype=np.int64))
        video.append(np.full(len(grid), k, np.int64))
        now.append(grid)
    who, when = (np.concatenate(x) if x else np.zeros(0, np.int64) for x in (video, now))
    return recordings.inside(who, now=Range.exact(when))


def put_at(rows: Rows, now: Range, unit: Unit) -> Rows:
    """Add the query time ``now`` and its window to the rows; drop rows outside their video.

    ``now`` is chosen, not annotated, so it is exact. A row is also dropped if less than the
    shortest window lies between the start of the video and ``now``, or between ``now`` and the end
    of the video for a stream, whose window begins at ``now``. Rows of still images are kept.
    """
    base, known = rows.base, rows.relation.recordings
    still = np.array([one.still for one in known], bool)[rows.video]
    lengths = [1 if one.still else one.duration_us if one.timed else 0 for one in known]
    end = base + np.array(lengths, np.int64)[rows.video]
    inside = now.ok & (now.at >= base) & (now.at < end) & (now.at + unit.length[0] <= end)
    keep = np.flatnonzero(inside & (still | (now.at - base + 1 >= unit.shortest)))
    out = rows.inside(keep)
    at, base, end = now.at[keep], base[keep], end[keep]
    out.names["now"] = Range.exact(at)
    if unit.kind == "stream":
        length = _drawn_length(out, at, unit)
        out.names["window"] = Stretch(Range.exact(at), Range.exact(np.minimum(at + length, end)))
    else:
        start = base if unit.see is None else np.maximum(at - unit.see, base)
        out.names["window"] = Stretch(Range.exact(start), Range.exact(at + 1))
    return out


def _drawn_length(rows: Rows, now: np.ndarray, unit: Unit) -> np.ndarray:
    """Return each window's length: whole seconds within limits, drawn by a hash of the time."""
    low, high = (us // SECOND_US for us in unit.length)
    code = value_codes(Range.exact(now), rows)
    names = [h64(one.key, "length") for one in rows.relation.recordings]
    mixed = code ^ np.array(names, np.uint64)[rows.video]
    return (low + (mixed % np.uint64(high - low + 1)).astype(np.int64)) * SECOND_US


def by_stretch(rows: Rows, every_us: int) -> np.ndarray:
    """Return the index of the stretch that contains each row's ``now``: int64 (n,).

    The stretches are those of :func:`stretches`.
    """
    now = rows.time("now")
    counts = [_parts(one, every_us) for one in rows.relation.recordings]
    first = np.cumsum([0, *counts])[:-1]
    local = now.at - rows.base
    return first[rows.video] + local // every_us


def at_last_round(rows: Rows, every_us: int) -> Rows:
    """Return the rows of streams with at least one round; ``round`` is the time of the last one."""
    window = rows.stretch("window")
    count = (window.end.at - window.start.at - 1) // every_us
    out = rows.inside(np.flatnonzero(count > 0))
    last = (window.start.at + count * every_us)[count > 0]
    out.names[ROUND] = Range.exact(last)
    return out
