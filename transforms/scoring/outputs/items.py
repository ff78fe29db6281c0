"""The content score of one output, and the items that are scored by it.

An output is what a response states, without reasoning around it.

It is first compared with the expected words and with the protocol. If neither decides, because an
open answer uses other words, the rubric rates it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from surgqa.ontology.organs import organ_of
from surgqa.ontology.rounds import DELTA_US
from surgqa.transforms.scoring.case import arguments_of, broken, options_of, video_of
from surgqa.transforms.scoring.outputs import normalise
from surgqa.transforms.scoring.outputs.rubric import AnswerRubric, rubric_of, stand_in
from surgqa.transforms.scoring.predictions import PredictionKey
from surgqa.transforms.scoring.reporting import MISSING, SCORED, UNPARSED

MODES = ("retrospective", "present", "future", "proactive")

COLUMNS = (
    "item_id", "template_id", "task", "dataset", "video_id", "procedure", "question",
    "answer", "options", "answer_key", "rounds", "rubric", "temporal_mode",
    "form", "rule", "rule_args",
)  # fmt: skip
"""Columns that are read from a row."""


@dataclass(frozen=True, slots=True)
class OutputRound:
    """What is asked at one time: one round of a stream, or the only question of another item.

    Attributes:
        time_us: time of the round in microseconds; 0 for other items.
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
class OutputItem:
    """One item, as scoring needs it.

    Attributes:
        options: (letter, text) of each option; empty for open questions.
        kind: kind of the labels in the answer, such as ``phase``; None if it has no labels.
        many: whether the answer is a set of labels.
        rubric: the rubric of an open question, or None.
        event_us: start of a stream's event; None if it never occurs.
        asks: the rounds in order of time; one for an item without rounds.
    """

    item_id: str
    template_id: str
    task: str
    mode: str
    question: str
    dataset: str
    video: str
    organ: str
    options: tuple[normalise.Option, ...]
    kind: str | None
    many: bool
    rubric: AnswerRubric | None
    event_us: int | None
    tolerance_us: int
    asks: tuple[OutputRound, ...]

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
        """Yield the keys of the item's predictions: item id and round."""
        return ((self.item_id, ask.round_index) for ask in self.asks)

    def said(self, output: str) -> str:
        """Return the text of the option that an output chooses, or else the output."""
        option = (
            normalise.chosen(output, self.options, self.kind, self.many) if self.options else None
        )
        return output if option is None else option


