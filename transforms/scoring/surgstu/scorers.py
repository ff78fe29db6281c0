"""Scorers for the answers of SurgSTU, many of which have several values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

from surgqa.ontology.times import SECOND_US, print_number
from surgqa.transforms.scoring import measures, parse, passages
from surgqa.transforms.scoring.case import Field, GoldCase, PredictionScore, box_mark, printed_box
from surgqa.transforms.scoring.text import tidy
from surgqa.transforms.scoring.typed.answer import marks_of
from surgqa.transforms.scoring.typed.parts import Bounds, bounds_of, class_of, seconds_of
from surgqa.transforms.scoring.typed.tokens import NULLS, Number, tracks

CENTRE_WEIGHT, TIME_WEIGHT, COMPOSITE_WEIGHT = 0.35, 0.25, 0.40
"""The benchmark's weights in the scores of trajectories and windows."""

WORST = (1.0, 1.0)
"""Temporal and spatial error of an end point that the text does not state."""

Scorer = Callable[[str, GoldCase], PredictionScore | None]

EndPoint = tuple[float | None, parse.Box | None]
"""Time in seconds, and box; each None if the text does not state it."""


def endpoints_score(
    said: Sequence[EndPoint], gold: Sequence[tuple[Bounds, parse.Box | None]], duration_s: float
) -> float:
    """Return 0.35 centre + 0.25 temporal + 0.40 spatiotemporal score over the end points.

    Args:
        said: the stated end points, one for each gold end point, in the same order.
        gold: correct times in seconds, and correct box, of each end point; if the box is None, any
            box is correct.
        duration_s: length of the clip in seconds.
    """
    errors = [
        (
            WORST[0]
            if time is None
            else measures.temporal_error(time, right.nearest(time), duration_s),
            0.0
            if gold_box is None
            else WORST[1]
            if box is None
            else measures.spatial_error(box, gold_box),
        )
        for (time, box), (right, gold_box) in zip(said, gold, strict=True)
    ]
    centre = sum(measures.score(spatial) for _, spatial in errors) / len(errors)
    temporal = sum(measures.score(late) for late, _ in errors) / len(errors)
    composite = measures.score(measures.spatiotemporal_error(errors))
    return CENTRE_WEIGHT * centre + TIME_WEIGHT * temporal + COMPOSITE_WEIGHT * composite


def _seconds(value: Any, case: GoldCase) -> Bounds:
    """Return the correct times for a value in seconds, including the time as printed."""
    right = bounds_of(value, SECOND_US, case.zero_us)
    at = value["time_us"] if isinstance(value, Mapping) else value
    return right.with_printed(Number(case.seconds(at), 0.0))


def mark_trajectory(text: str, case: GoldCase) -> PredictionScore | None:
    """Score the two extreme positions of a trajectory as end points."""
    found = passages.read_extremes(text)
    if found is None:
        return PredictionScore(0.0, 0.0, 0.0) if parse.is_refusal(text) else None
    values = [field.value for field in case.fields]
    gold = [(_seconds(values[k], case), printed_box(values[k + 1])) for k in (0, 2)]
    said = _ends(found, text)
    ious = [0.0 if box is None else measures.iou(box, right)
            for (_, box), (_, right) in zip(said, gold, strict=True)]  # fmt: skip
    return box_mark(endpoints_score(said, gold, case.duration_s), ious)


def _ends(found: Sequence[passages.Extreme], text: str) -> list[EndPoint]:
    """Return the left (top) and the right (bottom) extreme; without sides, in reading order."""
    named = {side: (time, box) for side, box, time in reversed(found) if side is not None}
    if len(named) < 2 and len(parse.read_boxes(text)) > 1:
        loose = passages.read_extremes(text.replace("left", "").replace("right", "")) or ()
        found, named = loose, {}
    if not named:
        places: list[EndPoint] = [(time, box) for _, box, time in found[:2]]
        return (places + [(None, None)] * 2)[:2]
    return [next((named[side] for side in sides if side in named), (None, None))
            for sides in (("left", "top"), ("right", "bottom"))]  # fmt: skip


def mark_window(text: str, case: GoldCase) -> PredictionScore | None:
    """Score which instruments are in view, where and when.

    Instruments are matched by class and side. The sum of their scores is divided by the larger
    number of instruments, correct or stated.
    """
    said = passages.read_presences(text)
    if said is None:
        return PredictionScore(0.0, 0.0, 0.0) if parse.is_refusal(text) else None
    gold = case.fields[0].value
    right = _named(passages.read_presences(tidy(case.printed)) or (), case.printed)
    sides = [side for _, side in right] or [""] * len(gold)
    names = [(class_of(one["track"]) or "", side) for one, side in zip(gold, sides, strict=False)]
    pairs = {index: mine for mine, index in _matched(_named(said, text), names)}
    total, ious = 0.0, list[float]()
    for index, entry in enumerate(gold):
        ends = _stated(said[pairs[index]]) if index in pairs else [(None, None)] * 2
        truth = [(_seconds(entry[side], case), _gold_box(entry, side)) for side in ("start", "end")]
        total += endpoints_score(ends, truth, case.duration_s) if index in pairs else 0.0
        ious += [0.0 if box is None else measures.iou(box, right)
                 for (_, box), (_, right) in zip(ends, truth, strict=True) if right]  # fmt: skip
    earned = total / max(len(gold), len(said))
    return box_mark(earned, ious) if ious else PredictionScore(earned)


