"""Bound slots: one drawn filling, as the words and the rules see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ontology.records import Pointer, Window
from transforms.language.template import Template
from transforms.questions.candidates import Candidates
from transforms.questions.facts import Facts


@dataclass(frozen=True, slots=True)
class Moment:
    """An instant; ``offset_us`` counts from the window's start."""

    slot: int
    time_us: int
    offset_us: int

    def value(self) -> dict[str, Any]:
        return {"time_us": self.time_us}


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval between two annotated instants."""

    start: Moment
    end: Moment

    @property
    def length(self) -> float:
        return (self.end.time_us - self.start.time_us) / 1e6

    def value(self) -> dict[str, Any]:
        return {"start_us": self.start.time_us, "end_us": self.end.time_us}


@dataclass(frozen=True, slots=True)
class Tool:
    """An instrument; ``instance`` is None where the class alone names it."""

    presence: int
    label: str
    instance: int | None
    track_id: str

    def value(self) -> dict[str, Any]:
        return {"label": self.label, "instance": self.instance, "track_id": self.track_id}


@dataclass(frozen=True, slots=True)
class Label:
    """An instrument class, a verb or a target."""

    label: str

    def value(self) -> dict[str, Any]:
        return {"label": self.label}


@dataclass(frozen=True, slots=True)
class Word:
    """A listed value."""

    text: str

    def value(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Change:
    """Where a new action starts, and the verb before."""

    slot: int
    time_us: int
    offset_us: int
    before: Label

    def value(self) -> dict[str, Any]:
        return {"time_us": self.time_us}


@dataclass(frozen=True, slots=True)
class Point:
    """A point, fractions of the frame in whole thousandths."""

    x: float
    y: float

    def value(self) -> dict[str, Any]:
        return {"x": self.x, "y": self.y}


@dataclass(frozen=True, slots=True)
class BoxRef:
    """A box that the question shows."""

    box: tuple[float, ...]

    def value(self) -> dict[str, Any]:
        return {"box_xyxy": list(self.box)}


@dataclass(frozen=True, slots=True)
class Action:
    """A verb on a target."""

    verb: str
    target: str


@dataclass(frozen=True, eq=False)
class Filling:
    """One drawn filling of a template in one window.

    Attributes:
        asked: first and last slot of the time the question is about; decides whether
            an instrument needs its instance number.
    """

    facts: Facts
    w: int
    window: Window
    slots: Mapping[str, Any]
    asked: tuple[int, int]

    def __getitem__(self, slot: str) -> Any:
        return self.slots[slot]

    @property
    def view(self):
        return self.facts.view

    def moment(self, slot: int) -> Moment:
        """The instant at a slot of the window."""
        time = self.facts.times[self.w][slot]
        return Moment(slot, time, time - self.window.start_us)

    def tool(self, presence: int) -> Tool:
        """The instrument, with an instance number where the question needs one."""
        facts = self.facts
        several = facts.coexist(presence, *self.asked)
        number = facts.instances[presence] if several else None
        return Tool(presence, facts.labels[presence], number, facts.track_ids[presence])

    def box(self, presence: int, slot: int) -> tuple[float, ...]:
        """Box (x1, y1, x2, y2) of the instrument at the slot."""
        return self.facts.boxes[self.facts.rows[presence][slot]]

    def in_view(self, slot: int) -> list[int]:
        """Presences with a sample at the slot."""
        rows = self.facts.rows
        return [p for p in self.view.presences[self.w] if rows[p][slot] >= 0]

    # -- pointers into evidence/ ------------------------------------------------------------

    def event(self, presence: int, slot: int) -> Pointer:
        """One event."""
        row = self.facts.rows[presence][slot]
        time = self.facts.times[self.w][slot]
        return Pointer("events", self.view.timeline.event_ids[row], time, time)

    def track(self, presence: int, first: int, last: int) -> Pointer:
        """All events of a track from one slot to another, inclusive."""
        times = self.facts.times[self.w]
        return Pointer("tracks", self.facts.track_ids[presence], times[first], times[last])

    def everything(self, first: int | None = None, last: int | None = None) -> Pointer:
        """All events of the window, or of some of its instants."""
        if first is None or last is None:
            return Pointer("window", self.window.window_id, self.window.start_us, self.window.end_us)
        times = self.facts.times[self.w]
        return Pointer("window", self.window.window_id, times[first], times[last])


def bind(template: Template, c: Candidates, row: int, facts: Facts) -> Filling:
    """Turn one row of a candidate table into bound slots."""
    view = c.view
    w = int(c.window[row])
    filling = Filling(facts, w, view.windows[w], {}, _asked(template, c, row, w))
    slots: dict[str, Any] = {}
    for name, call in c.calls.items():
        slots[name] = _BINDERS[call.op](filling, c, name, row)
    return Filling(facts, w, view.windows[w], slots, filling.asked)


def _asked(template: Template, c: Candidates, row: int, w: int) -> tuple[int, int]:
    """The interval slot if there is one, else the instant, else the whole window."""
    kinds = {call.op: name for name, call in reversed(template.needs.items())}
    if "interval" in kinds:
        first, last = c.columns[kinds["interval"]][row].tolist()
        return first, last
    if "instant" in kinds:
        slot = int(c.columns[kinds["instant"]][row])
        return slot, slot
    return 0, int(c.view.count[w]) - 1


def _instant(f: Filling, c: Candidates, name: str, row: int) -> Moment:
    return f.moment(int(c.columns[name][row]))


def _interval(f: Filling, c: Candidates, name: str, row: int) -> Interval:
    first, last = c.columns[name][row].tolist()
    return Interval(f.moment(first), f.moment(last))


def _instrument(f: Filling, c: Candidates, name: str, row: int) -> Tool:
    return f.tool(int(c.columns[name][row]))


def _class(f: Filling, c: Candidates, name: str, row: int) -> Label:
    return Label(f.view.timeline.video.vocabulary[int(c.columns[name][row])])


def _verb(f: Filling, c: Candidates, name: str, row: int) -> Label:
    return Label(f.view.timeline.verbs[int(c.columns[name][row])])


def _target(f: Filling, c: Candidates, name: str, row: int) -> Label:
    return Label(f.view.timeline.targets[int(c.columns[name][row])])


def _choice(f: Filling, c: Candidates, name: str, row: int) -> Word:
    return Word(str(c.value(name, row)))


def _change(f: Filling, c: Candidates, name: str, row: int) -> Change:
    moment = f.moment(int(c.columns[name][row]))
    presence = int(c.columns[c.calls[name].args["of"]][row])  # type: ignore[index]
    before = f.view.timeline.verbs[int(f.view.verb[presence, moment.slot - 1])]
    return Change(moment.slot, moment.time_us, moment.offset_us, Label(before))


def _point(f: Filling, c: Candidates, name: str, row: int) -> Point:
    x, y = c.columns[name][row].tolist()
    return Point(x / 1000, y / 1000)


def _box(f: Filling, c: Candidates, name: str, row: int) -> BoxRef:
    return BoxRef(f.facts.boxes[int(c.columns[name][row])])


_BINDERS = {
    "instant": _instant,
    "interval": _interval,
    "instrument": _instrument,
    "instrument_class": _class,
    "verb": _verb,
    "target": _target,
    "choice": _choice,
    "change": _change,
    "point": _point,
    "box": _box,
}
