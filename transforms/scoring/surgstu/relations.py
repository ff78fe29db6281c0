"""Relations and motion: where one instrument is to another, how far, how fast."""

from __future__ import annotations

from transforms.scoring.case import Case, Mark, as_printed
from transforms.scoring.measures import relative_score, velocity_score
from transforms.scoring.parse import read_above_below, read_left_right
from transforms.scoring.passages import Speeds

Position = tuple[str | None, str | None]


def read_position(text: str) -> Position | None:
    """(left or right, above or below), None for an axis without a word."""
    position = (read_left_right(text), read_above_below(text))
    return position if any(position) else None


def mark_position(predicted: Position, case: Case) -> Mark:
    """Half for each axis."""
    right = [predicted[0] == case.value["horizontal"], predicted[1] == case.value["vertical"]]
    return Mark(0.5 * right[0] + 0.5 * right[1], accuracy=float(all(right)))


def mark_change(predicted: tuple[str | None, float | None], case: Case) -> Mark:
    """Half the relative score of the signed difference, half the word."""
    word, delta = predicted
    right = word == case.value["change"]
    size = relative_score(delta, as_printed(case.value["delta"], 2))
    return Mark(0.5 * size + 0.5 * right, accuracy=float(right))


def mark_comparison(predicted: tuple[bool | None, tuple[str, ...]], case: Case) -> Mark:
    """Half for the verdict, a quarter for each target, in the order asked."""
    verdict, targets = predicted
    right = verdict is not None and verdict == case.value["same"]
    hits = sum(a == b for a, b in zip(targets, case.value["targets"], strict=False))
    return Mark(0.5 * right + 0.25 * hits, accuracy=float(right))


def mark_velocity(predicted: Speeds, case: Case) -> Mark:
    """Half the mean relative score of min, max and mean speed, half the speed word."""
    gold = [as_printed(case.value[f"{name}_speed"], 3) for name in ("min", "max", "mean")]
    right = predicted.word == case.value["speed_class"]
    stated = (predicted.min, predicted.max, predicted.mean)
    return Mark(velocity_score(stated, gold, right), accuracy=float(right))
