"""Cut samples into windows, and prompt SAM2 with the first good box of each track in a window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from surgqa.ontology.observed import MASKS
from surgqa.transforms.evidence.segment.settings import MaskSettings
from surgqa.transforms.media import Samples

WINDOW_MASKS = pa.schema(
    [
        *MASKS,
        ("window", pa.int32()),
        ("from_prompt_us", pa.int64()),  # time to the object's nearest prompt in the window
    ]
)
"""Masks of one window; rows by (time, object).  Objects with a negative number have no track."""


@dataclass(frozen=True, slots=True)
class MaskWindow:
    """Samples that are tracked in one go.

    Attributes:
        number: number of the window, from 0.
        first: index of the first sample.
        last: index after the last sample.
    """

    number: int
    first: int
    last: int


def plan_windows(samples: int, settings: MaskSettings) -> list[MaskWindow]:
    """Windows that cover all samples; neighbouring windows share ``settings.overlap`` samples.

    Args:
        samples: number of samples of the video; 0 gives no window.
    """
    windows: list[MaskWindow] = []
    step = settings.window - settings.overlap
    first = 0
    while first < samples and (not windows or windows[-1].last < samples):
        last = min(first + settings.window, samples)
        windows.append(MaskWindow(len(windows), first, last))
        first += step
    return windows


PROMPTING = ("detector", "manual")
"""Origins of boxes that may prompt.  Interpolated boxes are guesses; mask boxes come from SAM2."""

DRAWN, TISSUE = "manual", "tissue"
"""Origin of boxes that a person drew; if they are tissues, they are followed through their clip."""

Box = tuple[float, float, float, float]
"""x1, y1, x2, y2 in [0, 1]."""
Point = tuple[float, float]
"""x, y in [0, 1]."""


@dataclass(frozen=True, slots=True)
class MaskPrompt:
    """A box, a point or both, marking an object at one sample.

    Attributes:
        object: track of the box; without a track, a number counted down from -1 in the window.
        label: concept id.
        offset: sample within the window.
        box: x1, y1, x2, y2 in [0, 1], or None.
        point: x, y in [0, 1], or None.
        since: first sample within the window at which the object is searched for.
        until: the sample after the last one at which the object is searched for.
    """

    object: int
    label: str
    offset: int
    box: Box | None
    point: Point | None
    since: int
    until: int


@dataclass(frozen=True, slots=True)
class WindowPrompts:
    """All prompts of one window.

    Attributes:
        prompts: prompts by (object, offset).
        left_out: objects that get no prompts, because ``most_objects`` others have higher scores.
    """

    prompts: tuple[MaskPrompt, ...]
    left_out: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Box:
    offset: int
    time_us: int
    label: str
    corners: Box
    score: float
    may_prompt: bool


def prompts(
    window: MaskWindow, boxes: pa.Table, samples: Samples, settings: MaskSettings
) -> WindowPrompts:
    """Return the prompts of one window.

    A track is prompted by its first box with a score of at least ``prompt_score``, else by its best
    box in the window; and again after ``again_us``. Tissues that a person drew are not prompted
    here. Boxes without a track are used only if no box of the window has one, because linking gives
    no track to a box that it rejects. For each label, they are used at the first sample at which
    one is good enough; each is an object of its own.

    Args:
        boxes: schema BOXES, of the whole video or at least of the window.
    """
    times = samples.times_us[window.first : window.last]
    objects = dict(_objects(boxes, times, settings))
    weight = {k: (-sum(b.score for b in rows), k < 0, abs(k)) for k, rows in objects.items()}
    order = sorted(objects, key=lambda k: weight[k])
    taken = sorted(order[: settings.most_objects])
    found = [p for k in taken for p in _prompts_of(k, objects[k], times, settings)]
    return WindowPrompts(tuple(found), tuple(sorted(order[settings.most_objects :])))


def _objects(
    boxes: pa.Table, times: np.ndarray, settings: MaskSettings
) -> Iterator[tuple[int, list[_Box]]]:
    """Yield the rows of each object inside the window, by time."""
    if not len(times):
        return
    inside = pc.and_(
        pc.greater_equal(boxes["time_us"], int(times[0])),
        pc.less_equal(boxes["time_us"], int(times[-1])),
    )
    tracked: dict[int, list[_Box]] = {}
    loose: dict[str, list[_Box]] = {}
    for row in boxes.filter(inside).to_pylist():
        offset = int(np.searchsorted(times, row["time_us"]))
        if times[offset] != row["time_us"] or (row["origin"], row["kind"]) == (DRAWN, TISSUE):
            continue
        box = _Box(
            offset, row["time_us"], row["label"], (row["x1"], row["y1"], row["x2"], row["y2"]),
            row["score"], row["origin"] in PROMPTING,
        )  # fmt: skip
        if row["track"] is not None:
            tracked.setdefault(row["track"], []).append(box)
        elif box.may_prompt and box.score >= settings.prompt_score:
            loose.setdefault(box.label, []).append(box)
    if tracked:
        for track, rows in tracked.items():
            yield track, sorted(rows, key=lambda b: (b.time_us, -b.score, b.corners))
        return
    starts = [
        box
        for _, rows in sorted(loose.items())
        for box in sorted(rows, key=lambda b: (b.time_us, b.corners))
        if box.time_us == min(b.time_us for b in rows)
    ]
    for number, box in enumerate(starts, start=1):
        yield -number, [box]


def _prompts_of(
    number: int, rows: list[_Box], times: np.ndarray, settings: MaskSettings
) -> list[MaskPrompt]:
    keys = _key_boxes(rows, settings)
    since = int(np.searchsorted(times, rows[0].time_us - settings.reach_us, "left"))
    until = int(np.searchsorted(times, rows[-1].time_us + settings.reach_us, "right"))
    if number < 0:  # without a track, it is unknown how long the object is visible
        until = len(times)
    label = _label(rows)
    by_box = settings.prompt == "box"
    return [
        MaskPrompt(number, label, key.offset, key.corners if by_box else None,
                   None if by_box else _middle(key.corners), min(since, key.offset), until)
        for key in keys
    ]  # fmt: skip


def _middle(box: Box) -> Point:
    x1, y1, x2, y2 = box
    return (x1 + x2) / 2, (y1 + y2) / 2


def _label(rows: list[_Box]) -> str:
    """Return the label with the largest sum of scores."""
    sums: dict[str, float] = {}
    for box in rows:
        sums[box.label] = sums.get(box.label, 0.0) + box.score
    return min(sums, key=lambda label: (-sums[label], label))


def _key_boxes(rows: list[_Box], settings: MaskSettings) -> list[_Box]:
    """Return the boxes of one object that are used as prompts, possibly none."""
    able = [box for box in rows if box.may_prompt]
    good = [box for box in able if box.score >= settings.prompt_score]
    if not good:
        return sorted(able, key=lambda b: (-b.score, b.time_us, b.corners))[:1]
    keys = [good[0]]
    for box in good[1:]:
        if settings.again_us and box.time_us - keys[-1].time_us >= settings.again_us:
            keys.append(box)
    return keys