def _stated(one: passages.Presence) -> list[EndPoint]:
    start, end = one.window_s or (None, None)
    return [(start, one.start_box), (end, one.end_box)]


def _gold_box(entry: Mapping[str, Any], side: str) -> parse.Box | None:
    box = entry.get(f"{side}_box")
    return printed_box(box) if box else None


def _named(found: Sequence[passages.Presence], text: str) -> list[tuple[str, str]]:
    """Return the class of each instrument, and the side that the text states after its name."""
    names = list(tracks(tidy(text)))
    out = []
    for one in found:
        at = next((k for k, (label, _) in enumerate(names) if label == one.instrument[0]), None)
        out.append(names.pop(at) if at is not None else (one.instrument[0], ""))
    return out


def _matched(
    said: Sequence[tuple[str, str]], gold: Sequence[tuple[str, str]]
) -> list[tuple[int, int]]:
    """Return (stated, correct) indices of equal instruments; a missing side equals any side."""
    pairs: list[tuple[int, int]] = []
    for exact in (True, False):
        for i, (label, side) in enumerate(said):
            for j, (other, there) in enumerate(gold):
                if any(i == a or j == b for a, b in pairs) or label != other:
                    continue
                if side == there or (not exact and not (side and there)):
                    pairs.append((i, j))
    return pairs


BUCKETS = ((10.0, "0-10"), (25.0, "10-25"), (50.0, "25-50"))
LAST_BUCKET = "50-100"
DOWN = {"upper": "top", "middle": "middle", "lower": "bottom"}


def typed(case: GoldCase, *names: str) -> Field:
    """Return the first field of an answer with one of these types."""
    return next(field for field in case.fields if field.type.name in names)


def parts(case: GoldCase, name: str) -> list[Field]:
    """Return all fields of an answer with this type, in order."""
    return [field for field in case.fields if field.type.name == name]


def printed(right: Bounds, decimals: int) -> Bounds:
    """Return the bounds, extended to include the number as printed."""
    return right.with_printed(Number(float(print_number(right.at, decimals)), 0.0))


def relative(said: float | None, right: Bounds) -> float:
    """Return the relative score of a number, with the nearest correct value as gold."""
    return 0.0 if said is None else measures.relative_score(said, right.nearest(said))


def reads(
    reader: Callable[[str], Any],
) -> Callable[[Callable[[Any, GoldCase], PredictionScore]], Scorer]:
    """Return a decorator for a scorer that gets a value instead of the text of a response.

    The value is what ``reader`` finds in the text. If it finds None, the scorer returns None.
    """

    def decorated(score_value: Callable[[Any, GoldCase], PredictionScore]) -> Scorer:
        @wraps(score_value)
        def mark(text: str, case: GoldCase) -> PredictionScore | None:
            said = reader(text)
            return None if said is None else score_value(said, case)

        return mark

    return decorated


# ---- one field of several ---------------------------------------------------------------


def _only(name: str) -> Scorer:
    """Return a scorer for the first field of a type; '' stands for any type."""

    def mark(text: str, case: GoldCase) -> PredictionScore | None:
        marks = marks_of(text, case)
        index = next(k for k, one in enumerate(case.fields) if name in ("", one.type.name))
        return marks[index]

    return mark


@reads(passages.read_sequence)
def mark_steps(said: Sequence[tuple[str, str]], case: GoldCase) -> PredictionScore:
    """Return ROUGE-L of the sequence of verbs and targets of all steps; times are not scored."""
    mine = [token for step in said for token in step]
    gold = [step[name] or NULLS[1] for step in case.fields[0].value for name in ("verb", "target")]
    return PredictionScore(measures.rouge_l(mine, gold), accuracy=float(mine == gold))


# ---- position ---------------------------------------------------------------------------


def mark_locate(text: str, case: GoldCase) -> PredictionScore | None:
    """Return the scores of an answer with one box: the score of its centre, and the IoU.

    If the question also asks for the instrument, the accuracy states whether it is correct.
    """
    box, named = parse.read_box(text), parts(case, "track")
    label = 0.0 if named else None
    if box is None:
        return PredictionScore(0.0, 0.0, 0.0, label) if parse.is_refusal(text) else None
    gold = printed_box(typed(case, "box").value)
    if named:
        said = tracks(text)
        label = float(bool(said) and said[0][0] == class_of(named[0].value))
    return box_mark(
        measures.score(measures.spatial_error(box, gold)), [measures.iou(box, gold)], label
    )


@reads(parse.read_region)
def mark_segment(said: tuple[str | None, str | None], case: GoldCase) -> PredictionScore:
    """Return 0.5 for the correct column plus 0.5 for the correct row."""
    down, across = typed(case, "word").value.split()
    right = [said[0] == across, said[1] == DOWN[down]]
    return PredictionScore(0.5 * right[0] + 0.5 * right[1], accuracy=float(all(right)))


