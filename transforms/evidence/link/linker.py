"""Link the boxes of one video into tracks: first boxes of high score, then those of low score.

Boxes of low score can only continue a track; the two stages are those of ByteTrack. Motion is
measured in seconds, not frames, because at one frame per second the boxes of an object overlap by
half, and one in twenty not at all. A track that was lost for a while takes part like any other
track, with a less certain position. All decisions go forward in time, so boxes after a long gap
cannot change earlier tracks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surgqa.ontology.records import UNKNOWN
from surgqa.transforms.evidence.link.settings import LinkSettings
from surgqa.transforms.evidence.link.tracks import LinkBoxes, LinkedTracks, cheapest, costs, overlap


@dataclass(frozen=True, slots=True, eq=False)
class Linked:
    """Tracks of N boxes, which are in the caller's order; K tracks, numbered by first appearance.

    Attributes:
        track: int32 (N,), from 0; UNKNOWN where ``kept`` is false.
        kept: bool (N,), whether the box belongs to a track.
        label: int64 (K,), class of each track: that with the largest sum of its boxes' scores.
        boxes: int64 (K,), number of boxes of each track.
    """

    track: np.ndarray
    kept: np.ndarray
    label: np.ndarray
    boxes: np.ndarray


def link(
    times_us: np.ndarray, sample: np.ndarray, label: np.ndarray, kind: np.ndarray,
    box_xyxy: np.ndarray, score: np.ndarray, looks: np.ndarray | None,
    settings: LinkSettings, aspect: float, sure: np.ndarray | None = None,
) -> Linked:  # fmt: skip
    """Link all boxes of one video.

    Args:
        times_us: int64 (T,), all sampled instants, ascending, with or without boxes.
        sample: (N,), index into the instants.
        label: (N,), class codes, from 0; on equal sums of scores the smaller code is chosen.
        kind: (N,), codes of kinds (instrument, tissue); boxes of different kinds are never linked.
        box_xyxy: float64 (N, 4) in [0, 1] of width and height.
        score: float64 (N,).
        looks: uint8 (N, D) of :func:`~transforms.evidence.link.appearance.describe_all`, or None.
        aspect: width divided by height of the frame.
        sure: bool (N,), boxes that a person drew: they count as high scores and are always kept.
    """
    box_xyxy = np.asarray(box_xyxy, np.float64).reshape(-1, 4)
    label = np.asarray(label, np.int64)
    found = LinkBoxes(
        np.asarray(sample, np.int64), label, np.asarray(kind, np.int64), box_xyxy,
        np.asarray(score, np.float64), looks, aspect,
        np.zeros(len(label), bool) if sure is None else np.asarray(sure, bool),
    )  # fmt: skip
    times_us = np.asarray(times_us, np.int64)
    raw = _tracked(times_us, found, settings)
    return _numbered(_confirmed(raw, times_us, found, settings), found)


def _tracked(times_us: np.ndarray, found: LinkBoxes, settings: LinkSettings) -> np.ndarray:
    """Track number of each row of ``found``, in order of opening; UNKNOWN without a track."""
    taken = np.full(len(found.sample), UNKNOWN, np.int64)
    classes = int(found.label.max()) + 1 if len(found.label) else 0
    looks = None if found.looks is None else found.looks.shape[1]
    tracks = LinkedTracks(classes, looks, settings)
    starts = np.searchsorted(found.sample, np.arange(len(times_us) + 1))
    for now_us, low, high in zip(times_us.tolist(), starts[:-1], starts[1:], strict=True):
        tracks.pass_by(now_us)
        if high > low:
            _step(tracks, now_us, found, np.arange(low, high), taken, settings)
    return taken


def _step(
    tracks: LinkedTracks, now_us: int, found: LinkBoxes, here: np.ndarray, taken: np.ndarray,
    settings: LinkSettings,
) -> None:  # fmt: skip
    """Process one instant: continue tracks with high, then low scores, then open new tracks."""
    s = settings
    high = (found.score[here] >= s.high_score) | found.sure[here]
    strong, weak = here[high], here[~high & (found.score[here] >= s.low_score)]
    rows = np.arange(len(tracks))
    recent = rows[tracks.seen_us >= now_us - s.low_us]
    matched = np.zeros(len(tracks), bool)

    def stage(candidates: np.ndarray, boxes: np.ndarray, limit: float) -> None:
        candidates = candidates[~matched[candidates]]
        if len(candidates) and len(boxes):
            cost = costs(tracks, candidates, found, boxes, now_us, s, limit)
            of_track, of_box = cheapest(cost, limit)
            chosen, by = candidates[of_track], boxes[of_box]
            taken[by] = tracks.number[chosen]
            matched[chosen] = True
            tracks.take(chosen, now_us, found, by)

    stage(rows, strong, s.high_limit)
    stage(recent, weak, s.low_limit)
    left = _single(found, strong[taken[strong] == UNKNOWN], here[taken[here] != UNKNOWN], s)
    if len(left):
        taken[left] = tracks.open(now_us, found, left)


def _single(
    found: LinkBoxes, left: np.ndarray, held: np.ndarray, settings: LinkSettings
) -> np.ndarray:
    """Return the rows ``left`` without duplicates of a row ``held`` or of an earlier row kept."""
    chosen: list[int] = []
    for row in left.tolist():
        better = np.array([*held.tolist(), *chosen], np.int64)
        better = better[found.kind[better] == found.kind[row]]
        one = np.array([row])
        shares = overlap(
            found.centre[one], found.size[one], found.centre[better], found.size[better]
        )
        if found.sure[row] or not (shares >= settings.duplicate_overlap).any():
            chosen.append(row)
    return np.array(chosen, np.int64)


def _confirmed(
    raw: np.ndarray, times_us: np.ndarray, found: LinkBoxes, settings: LinkSettings
) -> np.ndarray:
    """Remove tracks with few boxes for their length, and tracks of a box that came and went."""
    on, sample = np.flatnonzero(raw != UNKNOWN), found.sample
    numbers, of_track, count = np.unique(raw[on], return_inverse=True, return_counts=True)
    first = np.full(len(numbers), len(times_us), np.int64)
    last = np.full(len(numbers), -1, np.int64)
    np.minimum.at(first, of_track, sample[on])
    np.maximum.at(last, of_track, sample[on])
    before = times_us[first] - times_us[np.maximum(first - 1, 0)]
    after = times_us[np.minimum(last + 1, len(times_us) - 1)] - times_us[last]
    looked = (first > 0) & (last < len(times_us) - 1)
    looked &= np.maximum(before, after) <= settings.confirm_us
    drop = (count == 1) & looked
    drop |= count < settings.least_share * (last - first + 1)
    drop &= ~(np.bincount(of_track, weights=found.sure[on], minlength=len(numbers)) > 0)
    out = raw.copy()
    out[on[drop[of_track]]] = UNKNOWN
    return out


def _numbered(raw: np.ndarray, found: LinkBoxes) -> Linked:
    """Number the tracks by (first instant, box, kind, class); put boxes in the caller's order."""
    rows = np.flatnonzero(raw != UNKNOWN)
    keys = (found.label, found.kind, *found.box.T[::-1], found.sample)
    by_time = rows[np.lexsort([key[rows] for key in keys])]
    numbers, first = np.unique(raw[by_time], return_index=True)
    rank = np.empty(len(numbers), np.int32)
    rank[np.argsort(first, kind="stable")] = np.arange(len(numbers), dtype=np.int32)
    dense = np.full(len(raw), UNKNOWN, np.int32)
    dense[rows] = rank[np.searchsorted(numbers, raw[rows])]
    sums = np.zeros((len(numbers), int(found.label.max(initial=0)) + 1))
    # Sum in order of time, so that the last bit does not depend on the caller's order.
    np.add.at(sums, (dense[by_time], found.label[by_time]), found.score[by_time])
    boxes = np.bincount(dense[rows], minlength=len(numbers)).astype(np.int64)
    track = np.empty_like(dense)
    track[found.order] = dense
    return Linked(track, track != UNKNOWN, sums.argmax(axis=1).astype(np.int64), boxes)
