"""Content: whether one output says the right thing at its time.

What an exact match or the protocol decides is decided here; what is left, an open answer in
other words, is rated by the rubric.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from transforms.scoring.outputs.items import Ask, Item
from transforms.scoring.outputs.names import members, same
from transforms.scoring.outputs.normalise import (
    NO_ALERT,
    UNANSWERABLE,
    UNCERTAIN,
    alert_of,
    normalised,
    output_of,
)
from transforms.scoring.outputs.rounds import is_positive
from transforms.scoring.outputs.rubric import stand_in
from transforms.scoring.report import MISSING, SCORED, UNPARSED

MATCH, STAND_IN, JUDGE = "match", "stand_in", "judge"
"""What decided a score: a comparison, the deterministic stand-in, or a judge."""

TOKENS = (UNANSWERABLE, NO_ALERT, UNCERTAIN)


@dataclass(frozen=True, slots=True)
class Mark:
    """What the output of one window or round earned.

    Attributes:
        status: ``scored``; ``missing`` where there is no response; ``unparsed`` where it is
            empty, none of the options, or no form that the protocol allows.
        content: in [0, 1].
        positive: whether it says that the event is there.
        by: what decided the content; ``match``, ``stand_in`` or ``judge``.
    """

    status: str
    content: float
    positive: bool
    by: str = MATCH


Rate = Callable[[Item, Ask, str], tuple[float, str]]
"""(item, ask, output) -> content in [0, 1] and what decided it."""


def rate_by_stand_in(item: Item, ask: Ask, output: str) -> tuple[float, str]:
    """The content of an open answer, rated without a judge."""
    if item.rubric is None:
        return 0.0, STAND_IN
    return stand_in(item.rubric, item.question, ask.expected, output).score, STAND_IN


def mark(item: Item, ask: Ask, response: str | None, rate: Rate = rate_by_stand_in) -> Mark:
    """Score one response.

    Args:
        response: None where there is none.
        rate: asked where only the rubric can tell.
    """
    decided = decide(item, ask, response)
    if isinstance(decided, Mark):
        return decided
    content, by = rate(item, ask, decided)
    return Mark(SCORED, content, is_positive(item.mode, decided), by)


def decide(item: Item, ask: Ask, response: str | None) -> Mark | str:
    """The mark, or the output that has to be rated by the rubric."""
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
    """A round of a proactive item."""
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
    """Whether two outputs of a proactive item say the same."""
    reasons = alert_of(said), alert_of(other)
    if reasons[0] is None or reasons[1] is None:
        return normalised(said) == normalised(other)
    return same(reasons[0], reasons[1], item.kind)


def _is_right(item: Item, ask: Ask, said: str) -> bool:
    return any(_agree(item, said, other) for other in (ask.expected, *ask.accepted))


def _agree(item: Item, said: str, other: str) -> bool:
    """Whether an answer is the expected one, once normalised.

    An output that is one of the options has that option's text by now, so another name of a
    wrong option cannot pass for the right one.
    """
    if item.options:
        return normalised(said) == normalised(other)
    if item.many and members(said, item.kind) == members(other, item.kind):
        return True
    return same(normalised(said), normalised(other), item.kind)


def _expects(ask: Ask, token: str) -> bool:
    return normalised(ask.expected) == token


def _is_known(item: Item, said: str) -> bool:
    """Whether an output has a form that the item allows."""
    if not item.options or normalised(said) == UNANSWERABLE:
        return True
    return any(said == text for _, text in item.options)
