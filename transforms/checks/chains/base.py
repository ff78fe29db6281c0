"""A chain as the checks see it, what the evidence says of its event, and the register of tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from transforms.checks.evidence import Box, VideoView
from transforms.checks.rules.base import BadSlot

SECOND_US = 1_000_000
HALF_US = SECOND_US // 2
PRINTED_US = 10_000
"""Two printed times are exact to so much: either is rounded to a hundredth of a second."""

STAGES = ("main", "q1", "q2", "q3")
MAIN, Q1, Q2, Q3 = range(4)
TASKS = (
    "causal_action_ordering", "cue_action_alignment", "affordance_mapping",
    "micro_transition_localization", "anomaly_onset_tracking",
)  # fmt: skip
SCALES = ("standard", "coarse")

Row = Mapping[str, Any]
Value = dict[str, Any]
Stretch = tuple[int, int]


class Missing(Exception):
    """The evidence does not hold what a chain is about; says what."""


class Key(NamedTuple):
    """What knowledge is looked up by: ids, ``""`` where there is none."""

    verb: str = ""
    target: str = ""
    anomaly: str = ""
    phase: str = ""


@dataclass(slots=True)
class Chain:
    """The four questions of a chain, by stage.

    Attributes:
        values, slots: their parsed JSON columns; the slots of all four are the same.
        problems: (code, stage, detail) of everything that is wrong.
    """

    rows: list[Row]
    values: list[Value]
    slots: Mapping[str, Any]
    video: VideoView
    problems: list[tuple[str, int, str]] = field(default_factory=list)

    @property
    def task(self) -> str:
        """One of :data:`TASKS`."""
        return self._part("task", str)

    @property
    def event(self) -> str:
        """The row of evidence that begins what the chain is about."""
        return self._part("event", str)

    @property
    def coarse(self) -> bool:
        """Times are known too coarsely for instants half a second apart."""
        scale = self._part("scale", str)
        if scale not in SCALES:
            raise BadSlot(f"slot 'chain' has the scale {scale!r}")
        return scale == "coarse"

    @property
    def spacing_us(self) -> int:
        """Least distance of two instants that are offered."""
        return self._part("spacing_us", int)

    def _part(self, name: str, kind: type) -> Any:
        slot = self.slots.get("chain")
        found = slot.get(name) if isinstance(slot, dict) else None
        if not isinstance(found, kind) or isinstance(found, bool):
            raise BadSlot(f"slot 'chain' has no {name!r}")
        return found

    def text(self, name: str) -> str:
        """A slot that must be a text; ``""`` is one."""
        found = self.slots.get(name)
        if not isinstance(found, str):
            raise BadSlot(f"slot {name!r} has no text")
        return found

    def act(self, name: str) -> tuple[str, str, str]:
        """Tool, verb and target of a slot that names a deed."""
        found = self.slots.get(name)
        parts = found if isinstance(found, dict) else {}
        tool, verb, target = (parts.get(part) for part in ("tool", "verb", "target"))
        if not (isinstance(tool, str) and isinstance(verb, str) and isinstance(target, str)):
            raise BadSlot(f"slot {name!r} names no deed")
        return tool, verb, target

    @property
    def pointed(self) -> frozenset[str]:
        """Ids of all rows of evidence that one of the questions points to."""
        return frozenset(p["id"] for row in self.rows for p in row["evidence"] or ())

    def window(self, stage: int) -> Stretch:
        """Start and end of a question's window."""
        return self.rows[stage]["start_us"], self.rows[stage]["end_us"]

    def texts(self, stage: int) -> list[tuple[str, bool]]:
        """(text, is it the right one) of a question's options."""
        return [(one["text"], one["is_answer"]) for one in self.rows[stage]["options"] or ()]

    def right(self, stage: int) -> str:
        """The right option's text."""
        return next(text for text, right in self.texts(stage) if right)

    def note(self, code: str, stage: int, detail: str, wrong: bool = True) -> None:
        """Note something that is wrong."""
        if wrong:
            self.problems.append((code, stage, detail))


@dataclass(slots=True)
class Truth:
    """What the evidence says of a chain's event.

    Attributes:
        what: the answer of Q1.
        shown: first and last moment that Q1's window must hold strictly.
        target: what Q2 asks for; a point has both ends the same.
        time_us: what Q3 asks for.
        resolution_us: how finely that instant is known.
        resolutions: of all rows that the chain rests on.
        same: other stretches in which what Q2 asks for takes place as well.
        also: other instants at which what Q3 asks for takes place as well.
        twins: stretches of what has the name of the event but is not it.
        key: what knowledge is looked up by; ``first_key`` for Q1 where that is another.
        rule: the rule that Q1's knowledge is instead, ``""`` for the bank's statement.
        boxes: where it may be said to be at that instant; none where that is not known.
        places: where clues may look for it: these, and where the event begins.
    """

    what: Value
    shown: Stretch
    target: Stretch
    time_us: int
    resolution_us: int
    resolutions: frozenset[int]
    key: Key
    same: list[Stretch] = field(default_factory=list)
    also: list[int] = field(default_factory=list)
    twins: list[Stretch] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)
    places: list[Box] = field(default_factory=list)
    first_key: Key | None = None
    rule: str = ""

    def __post_init__(self) -> None:
        self.places = [*self.boxes, *self.places]


@dataclass(frozen=True, slots=True)
class Task:
    """How one task is checked.

    Attributes:
        truth: what the evidence says; problems of the task's own are noted in the chain.
        read: what an option's text says, None where it cannot be read.
        holds: is what a text says true in Q1's window.
        told: does a context restate the answer of Q1.
    """

    truth: Callable[[Chain], Truth]
    read: Callable[[Chain, Truth, str], Value | None]
    holds: Callable[[Chain, Truth, Value], bool]
    told: Callable[[Chain, Truth, str], bool]


def meets(one: Stretch, other: Stretch) -> bool:
    """Two half-open stretches share a moment; a point is a moment."""
    if one[0] == one[1]:
        one = (one[0], one[0] + 1)
    if other[0] == other[1]:
        other = (other[0], other[0] + 1)
    return max(one[0], other[0]) < min(one[1], other[1])
