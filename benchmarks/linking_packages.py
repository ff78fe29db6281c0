"""Packaged trackers for :mod:`benchmarks.linking`, each in the best sensible settings.

"plain" passes the package only the frame rate.  "wide" gives it the linker's memory in seconds,
confirms tracks without delay, and uses the loosest limits that still help at one frame a second.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.linking import Answer, Detected, Known, Tracker

HEIGHT = 720
MEMORY_S = 3.2
HIGH = 0.5


def _instants(truth: Known, seen: Detected) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Yield the number, rows and boxes in pixels of every frame, including empty ones."""
    size = np.array([round(HEIGHT * truth.aspect), HEIGHT] * 2)
    cut = np.searchsorted(seen.sample, np.arange(len(truth.times_us) + 1))
    for number in range(len(truth.times_us)):
        rows = np.arange(cut[number], cut[number + 1])
        yield number, rows, seen.box[rows] * size


def _answer(seen: Detected, track: np.ndarray) -> Answer:
    kept = track >= 0
    return Answer(seen.sample[kept], track[kept], seen.box[kept])


def roboflow(name: str, fps: float, **settings: Any) -> Tracker:
    """Return a tracker of the package ``trackers``: ByteTrackTracker or SORTTracker."""

    def run(truth: Known, seen: Detected) -> Answer:
        import supervision
        import trackers

        tracker = getattr(trackers, name)(frame_rate=fps, **settings)
        track = np.full(len(seen.sample), -1)
        for _, rows, boxes in _instants(truth, seen):
            told = tracker.update(supervision.Detections(
                xyxy=boxes.astype(np.float32).reshape(-1, 4), class_id=seen.label[rows],
                confidence=seen.score[rows].astype(np.float32), data={"row": rows},
            ))  # fmt: skip
            if len(told):
                track[told.data["row"]] = told.tracker_id
        return _answer(seen, track)

    return run


def norfair(distance: str, classes: bool, **settings: Any) -> Tracker:
    """Return ``norfair`` with IoU, or mean corner distance in fractions of the frame's sides."""

    def run(truth: Known, seen: Detected) -> Answer:
        import norfair as package
        from norfair.distances import create_normalized_mean_euclidean_distance as corners

        wide = round(HEIGHT * truth.aspect)
        measure = corners(HEIGHT, wide) if distance == "corners" else distance
        tracker = package.Tracker(distance_function=measure, **settings)
        track = np.full(len(seen.sample), -1)
        for number, rows, boxes in _instants(truth, seen):
            found = [
                package.Detection(
                    points=box.reshape(2, 2), scores=np.full(2, seen.score[row]), data=int(row),
                    label=int(seen.label[row]) if classes else None,
                )
                for row, box in zip(rows, boxes, strict=True) if seen.score[row] >= HIGH
            ]  # fmt: skip
            for thing in tracker.update(found):
                row = thing.last_detection.data
                if seen.sample[row] == number:
                    track[row] = thing.id
        return _answer(seen, track)

    return run


def motpy(fps: float, least_overlap: float, staleness: float, alive: int) -> Tracker:
    """Return ``motpy``, with the boxes that it smooths."""

    def run(truth: Known, seen: Detected) -> Answer:
        import motpy as package

        tracker = package.MultiObjectTracker(
            dt=1 / fps, matching_fn_kwargs={"min_iou": least_overlap},
            tracker_kwargs={"max_staleness": staleness},
        )  # fmt: skip
        size = np.array([round(HEIGHT * truth.aspect), HEIGHT] * 2)
        told, names = [], dict[str, int]()
        for number, rows, boxes in _instants(truth, seen):
            tracker.step([
                package.Detection(box=b, score=seen.score[r], class_id=int(seen.label[r]))
                for r, b in zip(rows, boxes, strict=True)
            ])  # fmt: skip
            for thing in tracker.active_tracks(min_steps_alive=alive, max_staleness=1):
                track = names.setdefault(thing.id, len(names))
                told.append((number, track, np.asarray(thing.box) / size))
        samples, tracks = (np.array([row[k] for row in told], np.int64) for k in (0, 1))
        return Answer(samples, tracks, np.array([row[2] for row in told]).reshape(-1, 4))

    return run


