"""One item to be scored: its gold value as the printed answer states it.

Texts print times with two decimals, speeds with three and boxes on the 0-1000 grid; an
answer that repeats them digit for digit is exact, so gold values are rounded the same way
before anything is compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from ontology.boxes import GRID
from ontology.errors import OutputBroken
from ontology.times import SECOND_US, print_number
from ontology.units import CLIP
from transforms.algebra.types import TYPE_NAMES, Type
from transforms.scoring.parse import Box


@dataclass(frozen=True, slots=True)
class Field:
    """One part of an answer, as its row says it.

    Attributes:
        type: its static type.
        value: its typed value: with bounds where the labels leave a range.
    """

    name: str
    type: Type
    value: Any


@dataclass(frozen=True, slots=True)
class Case:
    """What a prediction is compared with.

    Attributes:
        options: (key, text) of each option; empty for open questions.
        answer_key: the right option's key, or None.
        start_us: start of the window the item may see.
        end_us: its end.
        zero_us: from where printed times count: the start of a clip, or of the recording.
        fields: the parts of the answer in the order in which the template names them.
        printed: the right answer as it is printed, without an option's key.
        top: where options are ranked, how many count.
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
        """Length of the clip, the divisor of temporal errors."""
        return (self.end_us - self.start_us) / SECOND_US

    def seconds(self, time_us: int) -> float:
        """An instant as printed: seconds from where times count, two decimals."""
        return as_printed((time_us - self.zero_us) / SECOND_US, 2)


def case_of(row: Mapping[str, Any]) -> Case:
    """The case of a row of ``data/``.

    Raises:
        OutputBroken: ``answer_value`` is not a JSON object, or lacks a part of the answer.
    """
    options = tuple((option["key"], option["text"]) for option in row["options"] or ())
    start_us = row["start_us"]
    zero_us = start_us if row["unit"] == CLIP else 0
    answer = row["answer"] or ""
    ranked = arguments_of(row).get("ranked") or {}
    return Case(
        options, row["answer_key"], start_us, row["end_us"], zero_us, _fields(row),
        _KEY.sub("", answer, count=1) if options else answer, int(ranked.get("top", 1)),
    )  # fmt: skip


_KEY = re.compile(r"\A[A-Z]\) ")


def _fields(row: Mapping[str, Any]) -> tuple[Field, ...]:
    arguments, value = arguments_of(row), json_of(row, "answer_value")
    said = arguments.get("answer") or {}
    out = []
    for name in arguments.get("fields") or said:
        told = said[name]
        if told.get("type") not in TYPE_NAMES or name not in value:
            raise OutputBroken(
                f"item {row['item_id']}: its answer has no part {name!r} of a known type",
                expected=", ".join(TYPE_NAMES), found=f"{told.get('type')} in {sorted(value)}",
                where="rule_args", fix="build the dataset again with this version",
            )  # fmt: skip
        out.append(Field(name, Type(told["type"], told.get("of") or ""), value[name]))
    return tuple(out)


def arguments_of(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a row says of the rule that gave its answer."""
    return json_of(row, "rule_args")


def json_of(row: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A column that holds a JSON object, empty where it is null.

    Raises:
        OutputBroken: it holds something else.
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
        ranks: of a ranking, for each rank that counts whether the right one is reached by it.
    """

    score: float
    iou: float | None = None
    hit: float | None = None
    accuracy: float | None = None
    ranks: tuple[float, ...] = ()


def box_mark(score: float, ious: Sequence[float], accuracy: float | None = None) -> Mark:
    """A mark with the box columns filled from the IoU of every box of the item."""
    count = len(ious)
    hits = sum(value >= 0.5 for value in ious)
    return Mark(score, sum(ious) / count, hits / count, accuracy)


@dataclass(frozen=True, slots=True)
class Task:
    """How one kind of question is scored.

    Attributes:
        mark: (part of a tidy response, case) -> mark, None where it states no answer.
        blank: the mark of a missing or unreadable answer; says which columns the task has.
        closed: whether the answer is one of the item's options, so that chance is 1/n.
    """

    mark: Callable[[str, Case], Mark | None]
    blank: Mark
    closed: bool = False


SCORE_ONLY = Mark(0.0)
WITH_LABEL = Mark(0.0, accuracy=0.0)