def mark_position(text: str, case: GoldCase) -> PredictionScore | None:
    """Return 0.5 for the correct side (left or right) plus 0.5 for the correct height."""
    said = (parse.read_left_right(text), parse.read_above_below(text))
    if not any(said):
        return None
    right = [one == field.value for one, field in zip(said, case.fields, strict=True)]
    return PredictionScore(0.5 * right[0] + 0.5 * right[1], accuracy=float(all(right)))


# ---- duration ---------------------------------------------------------------------------


@reads(passages.read_stretch)
def mark_stretch(said: tuple[Any, Any], case: GoldCase) -> PredictionScore:
    """Return half the relative score of the duration plus half the IoU of the interval."""
    length = typed(case, "duration")
    total = relative(said[0], printed(seconds_of(length, length.value, case), 2))
    if said[1] is None:
        return PredictionScore(0.5 * total)
    ends = [printed(seconds_of(one, one.value, case), 2) for one in parts(case, "instant")]
    gold = (ends[0].nearest(said[1][0]), ends[1].nearest(said[1][1]))
    return PredictionScore(0.5 * total + 0.5 * measures.temporal_iou(said[1], gold))


@reads(passages.read_idle)
def mark_idle(said: passages.Idle, case: GoldCase) -> PredictionScore:
    """Return half the relative score of the idle time plus 0.5 for the correct visible share."""
    bucket = said.bucket
    if bucket is None and said.percent is not None:
        bucket = next((name for bound, name in BUCKETS if said.percent < bound), LAST_BUCKET)
    right = bucket == typed(case, "word").value.partition(" ")[0]
    rest = typed(case, "duration")
    length = relative(said.seconds, printed(seconds_of(rest, rest.value, case), 2))
    return PredictionScore(0.5 * length + 0.5 * right, accuracy=float(right))


# ---- motion -----------------------------------------------------------------------------


@reads(passages.read_rel_change)
def mark_change(said: tuple[Any, Any], case: GoldCase) -> PredictionScore:
    """Return half the relative score of the signed difference plus 0.5 for the correct word."""
    right = said[0] is not None and said[0] in typed(case, "word").value
    size = relative(said[1], printed(bounds_of(typed(case, "number").value), 2))
    return PredictionScore(0.5 * size + 0.5 * right, accuracy=float(right))


@reads(passages.read_speeds)
def mark_velocity(said: passages.Speeds, case: GoldCase) -> PredictionScore:
    """Return half the mean relative score of min, max and mean speed plus 0.5 for the word."""
    stated = (said.min, said.max, said.mean)
    right = said.word == typed(case, "word").value
    sizes = [relative(one, printed(bounds_of(field.value), 3))
             for one, field in zip(stated, parts(case, "number"), strict=True)]  # fmt: skip
    return PredictionScore(0.5 * sum(sizes) / 3 + 0.5 * right, accuracy=float(right))


@reads(passages.read_trace)
def mark_reasoning(said: passages.ReasoningValues, case: GoldCase) -> PredictionScore:
    """Return the mean of five scores: box centre, duration, path length, speed word, verb."""
    gold, length = printed_box(typed(case, "box").value), typed(case, "duration")
    path, pace = parts(case, "number")[0], parts(case, "word")[1]
    words = [said.speed_word == pace.value, said.verb == typed(case, "label").value]
    sizes = [
        0.0 if said.box is None else measures.score(measures.spatial_error(said.box, gold)),
        relative(said.seconds, printed(seconds_of(length, length.value, case), 2)),
        relative(said.path, printed(bounds_of(path.value), 2)),
    ]
    overlap = 0.0 if said.box is None else measures.iou(said.box, gold)
    return box_mark((sum(sizes) + sum(words)) / 5, [overlap], float(all(words)))


# ---- comparison of two ------------------------------------------------------------------


@reads(passages.read_comparison)
def mark_comparison(said: tuple[Any, Any], case: GoldCase) -> PredictionScore:
    """Return 0.5 for the correct yes or no plus 0.25 for each correct target, in order."""
    right = said[0] is not None and said[0] == typed(case, "truth").value
    targets = [field.value for field in parts(case, "label")]
    hits = sum(a == b for a, b in zip(said[1], targets, strict=False))
    return PredictionScore(0.5 * right + 0.25 * hits, accuracy=float(right))


SCORERS: Mapping[str, Scorer] = {
    "first_part": _only(""),
    "set": _only("set"),
    "steps": mark_steps,
    "locate": mark_locate,
    "segment": mark_segment,
    "position": mark_position,
    "stretch": mark_stretch,
    "idle": mark_idle,
    "change": mark_change,
    "velocity": mark_velocity,
    "reasoning": mark_reasoning,
    "comparison": mark_comparison,
    "trajectory": mark_trajectory,
    "window": mark_window,
}
"""Name -> scorer. A template uses a scorer by ``scorer: surgstu.<name>``."""
