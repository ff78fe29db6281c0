"""One item to be scored: its gold value as the printed answer states it.

Texts print times with two decimals, speeds with three and boxes on the 0-1000 grid; an
answer that repeats them digit for digit is exact, so gold values are rounded the same way
before anything is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from ontology.boxes import GRID
from ontology.errors import OutputBroken
from ontology.times import SECOND_US, print_number
from transforms.scoring.parse import Box


class AnswerValue(dict[str, Any]):
    """A parsed ``answer_value`` that says whose it is when a field is missing."""

    item = ""

    def __missing__(self, key: str) -> Any:
        raise OutputBroken(
            f"item {self.item}: its answer value has no {key!r}",
            expected="the fields that docs/answers.md lists for the task",
            found=", ".join(self) or "no fields",
            fix="build the dataset again with this version",
        )


@dataclass(frozen=True, slots=True)
class Case:
    """What a prediction is compared with.

    Attributes:
        value: the parsed ``answer_value`` (docs/answers.md).
        options: (key, text) of each option; empty for open questions.
        answer_key: the right option's key, or None.
        start_us: start of the window the item may see; printed times count from it.
        end_us: its end.
    """

    value: Mapping[str, Any]
    options: tuple[tuple[str, str], ...]
    answer_key: str | None
    start_us: int
    end_us: int

    @property
    def duration_s(self) -> float:
        """Length of the clip, the divisor of temporal errors."""
        return (self.end_us - self.start_us) / SECOND_US

    def seconds(self, time_us: int) -> float:
        """An instant as printed: seconds from the clip's start, two decimals."""
        return as_printed((time_us - self.start_us) / SECOND_US, 2)


def case_of(row: Mapping[str, Any]) -> Case:
    """The case of a row of ``data/``.

    Raises:
        OutputBroken: ``answer_value`` is not a JSON object.
    """
    try:
        value = AnswerValue(orjson.loads(row["answer_value"] or "{}"))
    except (ValueError, TypeError) as error:
        raise OutputBroken(
            f"item {row['item_id']}: answer_value is not a JSON object",
            found=str(error),
            where=str(row.get("template_id")),
            fix="build the dataset again",
        ) from None
    value.item = row["item_id"]
    options = tuple((option["key"], option["text"]) for option in row["options"] or ())
    return Case(value, options, row["answer_key"], row["start_us"], row["end_us"])


def as_printed(value: float, decimals: int) -> float:
    """The number a text with that many decimals states."""
    return float(print_number(value, decimals))


def printed_box(box_xyxy: Sequence[float]) -> Box:
    """The box a text on the 0-1000 grid states, as fractions again."""
    x1, y1, x2, y2 = (float(print_number(edge * GRID, 0)) / GRID for edge in box_xyxy)
    return (x1, y1, x2, y2)


@dataclass(frozen=True, slots=True)
class Mark:
    """What one prediction earned.

    Attributes:
        score: the task's primary score in [0, 1].
        iou: mean IoU over the item's boxes, None for tasks without boxes.
        hit: share of the item's boxes with an IoU of at least 0.5, None likewise.
        accuracy: 1 where the categorical part is right, else 0; None without one.
    """

    score: float
    iou: float | None = None
    hit: float | None = None
    accuracy: float | None = None


def box_mark(score: float, ious: Sequence[float], accuracy: float | None = None) -> Mark:
    """A mark with the box columns filled from the IoU of every box of the item."""
    count = len(ious)
    hits = sum(value >= 0.5 for value in ious)
    return Mark(score, sum(ious) / count, hits / count, accuracy)


REFUSED = "refused"
"""Reading of a text that says that what was asked for is not there."""


@dataclass(frozen=True, slots=True)
class Task:
    """How one kind of question is scored.

    Attributes:
        read: tidy text -> prediction, None where the text states none.
        mark: (prediction, case) -> mark, None where the prediction cannot be understood
            with this case (a letter that is no option).
        blank: the mark of a missing or unreadable answer; says which columns the task has.
        closed: whether the answer is one of the item's options, so that chance is 1/n.
    """

    read: Callable[[str], Any]
    mark: Callable[[Any, Case], Mark | None]
    blank: Mark
    closed: bool = False


SCORE_ONLY = Mark(0.0)
WITH_BOX = Mark(0.0, 0.0, 0.0)
WITH_LABEL = Mark(0.0, accuracy=0.0)
WITH_BOTH = Mark(0.0, 0.0, 0.0, 0.0)
