"""Items that are answered in words, in the form that scoring needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ontology.organs import organ_of
from ontology.rounds import DELTA_US
from transforms.scoring.case import arguments_of, broken, options_of, video_of
from transforms.scoring.outputs.normalise import (
    NO_ALERT,
    UNANSWERABLE,
    UNCERTAIN,
    Option,
    alert_of,
    chosen,
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

    The kind of labels comes from the types of the answer's fields.  The event starts in the first
    round that expects an answer or an alert instead of silence.

    Raises:
        OutputBroken: a field is not as this benchmark requires.
    """
    types = list((arguments_of(row).get("answer") or {}).values())
    kinds = [one.get("of") or None for one in types if one["type"] in ("label", "set", "fact")]
    rounds = sorted(row["rounds"] or (), key=lambda one: one["current_us"])
    expected = [one["expected_output"] for one in rounds]
    due = [one["current_us"] for one, text in zip(rounds, expected, strict=True)
           if not is_token(text, UNANSWERABLE, NO_ALERT)]  # fmt: skip
    alerts = any(alert_of(text) is not None or is_token(text, NO_ALERT) for text in expected)
    mode = row.get("temporal_mode") or (
        "proactive" if alerts else "future" if rounds else "present")  # fmt: skip
    event_us = due[0] if due else None
    options = options_of(row)
    return Item(
        item_id=row["item_id"],
        template_id=row["template_id"],
        task=row["task"],
        mode=mode,
        question=row["question"],
        dataset=row["dataset"],
        video=video_of(row),
        organ=organ_of(row["procedure"]),
        options=options,
        kind=kinds[0] if kinds else None,
        many=any(one["type"] == "set" for one in types),
        rubric=rubric_of(row.get("rubric"), row["item_id"]),
        event_us=event_us,
        tolerance_us=DELTA_US,
        asks=_rounds(row, mode, event_us) if row["rounds"] else (_window(row, options),),
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
