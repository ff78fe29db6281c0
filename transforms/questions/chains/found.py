"""What a finder of chains gives: one event that can be asked about in three stages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ontology.keys import Key
from ontology.records import Code, Pointer
from transforms.language.chains.chain import Chain
from transforms.timeline.facts import Stretch
from transforms.timeline.story import Box, Story

WRONG = 3
"""Wrong options of every question; a chain without three is not asked."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """A wrong option of Q1: its text, why it is a fair one, and its typed value."""

    text: str
    why: str
    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Bank:
    """What knowledge is looked up by: ids, '' where there is none."""

    verb: str = ""
    target: str = ""
    anomaly: str = ""
    phase: str = ""


@dataclass(frozen=True, slots=True)
class Event:
    """One event that a chain can be about.

    Attributes:
        name: row of evidence that begins it: the chain's identity with the slots.
        whole: all that Q1 is about, half open.
        target: what Q2 is about; a point has both ends the same.
        onset_us: the instant that Q3 asks for.
        resolution_us: how finely that instant is known.
        same: other stretches in which what Q2 asks for happens as well; segments that touch
            one are not wrong.
        also: other instants that would answer Q3.
        related: stretches of other events that make fair wrong segments.
        fields: what the wordings may use, beside segment, instant and where.
        slots: what the questions name, as plain data.
        value, right, wrong: the answer of Q1, its text, wrong options with their values.
        box: where it is at the onset.
        boxes: other places at that time that are certainly wrong, the fairest first.
        from_us: Q3's window begins no later; None where that is free.
        names: phrases of Q1's answer in several forms; Q2's context holds one form of each.
        guards: (reason, stretch) that must lie outside Q1's window, or the question would
            have two answers.
        keys: stage 1 to 3 -> what its knowledge is looked up by.
        proofs: stage 0 to 3 -> evidence.
        rule: the rule that links two actions, as knowledge of Q1; '' for the bank's statement.
    """

    name: str
    whole: Stretch
    target: Stretch
    onset_us: int
    resolution_us: int
    fields: Mapping[str, Any]
    slots: Mapping[str, Any]
    value: Mapping[str, Any]
    right: str
    wrong: tuple[Wrong, ...]
    keys: Mapping[int, Bank]
    proofs: Mapping[int, tuple[Pointer, ...]]
    same: tuple[Stretch, ...] = ()
    also: tuple[int, ...] = ()
    related: tuple[Stretch, ...] = ()
    box: Box | None = None
    boxes: tuple[Box, ...] = ()
    from_us: int | None = None
    names: tuple[tuple[str, ...], ...] = ()
    rule: str = ""
    guards: tuple[tuple[str, Stretch], ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """An event that cannot be asked about, and why."""

    code: Code
    reason: str


@dataclass(frozen=True)
class Search:
    """One chain template looking through one video.

    Attributes:
        key: of all draws; extended by what they are about.
    """

    story: Story
    chain: Chain
    key: Key
    memo: dict[Any, Any] = field(default_factory=dict)


Results = Iterator[tuple[int, "Event | Refused"]]
"""(time of the event, what it gives)."""

Find = Callable[[Search], Results]
