"""Spatial-temporal grounding and the chain of thought: where and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from transforms.scoring.case import (
    REFUSED,
    WITH_BOTH,
    WITH_BOX,
    WITH_LABEL,
    Case,
    Mark,
    as_printed,
    box_mark,
    printed_box,
)
from transforms.scoring.measures import (
    iou,
    relative_score,
    score,
    spatial_error,
    spatiotemporal_error,
    temporal_error,
)
from transforms.scoring.parse import (
    Box,
    Instrument,
    is_refusal,
    read_box,
    read_instrument,
)
from transforms.scoring.passages import Extreme, Presence, Trace, read_extremes, read_presences

CENTRE_WEIGHT, TIME_WEIGHT, COMPOSITE_WEIGHT = 0.35, 0.25, 0.40
"""Weights of trajectory and window answers (SurgSTU, public)."""

WORST = (1.0, 1.0)
"""Temporal and spatial error of an end point that is not stated."""

EndPoint = tuple[float | None, Box | None]
"""Seconds and box; None where not stated."""


def endpoints_score(
    predicted: Sequence[EndPoint], gold: Sequence[tuple[float, Box]], duration_s: float
) -> float:
    """0.35 centre + 0.25 temporal + 0.40 spatiotemporal composite over the end points.

    Args:
        predicted: one entry per gold end point, in its order.
        gold: seconds and box of each end point.
        duration_s: the clip's length.
    """
    errors = [
        (
            WORST[0] if time is None else temporal_error(time, gold_time, duration_s),
            WORST[1] if box is None else spatial_error(box, gold_box),
        )
        for (time, box), (gold_time, gold_box) in zip(predicted, gold, strict=True)
    ]
    centre = sum(score(spatial) for _, spatial in errors) / len(errors)
    temporal = sum(score(late) for late, _ in errors) / len(errors)
    composite = score(spatiotemporal_error(errors))
    return CENTRE_WEIGHT * centre + TIME_WEIGHT * temporal + COMPOSITE_WEIGHT * composite


def _overlap(predicted: Box | None, gold: Box) -> float:
    return 0.0 if predicted is None else iou(predicted, gold)


# ---- trajectory ---------------------------------------------------------------------


def read_trajectory(text: str) -> tuple[Extreme, ...] | str | None:
    """The extremes stated, or REFUSED."""
    return read_extremes(text) or (REFUSED if is_refusal(text) else None)


def mark_trajectory(predicted: tuple[Extreme, ...] | str, case: Case) -> Mark:
    """The two extremes as end points; an extreme without a side stands for its place."""
    if isinstance(predicted, str):
        return WITH_BOX
    gold = [
        (case.seconds(extreme["time_us"]), printed_box(extreme["box_xyxy"]))
        for extreme in case.value["extremes"]
    ]
    sides = [extreme["side"] for extreme in case.value["extremes"]]
    named = {side: (time, box) for side, box, time in reversed(predicted) if side is not None}
    if not named:
        places = [(time, box) for _, box, time in predicted[: len(sides)]]
        named = dict(zip(sides, places, strict=False))
    ends = [named.get(side, (None, None)) for side in sides]
    ious = [_overlap(box, gold_box) for (_, box), (_, gold_box) in zip(ends, gold, strict=True)]
    return box_mark(endpoints_score(ends, gold, case.duration_s), ious)


# ---- window -------------------------------------------------------------------------


def read_window_answer(text: str) -> tuple[Presence, ...] | str | None:
    """The instruments' windows stated, or REFUSED."""
    return read_presences(text) or (REFUSED if is_refusal(text) else None)


def mark_window(predicted: tuple[Presence, ...] | str, case: Case) -> Mark:
    """Mean over max(#gold, #predicted) instruments, matched by name and instance."""
    if isinstance(predicted, str):
        return WITH_BOX
    gold = case.value["instruments"]
    pairs = match_instruments([p.instrument for p in predicted], gold)
    total, ious = 0.0, [0.0] * (2 * len(gold))
    for mine, index in pairs:
        presence, entry = predicted[mine], gold[index]
        start, end = presence.window_s or (None, None)
        ends = [(start, presence.start_box), (end, presence.end_box)]
        truth = [
            (case.seconds(entry["start_us"]), printed_box(entry["start_box_xyxy"])),
            (case.seconds(entry["end_us"]), printed_box(entry["end_box_xyxy"])),
        ]
        total += endpoints_score(ends, truth, case.duration_s)
        for k in (0, 1):
            ious[2 * index + k] = _overlap(ends[k][1], truth[k][1])
    return box_mark(total / max(len(gold), len(predicted)), ious)


