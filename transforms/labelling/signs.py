"""Signs that a detector is unsure of a frame, each in [0, 1]; 1 is the strongest.

``margin``: scores close to the threshold. ``entropy``: scores near one half. ``flicker``: a number
of boxes that differs from both neighbouring frames, which have equal numbers. ``hole``: no box
between two frames with boxes. ``fragment``: boxes of very short tracks. ``switch``: a track whose
label changes here. ``disagreement``: a neighbour has another label in the same place. ``named``:
speech names a tissue that has no box. ``outlined``: a tissue that a model outlined and nobody has
reviewed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
import pyarrow as pa

from surgqa.ontology.boxes import iou
from surgqa.transforms.labelling.settings import Choosing, SignWeights
from surgqa.transforms.labelling.view import StoreView

DECIMALS = 6
"""Signs are rounded, so that frames with equal boxes are equal on every machine."""

SENTENCES: Mapping[str, str] = {
    "margin": "scores close to the threshold",
    "entropy": "scores near one half",
    "flicker": "a count that both neighbours contradict",
    "hole": "no box between two frames with boxes",
    "fragment": "a box of a very short track",
    "switch": "a track that changes its label",
    "disagreement": "another label in the same place a moment before or after",
    "named": "speech names a tissue that has no box",
    "outlined": "a tissue that a model outlined and nobody reviewed",
    "diversity": "unlike what was chosen or reviewed before",
    "held_out": "drawn for the part held out",
}
"""Sign, or other reason for choosing a frame -> its description."""

Instant = tuple[str, int]
"""(video id, time in microseconds)."""
SIGNS = tuple(one.name for one in fields(SignWeights))


@dataclass(frozen=True, slots=True)
class FrameSigns:
    """One sample of a video that can be shown to a person.

    Attributes:
        dhash: 64-bit difference hash, or None.
        values: for each sign, the strength in [0, 1].
    """

    video_id: str
    time_us: int
    frame: int
    dhash: int | None
    values: Mapping[str, float]

    @property
    def instant(self) -> Instant:
        """The sample's video and time."""
        return self.video_id, self.time_us


@dataclass(frozen=True, slots=True, eq=False)
class _Boxes:
    """The N boxes of one sample as columns."""

    kind: tuple[str, ...]
    label: tuple[str, ...]
    box_xyxy: np.ndarray
    score: np.ndarray
    track: tuple[int | None, ...]
    origin: tuple[str, ...]

    def counts(self) -> Counter[tuple[str, str]]:
        return Counter(zip(self.kind, self.label, strict=True))


def seen(view: StoreView, video_id: str, settings: Choosing) -> list[FrameSigns]:
    """Return the signs of all samples of a video that were decoded from undamaged data, by time.

    A frame that is on screen at several samples counts once.
    """
    boxes = view.table(video_id, "boxes")
    samples = _samples(view.table(video_id, "frames"), boxes)
    groups = _grouped(boxes)
    empty = _Boxes((), (), np.empty((0, 4)), np.empty(0), (), ())
    words = NamedTissues(view.table(video_id, "anchors"))
    here = [groups.get(time_us, empty) for time_us, _, _ in samples]
    lengths = Counter(track for one in groups.values() for track in set(one.track))
    found = []
    for n, (time_us, frame, dhash) in enumerate(samples):
        near = [
            here[m]
            for m in (n - 1, n + 1)
            if 0 <= m < len(samples) and abs(samples[m][0] - time_us) <= settings.neighbour_us
        ]
        values = _signs(here[n], near, lengths, settings)
        values["named"] = float(bool(words.at(time_us) - {*here[n].label}))
        values["outlined"] = float(
            ("tissue", "mask") in zip(here[n].kind, here[n].origin, strict=True)
        )
        found.append(FrameSigns(video_id, time_us, frame, dhash, values))
    return found


class NamedTissues:
    """The tissues that speech names, and when.

    Args:
        anchors: schema ANCHORS, of one video.
    """

    def __init__(self, anchors: pa.Table) -> None:
        columns = (anchors[name].to_pylist() for name in ("start_us", "end_us", "tissue")
                   if anchors.num_rows)  # fmt: skip
        self._named = [one for one in zip(*columns, strict=True) if one[2] is not None]

    def at(self, time_us: int) -> set[str]:
        """Concept ids of the tissues that speech names at a time."""
        return {tissue for start, end, tissue in self._named if start <= time_us < end}


