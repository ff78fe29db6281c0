"""Score SurgSTU answers with several places and times: trajectories, instruments in a window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ontology.times import SECOND_US
from transforms.scoring.case import Case, Mark, box_mark, printed_box
from transforms.scoring.measures import (
    iou,
    score,
    spatial_error,
    spatiotemporal_error,
    temporal_error,
)
from transforms.scoring.parse import Box, is_refusal, read_boxes
from transforms.scoring.passages import Extreme, Presence, read_extremes, read_presences
from transforms.scoring.text import tidy
from transforms.scoring.typed.parts import Bounds, bounds_of, class_of
from transforms.scoring.typed.tokens import Number, tracks

CENTRE_WEIGHT, TIME_WEIGHT, COMPOSITE_WEIGHT = 0.35, 0.25, 0.40
"""Weights in the scores of trajectories and windows (published)."""

WORST = (1.0, 1.0)
"""Temporal and spatial error of an end point that the text does not state."""

EndPoint = tuple[float | None, Box | None]
"""Time in seconds and box; None where the text does not state it."""


def endpoints_score(
    said: Sequence[EndPoint], gold: Sequence[tuple[Bounds, Box | None]], duration_s: float
) -> float:
    """Return 0.35 centre + 0.25 temporal + 0.40 spatiotemporal score over the end points.

    Args:
        said: one entry per gold end point, in its order.
        gold: time in seconds with bounds, and box, of each end point; without a box, any is right.
        duration_s: length of the clip in seconds.
    """
    errors = [
        (
            WORST[0] if time is None else temporal_error(time, right.nearest(time), duration_s),
            0.0 if gold_box is None else WORST[1] if box is None else spatial_error(box, gold_box),
        )
        for (time, box), (right, gold_box) in zip(said, gold, strict=True)
    ]
    centre = sum(score(spatial) for _, spatial in errors) / len(errors)
    temporal = sum(score(late) for late, _ in errors) / len(errors)
    composite = score(spatiotemporal_error(errors))
    return CENTRE_WEIGHT * centre + TIME_WEIGHT * temporal + COMPOSITE_WEIGHT * composite


def _seconds(value: Any, case: Case) -> Bounds:
    """Return the bounds of a time, which include the time as printed."""
    right = bounds_of(value, SECOND_US, case.zero_us)
    at = value["time_us"] if isinstance(value, Mapping) else value
    return right.with_printed(Number(case.seconds(at), 0.0))


def mark_trajectory(text: str, case: Case) -> Mark | None:
    """Score the two extremes as end points; extremes without a side are in reading order."""
    found = read_extremes(text)
    if found is None:
        return Mark(0.0, 0.0, 0.0) if is_refusal(text) else None
    values = [field.value for field in case.fields]
    gold = [(_seconds(values[k], case), printed_box(values[k + 1])) for k in (0, 2)]
    said = _ends(found, text)
    ious = [0.0 if box is None else iou(box, right)
            for (_, box), (_, right) in zip(said, gold, strict=True)]  # fmt: skip
    return box_mark(endpoints_score(said, gold, case.duration_s), ious)


def _ends(found: Sequence[Extreme], text: str) -> list[EndPoint]:
    """Return the low end (left or top) and the high end; without sides, in reading order."""
    named = {side: (time, box) for side, box, time in reversed(found) if side is not None}
    if len(named) < 2 and len(read_boxes(text)) > 1:
        loose = read_extremes(text.replace("left", "").replace("right", "")) or ()
        found, named = loose, {}
    if not named:
        places: list[EndPoint] = [(time, box) for _, box, time in found[:2]]
        return (places + [(None, None)] * 2)[:2]
    return [next((named[side] for side in sides if side in named), (None, None))
            for sides in (("left", "top"), ("right", "bottom"))]  # fmt: skip


def mark_window(text: str, case: Case) -> Mark | None:
    """Score instruments, matched by class and side; mean over max(#gold, #predicted)."""
    said = read_presences(text)
    if said is None:
        return Mark(0.0, 0.0, 0.0) if is_refusal(text) else None
    gold = case.fields[0].value
    right = _named(read_presences(tidy(case.printed)) or (), case.printed)
    sides = [side for _, side in right] or [""] * len(gold)
    names = [(class_of(one["track"]) or "", side) for one, side in zip(gold, sides, strict=False)]
    pairs = {index: mine for mine, index in _matched(_named(said, text), names)}
    total, ious = 0.0, list[float]()
    for index, entry in enumerate(gold):
        ends = _stated(said[pairs[index]]) if index in pairs else [(None, None)] * 2
        truth = [(_seconds(entry[side], case), _gold_box(entry, side)) for side in ("start", "end")]
        total += endpoints_score(ends, truth, case.duration_s) if index in pairs else 0.0
        ious += [0.0 if box is None else iou(box, right)
                 for (_, box), (_, right) in zip(ends, truth, strict=True) if right]  # fmt: skip
    earned = total / max(len(gold), len(said))
    return box_mark(earned, ious) if ious else Mark(earned)


def _stated(one: Presence) -> list[EndPoint]:
    start, end = one.window_s or (None, None)
    return [(start, one.start_box), (end, one.end_box)]


def _gold_box(entry: Mapping[str, Any], side: str) -> Box | None:
    box = entry.get(f"{side}_box")
    return printed_box(box) if box else None


def _named(found: Sequence[Presence], text: str) -> list[tuple[str, str]]:
    """Return class and side of each presence; the side comes from the text after the name."""
    names = list(tracks(tidy(text)))
    out = []
    for one in found:
        at = next((k for k, (label, _) in enumerate(names) if label == one.instrument[0]), None)
        out.append(names.pop(at) if at is not None else (one.instrument[0], ""))
    return out


def _matched(
    said: Sequence[tuple[str, str]], gold: Sequence[tuple[str, str]]
) -> list[tuple[int, int]]:
    """Return (predicted, gold) indices: by class and side, then by class if a side is missing."""
    pairs: list[tuple[int, int]] = []
    for exact in (True, False):
        for i, (label, side) in enumerate(said):
            for j, (other, there) in enumerate(gold):
                if any(i == a or j == b for a, b in pairs) or label != other:
                    continue
                if side == there or (not exact and not (side and there)):
                    pairs.append((i, j))
    return pairs
