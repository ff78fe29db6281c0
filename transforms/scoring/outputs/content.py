"""Score the content of one output: whether it is correct at its time.

What an exact match or the protocol can decide is decided here.  The remaining case, an open answer
in other words, is rated with the rubric.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from transforms.scoring.outputs.items import Ask, Item
from transforms.scoring.outputs.normalise import (
    NO_ALERT,
    UNANSWERABLE,
    UNCERTAIN,
    alert_of,
    is_positive,
    members,
    normalised,
    output_of,
    same,
)
from transforms.scoring.outputs.rubric import stand_in
from transforms.scoring.reporting import MISSING, SCORED, UNPARSED

MATCH, STAND_IN, JUDGE = "match", "stand_in", "judge"
"""What decides a score: a comparison, the deterministic stand-in for a judge, or a judge."""

TOKENS = (UNANSWERABLE, NO_ALERT, UNCERTAIN)


@dataclass(frozen=True, slots=True)
class Mark:
    """The score of the output for one window or round.

    Attributes:
        status: ``scored``; ``missing`` if there is no response; ``unparsed`` if it is empty, is
            none of the options, or has no form that the protocol allows.
        content: in [0, 1].
        positive: whether the output states that the event has occurred.
        by: what decided the content: ``match``, ``stand_in`` or ``judge``.
    """

    status: str
    content: float
    positive: bool
    by: str = MATCH


Rate = Callable[[Item, Ask, str], tuple[float, str]]
"""Takes (item, ask, output); returns the content in [0, 1] and what decided it."""


def rate_by_stand_in(item: Item, ask: Ask, output: str) -> tuple[float, str]:
    """Return the content of an open answer, rated by the stand-in for a judge."""
    if item.rubric is None:
        return 0.0, STAND_IN
    return stand_in(item.rubric, item.question, ask.expected, output).score, STAND_IN


def mark(item: Item, ask: Ask, response: str | None, rate: Rate = rate_by_stand_in) -> Mark:
    """Return the mark of one response.

    Args:
        response: None if there is none.
        rate: called if only the rubric can decide.
    """
    decided = decide(item, ask, response)
    if isinstance(decided, Mark):
        return decided
    content, by = rate(item, ask, decided)
    return Mark(SCORED, content, is_positive(item.mode, decided), by)


def decide(item: Item, ask: Ask, response: str | None) -> Mark | str:
    """Return the mark, or the output if it has to be rated with the rubric."""
    if response is None:
        return Mark(MISSING, 0.0, False)
    output = output_of(response)
    said = item.said(output)
    if not normalised(said):
        return Mark(UNPARSED, 0.0, False)
    positive = is_positive(item.mode, said)
    if item.mode == "proactive":
        return _watched(item, ask, said, positive)
    right = _is_right(item, ask, said)
    answered = not _expects(ask, UNANSWERABLE)
    if item.options or right or not answered or normalised(said) in TOKENS:
        known = right or _is_known(item, said)
        return Mark(SCORED if known else UNPARSED, float(right), positive)
    return output


def _watched(item: Item, ask: Ask, said: str, positive: bool) -> Mark | str:
    """Return the mark of a round of a proactive item, or the output to be rated."""
    reason = alert_of(said)
    if reason is None or not ask.due:
        right = any(_same_form(item, said, other) for other in (ask.expected, *ask.accepted))
        known = positive or right or normalised(said) in (NO_ALERT, UNCERTAIN)
        return Mark(SCORED if known else UNPARSED, float(right), positive)
    if not reason:
        return Mark(UNPARSED, 0.0, True)
    if any(_same_form(item, said, other) for other in (ask.expected, *ask.accepted)):
        return Mark(SCORED, 1.0, True)
    return Mark(SCORED, 0.0, True) if item.rubric is None else said


def _same_form(item: Item, said: str, other: str) -> bool:
    """Return whether two outputs of a proactive item mean the same."""
    reasons = alert_of(said), alert_of(other)
    if reasons[0] is None or reasons[1] is None:
        return normalised(said) == normalised(other)
    return same(reasons[0], reasons[1], item.kind)


def _is_right(item: Item, ask: Ask, said: str) -> bool:
    return any(_agree(item, said, other) for other in (ask.expected, *ask.accepted))


def _agree(item: Item, said: str, other: str) -> bool:
    """Return whether an answer equals the expected one after normalisation.

    If the output chose an option, it has already been replaced with that option's text.  Another
    name of a distractor is therefore never accepted as the correct answer.
    """
    if item.options:
        return normalised(said) == normalised(other)
    if item.many and members(said, item.kind) == members(other, item.kind):
        return True
    return same(normalised(said), normalised(other), item.kind)


def _expects(ask: Ask, token: str) -> bool:
    return normalised(ask.expected) == token


def _is_known(item: Item, said: str) -> bool:
    """Return whether an output has a form that the item allows."""
    if not item.options or normalised(said) == UNANSWERABLE:
        return True
    return any(said == text for _, text in item.options)
