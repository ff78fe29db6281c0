"""What a rule of a timed question is given, and the register of the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from transforms.checks.evidence import VideoView
from transforms.checks.queries.known import Held, Known, OfSpans, known_of
from transforms.checks.rules.base import BadSlot, Undecided

SECOND_US = 1_000_000
SETTLED_US = SECOND_US
"""How long a span must have held to be asked about, and to count as having begun."""

Value = dict[str, Any]


def measured(row: Mapping[str, Any], name: str) -> float | None:
    """A value of the row's ``checks``, None where it has none of that name."""
    for one in row["checks"] or ():
        if one["name"] == name:
            return one["measured"]
    return None


@dataclass(slots=True)
class Query:
    """One item as a rule sees it.

    Attributes:
        problems: (code, detail) of everything that is wrong beside the answer.
        value: the stored answer value, for the settings that a derivation names.
    """

    row: Mapping[str, Any]
    slots: Mapping[str, Any]
    video: VideoView
    problems: list[tuple[str, str]] = field(default_factory=list)
    value: Mapping[str, Any] = field(default_factory=dict)

    @property
    def start_us(self) -> int:
        """Start of the window."""
        return self.row["start_us"]

    @property
    def end_us(self) -> int:
        """End of the window; of a stream, its last round."""
        return self.row["end_us"]

    @property
    def query_us(self) -> int:
        """Time of the question."""
        return self.row["query_us"]

    # slots

    def text(self, name: str, part: str) -> str:
        """A part of a slot that must be a text."""
        found = self.maybe(name, part)
        if not found:
            raise BadSlot(f"slot {name!r} has no text {part!r}")
        return found

    def maybe(self, name: str, part: str) -> str:
        """A part of a slot, ``""`` where it has none."""
        slot = self.slots.get(name)
        found = slot.get(part) if isinstance(slot, dict) else None
        return found if isinstance(found, str) else ""

    @property
    def kind(self) -> str:
        """The kind of label that the question is about."""
        return self.text("about", "kind")

    @property
    def label(self) -> str:
        """The label that the question names."""
        found = self.slots.get("label")
        if not isinstance(found, str):
            raise BadSlot("slot 'label' has no text")
        return found

    @property
    def subject(self) -> str:
        """The instrument or hand the question is about, ``""`` where it names none."""
        return self.maybe("about", "subject")

    def check(self, name: str) -> float:
        """A value of the row's ``checks``."""
        found = measured(self.row, name)
        if found is None:
            raise BadSlot(f"checks have no {name!r}")
        return found

    # evidence

    def known(self) -> Known:
        """What is known of the question's kind, by the table that the question names."""
        found = known_of(self.video, self.kind, self.maybe("about", "table") == "regions")
        if found is None:
            raise Undecided(f"nothing is known of {self.kind!r} in this video")
        return found

    def looked_at(self, first_us: int, last_us: int) -> None:
        """The kind must be known all the way from first to last."""
        if not self.known().is_known(first_us, last_us):
            raise Undecided(f"{self.kind} is not known from {first_us} to {last_us}")

    def looked_through(self) -> None:
        """The kind must be known all through the window.

        Its first instant may come a little after the first picture.
        """
        known, first = self.known(), self.start_us
        if not isinstance(known, OfSpans):
            inside = [time for time in known.times if first <= time <= self.query_us]
            if not inside or inside[0] - first >= 2 * known.period_us:
                raise Undecided(f"{self.kind} is not known at the window's start, {first}")
            first = inside[0]
        self.looked_at(first, self.query_us)

    def looked_for(self, label: str) -> None:
        """The absence of a label must mean that it is not there."""
        known = self.known()
        if not isinstance(known, OfSpans) and known.looked_for is not None:
            unseen = label not in known.looked_for
            self.note("outside_vocabulary", f"{label!r} was not looked for", unseen)

    def between(self, first_us: int, last_us: int) -> list[Held]:
        """Labels of the question's kind that hold at some time in between."""
        return self.known().between(first_us, last_us)

    def now(self, time_us: int) -> tuple[list[Held], list[Held]]:
        """Labels that hold at a time, and those that are about to or have just done so.

        A label of instants holds at an instant; a span must have begun a second before.
        """
        known = self.known()
        if isinstance(known, OfSpans):
            near = self.between(time_us - SETTLED_US + 1, time_us)
            holds = [
                one
                for one in near
                if one.start_us <= time_us - SETTLED_US and one.last_us >= time_us
            ]
            return holds, [one for one in near if one not in holds]
        if time_us not in known.at:
            raise Undecided(f"{time_us} is not an annotated instant of {self.kind}")
        return self.between(time_us, time_us), []

    def all_now(self, time_us: int) -> list[Held]:
        """Labels that hold at a time, which must not be one of change."""
        holds, changing = self.now(time_us)
        self.no_change(changing)
        return holds

    def no_change(self, changing: Iterable[Held]) -> None:
        """None of the labels may begin or end just then."""
        for one in changing:
            raise Undecided(f"{one.label} begins or ends at {self.query_us}")

    def mine(self, held: Iterable[Held]) -> list[Held]:
        """Those that belong to the subject of the question, or to nobody if it has none."""
        return [one for one in held if one.whose == self.subject]

    # answers

    def note(self, code: str, detail: str, wrong: bool = True) -> None:
        """Note something that is wrong beside the answer."""
        if wrong:
            self.problems.append((code, detail))

    def only(self, held: Iterable[Held], what: str) -> str:
        """The single label among some; more than one is noted."""
        labels = sorted({one.label for one in held})
        if not labels:
            raise Undecided(f"no {self.kind} {what}")
        self.note("not_unique", f"{what}: {labels}", len(labels) > 1)
        return labels[0]

    def named(self, label: str) -> Value:
        """The answer that is one label, with its subject where the question has one."""
        whose = {"subject": self.subject} if self.subject else {}
        return {"kind": self.kind, "label": label, **whose}


Rule = Callable[[Query], Value]
RULES: dict[str, Rule] = {}


def query_rule(name: str) -> Callable[[Rule], Rule]:
    """Mark a function as the rule of that name; two of one name are a mistake."""

    def mark(function: Rule) -> Rule:
        if name in RULES:
            raise ValueError(f"two rules named {name}")
        RULES[name] = function
        return function

    return mark