def item_of(row: Mapping[str, Any]) -> OutputItem:
    """Return the item of a row of ``data/``; only its :data:`COLUMNS` are read.

    The kind of labels comes from the types of the answer's fields. The event of a stream is taken
    to start in the first round that expects an answer or an alert.

    Raises:
        OutputBroken: a column is not as ``docs/rows.md`` describes it.
    """
    types = list((arguments_of(row).get("answer") or {}).values())
    kinds = [one.get("of") or None for one in types if one["type"] in ("label", "set", "fact")]
    rounds = sorted(row["rounds"] or (), key=lambda one: one["current_us"])
    expected = [one["expected_output"] for one in rounds]
    due = [one["current_us"] for one, text in zip(rounds, expected, strict=True)
           if not is_token(text, normalise.UNANSWERABLE, normalise.NO_ALERT)]  # fmt: skip
    alerts = any(
        normalise.alert_of(text) is not None or is_token(text, normalise.NO_ALERT)
        for text in expected
    )
    mode = row.get("temporal_mode") or (
        "proactive" if alerts else "future" if rounds else "present")  # fmt: skip
    event_us = due[0] if due else None
    options = options_of(row)
    return OutputItem(
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


def _window(row: Mapping[str, Any], options: Sequence[normalise.Option]) -> OutputRound:
    right = dict(options).get(row["answer_key"] or "")
    if options and right is None:
        raise broken(row, "has no right option", "answer_key among the options", row["answer_key"])
    return OutputRound(None, 0, right or row["answer"], (), True)


def _rounds(row: Mapping[str, Any], mode: str, event_us: int | None) -> tuple[OutputRound, ...]:
    rounds = sorted(row["rounds"], key=lambda one: one["current_us"])
    times = {one["current_us"] for one in rounds}
    if len(rounds) < 2 or len(times) < len(rounds):
        raise broken(row, "is not a stream", "two rounds or more at different times",
                     [one["current_us"] for one in rounds])  # fmt: skip
    asks = [_round(one, event_us) for one in rounds]
    if mode == "proactive":
        asks = [_watch(row, ask) for ask in asks]
    return tuple(asks)


def _round(one: Mapping[str, Any], event_us: int | None) -> OutputRound:
    due = event_us is not None and one["current_us"] >= event_us
    accepted = tuple(one["accepted_outputs"] or ())
    return OutputRound(one["round_index"], one["current_us"], one["expected_output"], accepted, due)


def _watch(row: Mapping[str, Any], ask: OutputRound) -> OutputRound:
    """Return a round of a proactive item with the outputs accepted if nothing is due."""
    if ask.due == (not normalise.alert_of(ask.expected)):
        form = "alert: <reason>" if ask.due else "no_alert or uncertain"
        raise broken(row, "does not expect an alert exactly from its event on", form, ask.expected)
    if ask.due or ask.accepted:
        return ask
    return OutputRound(
        ask.round_index, ask.time_us, ask.expected, (normalise.NO_ALERT, normalise.UNCERTAIN), False
    )


def is_token(text: str, *tokens: str) -> bool:
    """Return whether a text is one of these tokens of the protocol, such as ``no_alert``."""
    return normalise.normalised(text) in tokens


MATCH, STAND_IN, JUDGE = "match", "stand_in", "judge"
"""What decided a score: a comparison, the deterministic stand-in for a judge, or a judge."""

TOKENS = (normalise.UNANSWERABLE, normalise.NO_ALERT, normalise.UNCERTAIN)


@dataclass(frozen=True, slots=True)
class OutputMark:
    """The score of one output.

    Attributes:
        status: ``scored``; ``missing`` if there is no response; ``unparsed`` if the response is
            empty, chooses none of the options, or is not allowed by the protocol.
        content: the content score C, in [0, 1].
        positive: whether the output states that the event has occurred.
        by: what decided ``content``: ``match``, ``stand_in`` or ``judge``.
    """

    status: str
    content: float
    positive: bool
    by: str = MATCH


Rate = Callable[[OutputItem, OutputRound, str], tuple[float, str]]
"""Function of (item, ask, output) that returns the content score and what decided it."""


def rate_by_stand_in(item: OutputItem, ask: OutputRound, output: str) -> tuple[float, str]:
    """Return the score of an open answer, rated without a judge by searching for words."""
    if item.rubric is None:
        return 0.0, STAND_IN
    return stand_in(item.rubric, item.question, ask.expected, output).score, STAND_IN


def mark(
    item: OutputItem, ask: OutputRound, response: str | None, rate: Rate = rate_by_stand_in
) -> OutputMark:
    """Return the score of one response.

    Args:
        response: the response, None if there is none.
        rate: function that is called if only the rubric can rate the response.
    """
    decided = decide(item, ask, response)
    if isinstance(decided, OutputMark):
        return decided
    content, by = rate(item, ask, decided)
    return OutputMark(SCORED, content, normalise.is_positive(item.mode, decided), by)


def decide(item: OutputItem, ask: OutputRound, response: str | None) -> OutputMark | str:
    """Return the score of a response, or its output if only the rubric can rate it."""
    if response is None:
        return OutputMark(MISSING, 0.0, False)
    output = normalise.output_of(response)
    said = item.said(output)
    if not normalise.normalised(said):
        return OutputMark(UNPARSED, 0.0, False)
    positive = normalise.is_positive(item.mode, said)
    if item.mode == "proactive":
        return _watched(item, ask, said, positive)
    right = any(_agree(item, said, other) for other in (ask.expected, *ask.accepted))
    answered = normalise.normalised(ask.expected) != normalise.UNANSWERABLE
    if item.options or right or not answered or normalise.normalised(said) in TOKENS:
        known = right or _is_known(item, said)
        return OutputMark(SCORED if known else UNPARSED, float(right), positive)
    return output


def _watched(item: OutputItem, ask: OutputRound, said: str, positive: bool) -> OutputMark | str:
    """Return the score of a proactive item's output, or the output if the rubric must rate it."""
    reason = normalise.alert_of(said)
    if reason is None or not ask.due:
        right = any(_same_form(item, said, other) for other in (ask.expected, *ask.accepted))
        known = (
            positive
            or right
            or normalise.normalised(said) in (normalise.NO_ALERT, normalise.UNCERTAIN)
        )
        return OutputMark(SCORED if known else UNPARSED, float(right), positive)
    if not reason:
        return OutputMark(UNPARSED, 0.0, True)
    if any(_same_form(item, said, other) for other in (ask.expected, *ask.accepted)):
        return OutputMark(SCORED, 1.0, True)
    return OutputMark(SCORED, 0.0, True) if item.rubric is None else said


def _same_form(item: OutputItem, said: str, other: str) -> bool:
    """Return whether two outputs of a proactive item have the same meaning."""
    reasons = normalise.alert_of(said), normalise.alert_of(other)
    if reasons[0] is None or reasons[1] is None:
        return normalise.normalised(said) == normalise.normalised(other)
    return normalise.same(reasons[0], reasons[1], item.kind)


def _agree(item: OutputItem, said: str, other: str) -> bool:
    """Return whether an answer equals the expected one after normalisation.

    An output that chooses an option was replaced by the option's text before. So another name of a
    distractor is never accepted as the correct answer.
    """
    if item.options:
        return normalise.normalised(said) == normalise.normalised(other)
    if item.many and normalise.members(said, item.kind) == normalise.members(other, item.kind):
        return True
    return normalise.same(normalise.normalised(said), normalise.normalised(other), item.kind)


def _is_known(item: OutputItem, said: str) -> bool:
    """Return whether an output is one that the item allows, such as one of its options."""
    if not item.options or normalise.normalised(said) == normalise.UNANSWERABLE:
        return True
    return any(said == text for _, text in item.options)
