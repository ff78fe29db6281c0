"""What a scorer needs to know of an item: options, gold values, and how the answer is printed.

Printed answers have times with two decimals, speeds with three and boxes on a 0-1000 grid. Gold
values are rounded in the same way before they are compared, so that a response that repeats the
printed answer scores 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from surgqa.ontology.boxes import GRID
from surgqa.ontology.errors import OutputBroken
from surgqa.ontology.times import SECOND_US, print_number
from surgqa.ontology.units import CLIP
from surgqa.transforms.algebra.types import TYPE_NAMES, Type
from surgqa.transforms.scoring.parse import Box


@dataclass(frozen=True, slots=True)
class Field:
    """One field of an answer, as its row states it.

    Attributes:
        type: the field's type, such as ``duration``.
        value: the field's value; with bounds if the labels allow several values.
    """

    name: str
    type: Type
    value: Any


@dataclass(frozen=True, slots=True)
class GoldCase:
    """The gold answer that a prediction is compared with.

    Attributes:
        options: (key, text) of each option; empty for open questions.
        answer_key: key of the correct option, or None.
        start_us: start of the window that the question may see.
        end_us: end of that window.
        zero_us: the time that printed times count from: start of the clip, or of the video.
        fields: the fields of the answer, in the order in which the template names them.
        printed: the correct answer as printed, without the key of an option.
        top: number of ranks that count, for ranked options.
    """

    options: tuple[tuple[str, str], ...]
    answer_key: str | None
    start_us: int
    end_us: int
    zero_us: int = 0
    fields: tuple[Field, ...] = ()
    printed: str = ""
    top: int = 1

    @property
    def duration_s(self) -> float:
        """Length of the clip in seconds, by which errors in time are divided."""
        return (self.end_us - self.start_us) / SECOND_US

    def seconds(self, time_us: int) -> float:
        """Return a time as printed: seconds since ``zero_us``, rounded to two decimals."""
        return float(print_number((time_us - self.zero_us) / SECOND_US, 2))


def case_of(row: Mapping[str, Any]) -> GoldCase:
    """Return the gold answer of a row of ``data/``.

    Raises:
        OutputBroken: ``answer_value`` is not a JSON object, or a field of the answer is missing.
    """
    options = options_of(row)
    start_us = row["start_us"]
    zero_us = start_us if row["unit"] == CLIP else 0
    answer = row["answer"] or ""
    ranked = arguments_of(row).get("ranked") or {}
    return GoldCase(
        options, row["answer_key"], start_us, row["end_us"], zero_us, _fields(row),
        _KEY.sub("", answer, count=1) if options else answer, int(ranked.get("top", 1)),
    )  # fmt: skip


_KEY = re.compile(r"\A[A-Z]\) ")


def _fields(row: Mapping[str, Any]) -> tuple[Field, ...]:
    arguments, value = arguments_of(row), json_of(row, "answer_value")
    said = arguments.get("answer") or {}
    out = []
    for name in arguments.get("fields") or said:
        entry = said[name]
        if entry.get("type") not in TYPE_NAMES or name not in value:
            raise OutputBroken(
                f"item {row['item_id']}: its answer has no part {name!r} of a known type",
                expected=", ".join(TYPE_NAMES), found=f"{entry.get('type')} in {sorted(value)}",
                where="rule_args", fix="build the dataset again with this version",
            )  # fmt: skip
        out.append(Field(name, Type(entry["type"], entry.get("of") or ""), value[name]))
    return tuple(out)


def arguments_of(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the row's ``rule_args``: the arguments of the rule that computed its answer."""
    return json_of(row, "rule_args")


def json_of(row: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the JSON object in a column, or an empty one if the column is null.

    Raises:
        OutputBroken: the column contains something else.
    """
    try:
        value = orjson.loads(row[name] or "{}")
        found = "" if isinstance(value, dict) else repr(value)
    except (ValueError, TypeError) as error:
        value, found = None, str(error)
    if isinstance(value, dict):
        return value
    raise OutputBroken(
        f"item {row['item_id']}: {name} is not a JSON object",
        found=found, where=str(row.get("template_id")), fix="build the dataset again",
    )  # fmt: skip


def broken(row: Mapping[str, Any], problem: str, expected: str, found: object) -> OutputBroken:
    """Return the error for a row that cannot be scored."""
    return OutputBroken(
        f"item {row['item_id']} {problem}", expected=expected, found=str(found),
        where=str(row.get("template_id")), fix="build the dataset again, or see 'surgqa check'",
    )  # fmt: skip


def options_of(row: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return key and text of each option of a row."""
    return tuple((option["key"], option["text"]) for option in row["options"] or ())


def video_of(row: Mapping[str, Any]) -> str:
    """Return ``dataset/video_id`` of a row; the intervals are clustered by it."""
    return f"{row['dataset']}/{row['video_id']}"


def printed_box(box_xyxy: Sequence[float]) -> Box:
    """Return a box in fractions of the frame, rounded to the 0-1000 grid of printed answers."""
    x1, y1, x2, y2 = (float(print_number(edge * GRID, 0)) / GRID for edge in box_xyxy)
    return (x1, y1, x2, y2)


@dataclass(frozen=True, slots=True)
class PredictionScore:
    """The scores of one prediction.

    Attributes:
        score: the score that reports show, in [0, 1].
        iou: mean IoU over the item's boxes; None for tasks without boxes.
        hit: share of the item's boxes with an IoU of at least 0.5; None for tasks without boxes.
        accuracy: 1 if the part of the answer without numbers (such as a label) is correct, else 0;
            None if there is no such part.
        ranks: for a ranking, element k-1 is 1 if the correct option is among the first k options,
            else 0.
    """

    score: float
    iou: float | None = None
    hit: float | None = None
    accuracy: float | None = None
    ranks: tuple[float, ...] = ()


def box_mark(score: float, ious: Sequence[float], accuracy: float | None = None) -> PredictionScore:
    """Return the scores of an answer with boxes, given the IoU of each box."""
    count = len(ious)
    hits = sum(value >= 0.5 for value in ious)
    return PredictionScore(score, sum(ious) / count, hits / count, accuracy)


@dataclass(frozen=True, slots=True)
class ScoredTask:
    """How one kind of question is scored.

    Attributes:
        mark: function that returns the scores of a tidy text, given the gold answer; None if the
            text has no answer.
        blank: the scores of a missing or unreadable answer: 0 in each score that this kind has.
        closed: True if the answer is one of n options, so that the chance level is 1/n.
    """

    mark: Callable[[str, GoldCase], PredictionScore | None]
    blank: PredictionScore
    closed: bool = False


SCORE_ONLY = PredictionScore(0.0)
WITH_LABEL = PredictionScore(0.0, accuracy=0.0)