def match_instruments(
    predicted: Sequence[Instrument], gold: Sequence[Mapping[str, Any]]
) -> list[tuple[int, int]]:
    """(predicted, gold) indices: same label and instance first, then same label in order.

    The second pass joins only entries of which one side states no instance.
    """
    pairs: list[tuple[int, int]] = []
    for exact in (True, False):
        for i, (label, instance) in enumerate(predicted):
            for j, entry in enumerate(gold):
                if any(i == a or j == b for a, b in pairs) or label != entry["label"]:
                    continue
                number = entry["instance"]
                if instance == number or (not exact and (instance is None or number is None)):
                    pairs.append((i, j))
    return pairs


# ---- one box ------------------------------------------------------------------------


def read_located(text: str) -> tuple[Instrument | None, Box] | str | None:
    """(instrument named, box); REFUSED where the text refuses."""
    box = read_box(text)
    if box is not None:
        return (read_instrument(text), box)
    return REFUSED if is_refusal(text) else None


def mark_locate(predicted: tuple[Instrument | None, Box] | str, case: Case) -> Mark:
    """Centre score; IoU beside it."""
    if isinstance(predicted, str):
        return WITH_BOX
    gold = printed_box(case.value["box_xyxy"])
    return box_mark(score(spatial_error(predicted[1], gold)), [iou(predicted[1], gold)])


def mark_locate_by(predicted: tuple[Instrument | None, Box] | str, case: Case) -> Mark:
    """Centre score; whether the instrument named is right stands under accuracy."""
    if isinstance(predicted, str):
        return WITH_BOTH
    mark = mark_locate(predicted, case)
    right = predicted[0] is not None and same_instrument(predicted[0], case.value)
    return Mark(mark.score, mark.iou, mark.hit, float(right))


def same_instrument(predicted: Instrument, gold: Mapping[str, Any]) -> bool:
    """Same label, and no other instance stated than the gold's where it has one."""
    label, instance = predicted
    number = gold["instance"]
    return label == gold["label"] and (instance is None or number is None or instance == number)


# ---- region, nearest, refusal -------------------------------------------------------


def mark_segment(predicted: tuple[str | None, str | None], case: Case) -> Mark:
    """Half for the column, half for the row."""
    right = [predicted[0] == case.value["horizontal"], predicted[1] == case.value["vertical"]]
    return Mark(0.5 * right[0] + 0.5 * right[1], accuracy=float(all(right)))


def mark_instrument(predicted: Instrument, case: Case) -> Mark:
    """1 for the right instrument, else 0."""
    right = float(same_instrument(predicted, case.value))
    return Mark(right, accuracy=right)


def read_absence(text: str) -> bool | None:
    """True for a refusal, False for a box all the same, None for neither."""
    if read_box(text) is not None:
        return False
    return True if is_refusal(text) else None


def mark_refusal(predicted: bool, case: Case) -> Mark:
    """1 where the absence is detected; a box beside the refusal takes it back."""
    return Mark(1.0, accuracy=1.0) if predicted else WITH_LABEL


# ---- chain of thought ---------------------------------------------------------------


def mark_trace(predicted: Trace, case: Case) -> Mark:
    """Mean of five parts: box centre, duration, path length, speed word, verb."""
    value = case.value
    gold = printed_box(value["box_xyxy"])
    words = [predicted.speed_word == value["speed_class"], predicted.verb == value["verb"]]
    parts = [
        0.0 if predicted.box is None else score(spatial_error(predicted.box, gold)),
        relative_score(predicted.seconds, as_printed(value["seconds"], 2)),
        relative_score(predicted.path, as_printed(value["path_length"], 2)),
        float(words[0]),
        float(words[1]),
    ]
    return box_mark(sum(parts) / 5, [_overlap(predicted.box, gold)], float(all(words)))