def _samples(frames: pa.Table, boxes: pa.Table) -> list[tuple[int, int, int | None]]:
    """Return (time, frame, hash), ascending; from the boxes if image quality was not measured."""
    if frames.num_rows:
        rows = zip(*(frames[n].to_pylist() for n in ("time_us", "frame", "dhash", "trusted")),
                   strict=True)  # fmt: skip
        found = [(time_us, frame, dhash) for time_us, frame, dhash, trusted in rows if trusted]
    else:
        pairs = zip(boxes["time_us"].to_pylist(), boxes["frame"].to_pylist(), strict=True)
        found = [(time_us, frame, None) for time_us, frame in sorted(set(pairs))]
    first: dict[int, tuple[int, int, int | None]] = {}
    for sample in sorted(found, key=lambda one: one[:2]):
        first.setdefault(sample[1], sample)
    return sorted(first.values(), key=lambda one: one[:2])


def _grouped(boxes: pa.Table) -> dict[int, _Boxes]:
    names = ("time_us", "kind", "label", "x1", "y1", "x2", "y2", "score", "track", "origin")
    rows: dict[int, list[tuple]] = {}
    for row in zip(*(boxes[name].to_pylist() for name in names), strict=True):
        rows.setdefault(row[0], []).append(row[1:])
    return {time_us: _as_boxes(group) for time_us, group in rows.items()}


def _as_boxes(rows: Sequence[tuple]) -> _Boxes:
    kind, label, x1, y1, x2, y2, score, track, origin = zip(*rows, strict=True)
    scores = np.array([1.0 if s is None else s for s in score])
    return _Boxes(kind, label, np.array([x1, y1, x2, y2]).T, scores, track, origin)


def _signs(
    here: _Boxes, near: Sequence[_Boxes], lengths: Counter[int | None], settings: Choosing
) -> dict[str, float]:
    values = {
        "margin": _margin(here.score, settings),
        "entropy": _entropy(here.score, settings),
        "flicker": _flicker(here, near),
        "hole": float(not here.label and len(near) == 2 and all(one.label for one in near)),
        "fragment": _fragment(here, lengths, settings.fragment_frames),
        "switch": _switch(here, near),
        "disagreement": _disagreement(here, near, settings.same_iou),
    }
    return {name: round(value, DECIMALS) + 0.0 for name, value in values.items()}


def _margin(score: np.ndarray, settings: Choosing) -> float:
    """Sum of the boxes' doubt (1 at the threshold, 0 far away) divided by ``crowd``, at most 1."""
    away = np.abs(score - settings.threshold) / settings.margin
    return min(1.0, float(np.clip(1 - away, 0, 1).sum()) / settings.crowd)


def _entropy(score: np.ndarray, settings: Choosing) -> float:
    """Sum of the entropies of the boxes' scores, in bits, divided by ``crowd``, at most 1."""
    inside = score[(score > 0) & (score < 1)]
    bits = -(inside * np.log2(inside) + (1 - inside) * np.log2(1 - inside))
    return min(1.0, float(bits.sum()) / settings.crowd)


def _flicker(here: _Boxes, near: Sequence[_Boxes]) -> float:
    """Return the share of labels whose count both neighbours contradict."""
    if len(near) < 2 or not here.label:  # no box at all is a hole
        return 0.0
    before, now, after = near[0].counts(), here.counts(), near[1].counts()
    labels = set(before) | set(now) | set(after)
    odd = sum(before[one] == after[one] != now[one] for one in labels)
    return odd / len(labels) if labels else 0.0


def _fragment(here: _Boxes, lengths: Counter[int | None], short: int) -> float:
    tracks = [track for track in here.track if track is not None]
    return sum(lengths[track] <= short for track in tracks) / len(tracks) if tracks else 0.0


def _switch(here: _Boxes, near: Sequence[_Boxes]) -> float:
    labels = _by_track(here)
    others = list(map(_by_track, near))
    return float(any(label != other.get(track, label)
                     for track, label in labels.items() for other in others))  # fmt: skip


def _by_track(boxes: _Boxes) -> dict[int, str]:
    pairs = zip(boxes.track, boxes.label, strict=True)
    return {track: label for track, label in pairs if track is not None}


def _disagreement(here: _Boxes, near: Sequence[_Boxes], same: float) -> float:
    """Return the share of boxes where a neighbouring frame has a box of another label only."""
    odd = 0
    for n, (kind, label) in enumerate(zip(here.kind, here.label, strict=True)):
        odd += any(_contradicts(other, kind, label, here.box_xyxy[n], same) for other in near)
    return odd / len(here.label) if here.label else 0.0


def _contradicts(other: _Boxes, kind: str, label: str, box: np.ndarray, same: float) -> bool:
    if not other.label:
        return False
    rows = zip(other.label, other.kind, iou(other.box_xyxy, box) >= same, strict=True)
    there = {name for name, its_kind, hit in rows if hit and its_kind == kind}
    return bool(there) and label not in there
