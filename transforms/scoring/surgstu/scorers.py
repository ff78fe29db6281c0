"""Scorers that SurgSTU's templates name; docs/scoring.md describes the formulas."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ontology.times import print_number
from transforms.scoring.case import Case, Field, Mark, box_mark, printed_box
from transforms.scoring.measures import (
    iou,
    relative_score,
    rouge_l,
    score,
    spatial_error,
    temporal_iou,
)
from transforms.scoring.parse import (
    is_refusal,
    read_above_below,
    read_box,
    read_left_right,
    read_region,
)
from transforms.scoring.passages import (
    read_comparison,
    read_idle,
    read_rel_change,
    read_sequence,
    read_speeds,
    read_stretch,
    read_trace,
)
from transforms.scoring.surgstu.places import mark_trajectory, mark_window
from transforms.scoring.typed.answer import marks_of
from transforms.scoring.typed.parts import Bounds, bounds_of, class_of, seconds_of
from transforms.scoring.typed.tokens import NULLS, Number, tracks

BUCKETS = ((10.0, "0-10"), (25.0, "10-25"), (50.0, "25-50"))
LAST_BUCKET = "50-100"
DOWN = {"upper": "top", "middle": "middle", "lower": "bottom"}


def typed(case: Case, *names: str) -> Field:
    """Return the first field of the answer that has one of these types."""
    return next(field for field in case.fields if field.type.name in names)


def parts(case: Case, name: str) -> list[Field]:
    """Return all fields of a type, in their order."""
    return [field for field in case.fields if field.type.name == name]


def printed(right: Bounds, decimals: int) -> Bounds:
    """Return the bounds, which include the printed number."""
    return right.with_printed(Number(float(print_number(right.at, decimals)), 0.0))


def relative(said: float | None, right: Bounds) -> float:
    """Return the relative score against the nearest correct value."""
    return 0.0 if said is None else relative_score(said, right.nearest(said))


# ---- one field of several ---------------------------------------------------------------


def _only(name: str) -> Callable[[str, Case], Mark | None]:
    """Return a scorer for the first field of that type; '' means the first field of any type."""

    def mark(text: str, case: Case) -> Mark | None:
        marks = marks_of(text, case)
        index = next(k for k, one in enumerate(case.fields) if name in ("", one.type.name))
        return marks[index]

    return mark


def mark_steps(text: str, case: Case) -> Mark | None:
    """Return ROUGE-L of the steps' verbs and targets in order; times are not scored."""
    said = read_sequence(text)
    if said is None:
        return None
    mine = [token for step in said for token in step]
    gold = [step[name] or NULLS[1] for step in case.fields[0].value for name in ("verb", "target")]
    return Mark(rouge_l(mine, gold), accuracy=float(mine == gold))


# ---- position ---------------------------------------------------------------------------


def mark_locate(text: str, case: Case) -> Mark | None:
    """Return the centre score, with IoU, and the instrument's accuracy if it is asked for."""
    box, named = read_box(text), parts(case, "track")
    label = 0.0 if named else None
    if box is None:
        return Mark(0.0, 0.0, 0.0, label) if is_refusal(text) else None
    gold = printed_box(typed(case, "box").value)
    if named:
        said = tracks(text)
        label = float(bool(said) and said[0][0] == class_of(named[0].value))
    return box_mark(score(spatial_error(box, gold)), [iou(box, gold)], label)


def mark_segment(text: str, case: Case) -> Mark | None:
    """Return 0.5 for the correct column plus 0.5 for the correct row."""
    said = read_region(text)
    if said is None:
        return None
    down, across = typed(case, "word").value.split()
    right = [said[0] == across, said[1] == DOWN[down]]
    return Mark(0.5 * right[0] + 0.5 * right[1], accuracy=float(all(right)))


def mark_position(text: str, case: Case) -> Mark | None:
    """Return 0.5 for each correct axis."""
    said = (read_left_right(text), read_above_below(text))
    if not any(said):
        return None
    right = [one == field.value for one, field in zip(said, case.fields, strict=True)]
    return Mark(0.5 * right[0] + 0.5 * right[1], accuracy=float(all(right)))