class _Boxes:
    """The attributes of a result that ultralytics' BYTETracker reads."""

    def __init__(self, xyxy: np.ndarray, conf: np.ndarray, cls: np.ndarray) -> None:
        self.xyxy, self.conf, self.cls = xyxy, conf, cls

    @property
    def xywh(self) -> np.ndarray:
        low, high = self.xyxy[:, :2], self.xyxy[:, 2:]
        return np.concatenate([(low + high) / 2, high - low], axis=1)

    def __len__(self) -> int:
        return len(self.xyxy)

    def __getitem__(self, chosen: np.ndarray) -> _Boxes:
        return _Boxes(self.xyxy[chosen], self.conf[chosen], self.cls[chosen])


def ultralytics(**settings: Any) -> Tracker:
    """Return ``ultralytics``' BYTETracker; its defaults are those of its bytetrack.yaml."""
    plain = {
        "track_high_thresh": 0.25, "track_low_thresh": 0.1, "new_track_thresh": 0.25,
        "track_buffer": 30, "match_thresh": 0.8, "fuse_score": True,
    }  # fmt: skip

    def run(truth: Known, seen: Detected) -> Answer:
        # Without these variables, it would install packages by itself.
        os.environ.update(YOLO_AUTOINSTALL="0", YOLO_OFFLINE="1")
        from ultralytics.trackers.byte_tracker import BYTETracker

        tracker = BYTETracker(SimpleNamespace(**{**plain, **settings}))
        track = np.full(len(seen.sample), -1)
        for _, rows, boxes in _instants(truth, seen):
            found = _Boxes(boxes.reshape(-1, 4), seen.score[rows], seen.label[rows].astype(float))
            told = tracker.update(found)
            if len(told):
                track[rows[told[:, -1].astype(int)]] = told[:, 4].astype(int)
        return _answer(seen, track)

    return run


def _roboflow_wide(name: str, least: float, **more: Any) -> Callable[[float], Tracker]:
    settings = {
        "lost_track_buffer": math.ceil(30 * MEMORY_S), "track_activation_threshold": HIGH,
        "minimum_consecutive_frames": 1, "minimum_iou_threshold": least, **more,
    }  # fmt: skip
    return lambda fps: roboflow(name, fps, **settings)


def _norfair_wide(distance: str, limit: float, classes: bool) -> Callable[[float], Tracker]:
    return lambda fps: norfair(
        distance, classes, distance_threshold=limit, initialization_delay=0,
        hit_counter_max=math.ceil(MEMORY_S * fps),
    )  # fmt: skip


HIGH_FIRST = {"high_conf_det_threshold": HIGH}

PACKAGED: Mapping[str, Callable[[float], Tracker]] = {
    "trackers ByteTrack, plain": lambda fps: roboflow("ByteTrackTracker", fps),
    "trackers ByteTrack, wide": _roboflow_wide("ByteTrackTracker", 0.05, **HIGH_FIRST),
    "trackers ByteTrack, widest": _roboflow_wide("ByteTrackTracker", 0.001, **HIGH_FIRST),
    "trackers SORT, plain": lambda fps: roboflow("SORTTracker", fps),
    "trackers SORT, wide": _roboflow_wide("SORTTracker", 0.05),
    "norfair IoU, plain": lambda fps: norfair("iou", True, distance_threshold=0.7),
    "norfair IoU, wide": _norfair_wide("iou", 0.95, True),
    "norfair IoU, wide, no classes": _norfair_wide("iou", 0.95, False),
    "norfair corners 0.10": _norfair_wide("corners", 0.10, True),
    "norfair corners 0.25": _norfair_wide("corners", 0.25, True),
    "norfair corners 0.40": _norfair_wide("corners", 0.40, True),
    "norfair corners 0.25, no classes": _norfair_wide("corners", 0.25, False),
    "motpy, plain": lambda fps: motpy(fps, 0.1, 12, 2),
    "motpy, wide": lambda fps: motpy(fps, 0.01, max(2.0, 3 * fps), 0),
    "ultralytics ByteTrack, plain": lambda fps: ultralytics(),
    "ultralytics ByteTrack, wide": lambda fps: ultralytics(
        track_buffer=math.ceil(MEMORY_S * fps), fuse_score=False, match_thresh=0.95,
        new_track_thresh=HIGH, track_high_thresh=HIGH,
    ),
}  # fmt: skip
"""Tracker by name, as a function of the frame rate."""
