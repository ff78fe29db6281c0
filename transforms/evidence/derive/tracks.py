"""Tracks as arrays, the input of the rules about motion and contact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from surgqa.ontology.observed import BOXES, FRAMES
from surgqa.ontology.times import SECOND_US

INSTRUMENT = "instrument"
TISSUE = "tissue"
ORIGINS = ("manual", "detector", "mask", "interpolated")
"""If a track has two boxes at one time, the one whose origin is first here is used."""

_SCORE_STEPS = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class SampleTimes:
    """The times at which a video was sampled for boxes.

    Attributes:
        time_us: int64 (S,), ascending.
        period_us: nominal time between samples.
    """

    time_us: np.ndarray
    period_us: int

    def before(self, time_us: int) -> int | None:
        """Return the last sampled time before a time; None if there is none."""
        at = int(np.searchsorted(self.time_us, time_us, "left"))
        return int(self.time_us[at - 1]) if at else None

    def after(self, time_us: int) -> int | None:
        """Return the first sampled time after a time; None if there is none."""
        at = int(np.searchsorted(self.time_us, time_us, "right"))
        return int(self.time_us[at]) if at < len(self.time_us) else None


@dataclass(frozen=True, slots=True, eq=False)
class BoxTrack:
    """One linked object; N samples.

    Attributes:
        number: the object's track number in the boxes.
        kind: instrument or tissue.
        label: concept id with the highest sum of scores over its boxes.
        time_us: int64 (N,), strictly ascending.
        box: float64 (N, 4).
        state: str or None (N,).
        visibility: str or None (N,).
    """

    number: int
    kind: str
    label: str
    time_us: np.ndarray
    box: np.ndarray
    state: np.ndarray
    visibility: np.ndarray


def grid_of(tables: Mapping[str, pa.Table]) -> SampleTimes:
    """Return the times sampled for boxes: the trusted frames, or only those of a coarser box rate.

    If no two times with boxes are nearer than one and a half frame periods, only these times
    count as sampled.  Otherwise, trusted frames without boxes also count as sampled and empty.
    """
    frames = tables.get("frames", FRAMES.empty_table())
    looked = frames.filter(pc.fill_null(frames["trusted"], False))["time_us"].to_numpy()
    boxes = tables.get("boxes", BOXES.empty_table())
    boxed = np.unique(boxes["time_us"].to_numpy())
    period = _period(looked)
    finest = int(np.diff(boxed).min()) if len(boxed) > 1 else 0
    if period and 2 * finest <= 3 * period:
        return SampleTimes(np.union1d(looked, boxed), period)
    return SampleTimes(boxed, max(finest, period) or SECOND_US)


def _period(time_us: np.ndarray) -> int:
    """Return the lower median of the steps, 0 if there are none."""
    gaps = np.sort(np.diff(time_us))
    return int(gaps[(len(gaps) - 1) // 2]) if len(gaps) else 0


def tracks_of(boxes: pa.Table) -> list[BoxTrack]:
    """Linked boxes as tracks, sorted by number; boxes without a track are left out.

    Args:
        boxes: rows of ``BOXES``.
    """
    linked = boxes.filter(pc.is_valid(boxes["track"]))
    if not len(linked):
        return []
    number = linked["track"].to_numpy()
    time = linked["time_us"].to_numpy()
    score = pc.fill_null(linked["score"], 1.0).to_numpy()
    corners = np.stack([linked[name].to_numpy() for name in ("x1", "y1", "x2", "y2")], axis=1)
    ranks = {name: rank for rank, name in enumerate(ORIGINS)}
    origin = np.array([ranks.get(name, len(ranks)) for name in linked["origin"].to_pylist()])
    order = np.lexsort((*corners.T[::-1], -score, origin, time, number))
    columns = {
        name: np.array(linked[name].to_pylist(), object)[order]
        for name in ("kind", "label", "state", "visibility")
    }
    number, time, corners, score = number[order], time[order], corners[order], score[order]
    edges = np.append(np.unique(number, return_index=True)[1], len(number))
    return [
        _track(slice(a, b), number, time, corners, score, columns)
        for a, b in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    ]


def _track(
    part: slice, number: np.ndarray, time: np.ndarray, corners: np.ndarray, score: np.ndarray,
    columns: Mapping[str, np.ndarray],
) -> BoxTrack:  # fmt: skip
    first = np.concatenate([[True], np.diff(time[part]) > 0])
    weight = np.rint(score[part] * _SCORE_STEPS).astype(np.int64)
    names: dict[tuple[str, str], int] = {}
    for kind, label, points in zip(
        columns["kind"][part], columns["label"][part], weight.tolist(), strict=True
    ):
        names[kind, label] = names.get((kind, label), 0) + points
    kind, label = min(names, key=lambda name: (-names[name], name))
    return BoxTrack(
        int(number[part.start]), kind, label, time[part][first], corners[part][first],
        columns["state"][part][first], columns["visibility"][part][first],
    )  # fmt: skip


def runs(time_us: np.ndarray, gap_us: int) -> np.ndarray:
    """int64 (N,), number of each sample's run; a gap longer than ``gap_us`` begins a new run."""
    if not len(time_us):
        return np.zeros(0, np.int64)
    return np.cumsum(np.concatenate([[False], np.diff(time_us) > gap_us])).astype(np.int64)


def earlier(time_us: np.ndarray, lag_us: int, run: np.ndarray | None = None) -> np.ndarray:
    """Return, for each sample, the sample nearest to ``lag_us`` earlier (of two, the earlier).

    Args:
        time_us: int64 (N,), strictly ascending.
        run: int64 (N,), number of the run; only samples of the same run are used.

    Returns:
        The result is int64 (N,), indices, or -1 without such a sample.
    """
    index = np.arange(len(time_us))
    aim = time_us - lag_us
    right = np.searchsorted(time_us, aim, "left")
    left = np.maximum(right - 1, 0)
    right = np.minimum(right, len(time_us) - 1)
    nearest = np.where(np.abs(time_us[left] - aim) <= np.abs(time_us[right] - aim), left, right)
    first = np.zeros(len(time_us), np.int64)
    if run is not None:
        first = np.searchsorted(run, run, "left")
    nearest = np.minimum(np.maximum(nearest, first), index - 1)
    return np.where(nearest < first, -1, nearest)
