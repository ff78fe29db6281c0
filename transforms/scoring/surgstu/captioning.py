"""Interaction captioning: which instrument does what to what, how long, in what order."""

from __future__ import annotations

from collections.abc import Callable

from transforms.scoring.case import Case, Mark, as_printed
from transforms.scoring.lexicon import first_label, labels
from transforms.scoring.measures import (
    relative_score,
    rouge_l,
    score,
    set_f1,
    temporal_error,
    temporal_iou,
)
from transforms.scoring.parse import (
    read_instruments,
    read_pair,
    read_targets,
    read_time,
    says_none,
)
from transforms.scoring.passages import Idle, read_stretches

BUCKETS = ((10.0, "0-10"), (25.0, "10-25"), (50.0, "25-50"))
LAST_BUCKET = "50-100"


def _exact(right: bool) -> Mark:
    return Mark(float(right), accuracy=float(right))


def label_marker(key: str) -> Callable[[str, Case], Mark]:
    """Marker of a single label: 1 where it equals ``answer_value[key]``, else 0."""

    def mark(predicted: str, case: Case) -> Mark:
        return _exact(predicted == case.value[key])

    return mark


# ---- actions and targets ------------------------------------------------------------


def mark_pair(predicted: tuple[str, str], case: Case) -> Mark:
    """1 where verb and target are both right, else 0."""
    return _exact(predicted == (case.value["verb"], case.value["target"]))


def read_speed_word(text: str) -> str | None:
    """The first speed word."""
    return first_label(text, "speeds")


def read_target(text: str) -> str | None:
    """The first target; the null target where the text says that there is none."""
    target = first_label(text, "targets")
    return target or ("null_target" if says_none(text) else None)


def read_first_action(text: str) -> tuple[tuple[str, str], float | None] | None:
    """(verb and target, seconds); None without a verb."""
    pair = read_pair(text)
    return None if pair is None else (pair, read_time(text))


def mark_first_action(predicted: tuple[tuple[str, str], float | None], case: Case) -> Mark:
    """Half for the action (verb and target), half for its time."""
    (pair, time), value = predicted, case.value
    right = pair == (value["verb"], value["target"])
    gold = case.seconds(value["time_us"])
    temporal = 0.0 if time is None else score(temporal_error(time, gold, case.duration_s))
    return Mark(0.5 * right + 0.5 * temporal, accuracy=float(right))


def mark_sequence(predicted: tuple[tuple[str, str], ...], case: Case) -> Mark:
    """ROUGE-L over the steps' verbs and targets in order; times are not scored."""
    mine = [token for step in predicted for token in step]
    gold = [token for step in case.value["steps"] for token in (step["verb"], step["target"])]
    return Mark(rouge_l(mine, gold), accuracy=float(mine == gold))


# ---- sets ---------------------------------------------------------------------------


def read_instrument_set(text: str) -> frozenset[str] | None:
    """Instrument classes named; empty where the text says none."""
    found = frozenset(label for (label, _), _ in read_instruments(text))
    return found if found or says_none(text) else None


def read_target_set(text: str) -> frozenset[str] | None:
    """Targets named, without the null target; empty where the text says none."""
    found = frozenset(read_targets(text))
    return found if found or says_none(text) or labels(text, "targets") else None


def mark_set(predicted: frozenset[str], case: Case) -> Mark:
    """F1 of the labels; an empty set is right where the answer is none."""
    gold = frozenset(case.value["labels"])
    return Mark(set_f1(predicted, gold), accuracy=float(predicted == gold))


# ---- times and durations ------------------------------------------------------------


def mark_time(predicted: float, case: Case) -> Mark:
    """1 - |error| / D."""
    gold = case.seconds(case.value["time_us"])
    return Mark(score(temporal_error(predicted, gold, case.duration_s)))


def mark_duration(predicted: float, case: Case) -> Mark:
    """Relative score of the seconds."""
    return Mark(relative_score(predicted, as_printed(case.value["seconds"], 2)))


read_block_count = read_stretches


def mark_block_count(predicted: float, case: Case) -> Mark:
    """Relative score of the number of stretches."""
    gold = case.value["count"]
    return Mark(relative_score(predicted, float(gold)), accuracy=float(predicted == gold))


def mark_stretch(predicted: tuple[float, tuple[float, float] | None], case: Case) -> Mark:
    """Half the relative score of the length, half the temporal IoU of the interval."""
    seconds, interval = predicted
    value = case.value
    gold = (case.seconds(value["start_us"]), case.seconds(value["end_us"]))
    length = relative_score(seconds, as_printed(value["seconds"], 2))
    overlap = 0.0 if interval is None else temporal_iou(interval, gold)
    return Mark(0.5 * length + 0.5 * overlap)


def mark_idle(predicted: Idle, case: Case) -> Mark:
    """Half the relative score of the idle seconds, half the bucket of the visible share."""
    bucket = predicted.bucket
    if bucket is None and predicted.percent is not None:
        bucket = bucket_of(predicted.percent)
    right = bucket == case.value["bucket"]
    length = relative_score(predicted.seconds, as_printed(case.value["seconds"], 2))
    return Mark(0.5 * length + 0.5 * right, accuracy=float(right))


def bucket_of(percent: float) -> str:
    """Bucket of a share in percent; borders belong to the upper bucket."""
    return next((name for bound, name in BUCKETS if percent < bound), LAST_BUCKET)


# ---- single labels among others -----------------------------------------------------


def read_instrument_label(text: str) -> str | None:
    """The first instrument's class, whatever instance is stated."""
    return first_label(text, "instruments")