# ---- duration ---------------------------------------------------------------------------


def mark_stretch(text: str, case: Case) -> Mark | None:
    """Return half the relative score of the length plus half the temporal IoU of the interval."""
    said = read_stretch(text)
    if said is None:
        return None
    length = typed(case, "duration")
    total = relative(said[0], printed(seconds_of(length, length.value, case), 2))
    if said[1] is None:
        return Mark(0.5 * total)
    ends = [printed(seconds_of(one, one.value, case), 2) for one in parts(case, "instant")]
    gold = (ends[0].nearest(said[1][0]), ends[1].nearest(said[1][1]))
    return Mark(0.5 * total + 0.5 * temporal_iou(said[1], gold))


def mark_idle(text: str, case: Case) -> Mark | None:
    """Return half the relative score of the idle time plus 0.5 for the correct visible share."""
    said = read_idle(text)
    if said is None:
        return None
    bucket = said.bucket
    if bucket is None and said.percent is not None:
        bucket = next((name for bound, name in BUCKETS if said.percent < bound), LAST_BUCKET)
    right = bucket == typed(case, "word").value.partition(" ")[0]
    rest = typed(case, "duration")
    length = relative(said.seconds, printed(seconds_of(rest, rest.value, case), 2))
    return Mark(0.5 * length + 0.5 * right, accuracy=float(right))


# ---- motion -----------------------------------------------------------------------------


def mark_change(text: str, case: Case) -> Mark | None:
    """Return half the relative score of the signed difference plus 0.5 for the correct word."""
    said = read_rel_change(text)
    if said is None:
        return None
    right = said[0] is not None and said[0] in typed(case, "word").value
    size = relative(said[1], printed(bounds_of(typed(case, "number").value), 2))
    return Mark(0.5 * size + 0.5 * right, accuracy=float(right))


def mark_velocity(text: str, case: Case) -> Mark | None:
    """Return half the mean relative score of min, max and mean speed plus 0.5 for the word."""
    said = read_speeds(text)
    if said is None:
        return None
    stated = (said.min, said.max, said.mean)
    right = said.word == typed(case, "word").value
    sizes = [relative(one, printed(bounds_of(field.value), 3))
             for one, field in zip(stated, parts(case, "number"), strict=True)]  # fmt: skip
    return Mark(0.5 * sum(sizes) / 3 + 0.5 * right, accuracy=float(right))


def mark_reasoning(text: str, case: Case) -> Mark | None:
    """Return the mean of five scores: box centre, duration, path length, speed word, verb."""
    said = read_trace(text)
    if said is None:
        return None
    gold, length = printed_box(typed(case, "box").value), typed(case, "duration")
    path, pace = parts(case, "number")[0], parts(case, "word")[1]
    words = [said.speed_word == pace.value, said.verb == typed(case, "label").value]
    sizes = [
        0.0 if said.box is None else score(spatial_error(said.box, gold)),
        relative(said.seconds, printed(seconds_of(length, length.value, case), 2)),
        relative(said.path, printed(bounds_of(path.value), 2)),
    ]
    overlap = 0.0 if said.box is None else iou(said.box, gold)
    return box_mark((sum(sizes) + sum(words)) / 5, [overlap], float(all(words)))


# ---- comparison of two ------------------------------------------------------------------


def mark_comparison(text: str, case: Case) -> Mark | None:
    """Return 0.5 for the verdict plus 0.25 for each correct target, in the order asked."""
    said = read_comparison(text)
    if said is None:
        return None
    right = said[0] is not None and said[0] == typed(case, "truth").value
    targets = [field.value for field in parts(case, "label")]
    hits = sum(a == b for a, b in zip(said[1], targets, strict=False))
    return Mark(0.5 * right + 0.25 * hits, accuracy=float(right))


SCORERS: Mapping[str, Callable[[str, Case], Mark | None]] = {
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
"""Name -> scorer; a template names it as ``scorer: surgstu.<name>``."""
