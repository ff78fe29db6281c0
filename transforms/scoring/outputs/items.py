"""Items that are answered in words, in the form that scoring needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ontology.errors import OutputBroken
from ontology.organs import organ_of
from ontology.rounds import DELTA_US
from transforms.scoring.case import arguments_of
from transforms.scoring.outputs.names import Option, chosen
from transforms.scoring.outputs.normalise import (
    NO_ALERT,
    UNANSWERABLE,
    UNCERTAIN,
    alert_of,
    normalised,
)
from transforms.scoring.outputs.rubric import Rubric, rubric_of
from transforms.scoring.predictions import PredictionKey

MODES = ("retrospective", "present", "future", "proactive")

COLUMNS = (
    "item_id", "template_id", "task", "dataset", "video_id", "procedure", "question",
    "answer", "options", "answer_key", "rounds", "rubric", "temporal_mode",
    "form", "rule", "rule_args",
)  # fmt: skip
"""Columns that are read from a row."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One window or round.

    Attributes:
        time_us: end of the visible part of the video; 0 for a window.
        expected: the correct output.
        accepted: other outputs that also count as correct.
        due: whether an answer or an alert is expected at this time.
    """

    round_index: int | None
    time_us: int
    expected: str
    accepted: tuple[str, ...]
    due: bool


@dataclass(frozen=True, slots=True)
class Item:
    """One item.

    Attributes:
        options: (letter, text) of each; empty for open items.
        kind: kind of the labels in the answer, such as ``phase``; None if there are none.
        many: whether the answer is a set.
        rubric: rubric of an open item.
        event_us: start of a stream's event; None if it never occurs.
        asks: the window, or the rounds in order of time.
    """

    item_id: str
    template_id: str
    task: str
    mode: str
    question: str
    dataset: str
    video: str
    organ: str
    options: tuple[Option, ...]
    kind: str | None
    many: bool
    rubric: Rubric | None
    event_us: int | None
    tolerance_us: int
    asks: tuple[Ask, ...]

    @property
    def streaming(self) -> bool:
        """Whether the item has rounds."""
        return self.asks[0].round_index is not None

    @property
    def question_type(self) -> str:
        """``closed`` or ``open``."""
        return "closed" if self.options else "open"

    @property
    def keys(self) -> Iterator[PredictionKey]:
        """Keys of the item's predictions."""
        return ((self.item_id, ask.round_index) for ask in self.asks)

    def said(self, output: str) -> str:
        """Return the output; an option's letter or other name is replaced with its text."""
        option = chosen(output, self.options, self.kind, self.many) if self.options else None
        return output if option is None else option


def item_of(row: Mapping[str, Any]) -> Item:
    """Return the item of a row of ``data/``; only its :data:`COLUMNS` are read.

    Raises:
        OutputBroken: a field is not as this benchmark requires.
    """
    said = _said_by(row)
    options = tuple((option["key"], option["text"]) for option in row["options"] or ())
    return Item(
        item_id=row["item_id"],
        template_id=row["template_id"],
        task=row["task"],
        mode=said.mode,
        question=row["question"],
        dataset=row["dataset"],
        video=f"{row['dataset']}/{row['video_id']}",
        organ=organ_of(row["procedure"]),
        options=options,
        kind=said.kind,
        many=said.many,
        rubric=rubric_of(row.get("rubric"), row["item_id"]),
        event_us=said.event_us,
        tolerance_us=said.tolerance_us,
        asks=_rounds(row, said.mode, said.event_us) if row["rounds"] else (_window(row, options),),
    )


@dataclass(frozen=True, slots=True)
class _Said:
    """Properties of a row's answer other than its text."""

    mode: str
    kind: str | None
    many: bool
    event_us: int | None
    tolerance_us: int


def _said_by(row: Mapping[str, Any]) -> _Said:
    """Return the properties, derived from the types of the answer's fields and from the rounds.

    The event starts in the first round that expects an answer or an alert instead of silence.
    """
    types = list((arguments_of(row).get("answer") or {}).values())
    rounds = sorted(row["rounds"] or (), key=lambda one: one["current_us"])
    silent = [is_token(one["expected_output"], UNANSWERABLE, NO_ALERT) for one in rounds]
    alerts = any(alert_of(one["expected_output"]) is not None
                 or is_token(one["expected_output"], NO_ALERT) for one in rounds)  # fmt: skip
    mode = "proactive" if alerts else "future" if rounds else "present"
    due = [one["current_us"] for one, none in zip(rounds, silent, strict=True) if not none]
    kinds = [one.get("of") or None for one in types if one["type"] in ("label", "set", "fact")]
    many = any(one["type"] == "set" for one in types)
    kind, event_us = kinds[0] if kinds else None, due[0] if due else None
    return _Said(row.get("temporal_mode") or mode, kind, many, event_us, DELTA_US)


def broken(row: Mapping[str, Any], problem: str, expected: str, found: object) -> OutputBroken:
    """Return the error for a row that cannot be scored."""
    return OutputBroken(
        f"item {row['item_id']} {problem}",
        expected=expected,
        found=str(found),
        where=str(row.get("template_id")),
        fix="build the dataset again, or see 'surgqa check'",
    )


def _window(row: Mapping[str, Any], options: Sequence[Option]) -> Ask:
    right = dict(options).get(row["answer_key"] or "")
    if options and right is None:
        raise broken(row, "has no right option", "answer_key among the options", row["answer_key"])
    return Ask(None, 0, right or row["answer"], (), True)


def _rounds(row: Mapping[str, Any], mode: str, event_us: int | None) -> tuple[Ask, ...]:
    rounds = sorted(row["rounds"], key=lambda one: one["current_us"])
    times = {one["current_us"] for one in rounds}
    if len(rounds) < 2 or len(times) < len(rounds):
        raise broken(row, "is not a stream", "two rounds or more at different times",
                     [one["current_us"] for one in rounds])  # fmt: skip
    asks = [_round(one, event_us) for one in rounds]
    if mode == "proactive":
        asks = [_watch(row, ask) for ask in asks]
    return tuple(asks)


def _round(one: Mapping[str, Any], event_us: int | None) -> Ask:
    due = event_us is not None and one["current_us"] >= event_us
    accepted = tuple(one["accepted_outputs"] or ())
    return Ask(one["round_index"], one["current_us"], one["expected_output"], accepted, due)


def _watch(row: Mapping[str, Any], ask: Ask) -> Ask:
    """Return a proactive item's round; by default, both silent outputs are accepted."""
    if ask.due == (not alert_of(ask.expected)):
        form = "alert: <reason>" if ask.due else "no_alert or uncertain"
        raise broken(row, "does not expect an alert exactly from its event on", form, ask.expected)
    if ask.due or ask.accepted:
        return ask
    return Ask(ask.round_index, ask.time_us, ask.expected, (NO_ALERT, UNCERTAIN), False)


def is_token(text: str, *tokens: str) -> bool:
    """Return whether a text is one of these protocol tokens."""
    return normalised(text) in tokens
