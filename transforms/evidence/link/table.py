"""Link the boxes of a video that are in an Arrow table, and return the table with tracks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from surgqa.ontology.observed import BOXES
from surgqa.ontology.records import UNKNOWN
from surgqa.transforms.evidence.base import rounded
from surgqa.transforms.evidence.link.appearance import BYTES
from surgqa.transforms.evidence.link.linker import link
from surgqa.transforms.evidence.link.settings import LinkSettings

CORNERS = ("x1", "y1", "x2", "y2")
ORDER = ("time_us", "kind", "label", *CORNERS, "track", "score")
MANUAL, INTERPOLATED = "manual", "interpolated"
BOX_DECIMALS = 6


def link_table(
    boxes: pa.Table, times_us: np.ndarray, frames: np.ndarray, settings: LinkSettings, aspect: float
) -> pa.Table:
    """Return the boxes of one video with ``track`` filled in; boxes without a track are left out.

    If a track has at least ``smooth_boxes`` boxes, all of them get the track's class, whatever
    class the detector gave them. Boxes with origin ``manual`` are never left out and keep their
    class. Boxes that are added between two boxes of a track have the origin ``interpolated``, the
    lower of the two scores, and no visibility, state or appearance.

    Args:
        boxes: schema BOXES, in any order; tracks in it are ignored.
        times_us: int64 (T,), all sampled instants, ascending, with or without boxes; the times of
            boxes count as sampled even if they are not among them.
        frames: int64 (T,), frame of each instant.
        aspect: width divided by height of the frame.

    Returns:
        Schema BOXES, sorted by (time, kind, label, box).  The number of boxes left out is the
        number of rows of ``boxes`` minus the rows of the result that are not interpolated.
    """
    seen = [boxes.column(name).to_numpy().astype(np.int64) for name in ("time_us", "frame")]
    times, first = np.unique(np.concatenate([times_us, seen[0]]), return_index=True)
    numbers = np.concatenate([frames, seen[1]])[first]
    sample = np.searchsorted(times, seen[0])
    labels, label = _codes(boxes, "label")
    _, kind = _codes(boxes, "kind")
    box = np.stack([boxes.column(name).to_numpy() for name in CORNERS], axis=1)
    score = pc.fill_null(boxes.column("score"), 1.0).to_numpy()
    sure = pc.fill_null(pc.equal(boxes.column("origin"), MANUAL), False).to_numpy()
    linked = link(
        times, sample, label, kind, box, score, _looks(boxes), settings, aspect, sure=sure
    )
    smooth = linked.kept & ~sure
    smooth[smooth] = linked.boxes[linked.track[smooth]] >= settings.smooth_boxes
    label[smooth] = linked.label[linked.track[smooth]]
    bridges = bridge(times, sample, linked.track, box, settings.bridge_us)
    old = _with(boxes, {"track": linked.track, "label": labels[label]}).filter(linked.kept)
    new = _bridged(boxes, bridges, times, numbers, labels[label], score)
    whole = pa.concat_tables([old, new])
    return whole.sort_by([(name, "ascending") for name in ORDER])


def _codes(boxes: pa.Table, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Sorted values of a column and the code of each row."""
    values = np.array(boxes.column(name).to_pylist(), dtype=object).astype(str)
    unique, codes = np.unique(values, return_inverse=True)
    return unique, codes.astype(np.int64)


def _looks(boxes: pa.Table) -> np.ndarray | None:
    """Return uint8 (N, D), zero for a box without a descriptor; None if no box has one."""
    column = boxes.column("appearance")
    if column.null_count == len(boxes):
        return None
    blank = bytes(BYTES)
    joined = b"".join(blank if look is None else look for look in column.to_pylist())
    return np.frombuffer(joined, np.uint8).reshape(len(boxes), BYTES)


def _with(boxes: pa.Table, columns: dict[str, Any]) -> pa.Table:
    """Return a table of the schema BOXES in which the given columns replace those of the table."""
    arrays = [
        pa.array(columns[f.name], f.type) if f.name in columns else boxes.column(f.name)
        for f in BOXES
    ]
    return pa.table(arrays, schema=BOXES)


def _bridged(
    boxes: pa.Table, bridges: Bridges, times: np.ndarray, numbers: np.ndarray,
    labels: np.ndarray, score: np.ndarray,
) -> pa.Table:  # fmt: skip
    """Return the rows for interpolated boxes."""
    corners = rounded(bridges.box_xyxy, BOX_DECIMALS)
    none = [None] * len(bridges.sample)
    return _with(boxes.take(bridges.before), {
        "time_us": times[bridges.sample], "frame": numbers[bridges.sample],
        "label": labels[bridges.before], "track": bridges.track,
        **{name: corners[:, axis] for axis, name in enumerate(CORNERS)},
        "score": np.minimum(score[bridges.before], score[bridges.after]),
        "visibility": none, "state": none, "appearance": none,
        "origin": [INTERPOLATED] * len(bridges.sample),
    })  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Bridges:
    """B interpolated boxes by (track, instant).

    Attributes:
        sample: int64 (B,), index into the sampled instants.
        track: int32 (B,).
        box_xyxy: float64 (B, 4).
        before: int64 (B,), row of the track's box before.
        after: int64 (B,), row of the track's next box.
    """

    sample: np.ndarray
    track: np.ndarray
    box_xyxy: np.ndarray
    before: np.ndarray
    after: np.ndarray


def bridge(
    times_us: np.ndarray,
    sample: np.ndarray,
    track: np.ndarray,
    box_xyxy: np.ndarray,
    within_us: int,
) -> Bridges:
    """Boxes interpolated linearly in time over gaps of at most ``within_us`` between two boxes.

    Args:
        times_us: int64 (T,), all sampled instants, ascending.
        sample: (N,), index into the instants; a track has one box at each.
        track: (N,), UNKNOWN for boxes that are ignored.
        box_xyxy: float64 (N, 4).
    """
    rows = np.flatnonzero(track != UNKNOWN)
    rows = rows[np.lexsort([sample[rows], track[rows]])]
    left, right = rows[:-1], rows[1:]
    missed = sample[right].astype(np.int64) - sample[left] - 1
    gap = times_us[sample[right]] - times_us[sample[left]]
    use = (track[left] == track[right]) & (missed > 0) & (gap <= within_us)
    left, right, missed = left[use], right[use], missed[use]
    before, after = np.repeat(left, missed), np.repeat(right, missed)
    step = np.arange(len(before)) - np.repeat(np.cumsum(missed) - missed, missed)
    at = sample[before].astype(np.int64) + 1 + step
    start, end = times_us[sample[before]], times_us[sample[after]]
    share = ((times_us[at] - start) / (end - start))[:, None]
    box = box_xyxy[before] + (box_xyxy[after] - box_xyxy[before]) * share
    return Bridges(at, track[before].astype(np.int32), box, before, after)
