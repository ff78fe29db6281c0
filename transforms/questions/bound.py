"""Bound slots: one drawn filling, as the words and the rules see it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ontology.records import Pointer, Window
from transforms.language.template import Call, Template
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
        return {"time_us": self.time_us, "before": self.before.label}


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


@dataclass(frozen=True, slots=True, eq=False)
class Filling:
    """One drawn filling of a template in one window.

    Attributes:
        asked: first and last slot of the time the question is about; decides whether
            an instrument needs its instance number.
    """

    facts: Facts
    w: int
    window: Window
    slots: dict[str, Any]
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
            return Pointer(
                "window", self.window.window_id, self.window.start_us, self.window.end_us
            )
        times = self.facts.times[self.w]
        return Pointer("window", self.window.window_id, times[first], times[last])


def bind(template: Template, c: Candidates, rows: list[int], facts: Facts) -> Iterator[Filling]:
    """Turn rows of a candidate table into bound slots."""
    view = c.view
    columns = {name: c.columns[name][rows].tolist() for name in c.calls}
    kinds = {call.op: name for name, call in reversed(template.needs.items())}
    for k, w in enumerate(c.window[rows].tolist()):
        raw = {name: column[k] for name, column in columns.items()}
        filling = Filling(facts, w, view.windows[w], {}, _asked(kinds, raw, facts, w))
        for name, call in c.calls.items():
            filling.slots[name] = _BINDERS[call.op](filling, call, raw, raw[name])
        yield filling


def _asked(kinds: dict[str, str], raw: dict[str, Any], facts: Facts, w: int) -> tuple[int, int]:
    """The interval slot if there is one, else the instant, else the whole window."""
    if "interval" in kinds:
        first, last = raw[kinds["interval"]]
        return first, last
    if "instant" in kinds:
        slot = raw[kinds["instant"]]
        return slot, slot
    return 0, facts.counts[w] - 1


def _instant(f: Filling, call: Call, raw: dict[str, Any], value: int) -> Moment:
    return f.moment(value)


def _interval(f: Filling, call: Call, raw: dict[str, Any], value: list[int]) -> Interval:
    return Interval(f.moment(value[0]), f.moment(value[1]))


def _instrument(f: Filling, call: Call, raw: dict[str, Any], value: int) -> Tool:
    return f.tool(value)


def _class(f: Filling, call: Call, raw: dict[str, Any], value: int) -> Label:
    return Label(f.view.timeline.video.vocabulary[value])


def _verb(f: Filling, call: Call, raw: dict[str, Any], value: int) -> Label:
    return Label(f.view.timeline.verbs[value])


def _target(f: Filling, call: Call, raw: dict[str, Any], value: int) -> Label:
    return Label(f.view.timeline.targets[value])


def _choice(f: Filling, call: Call, raw: dict[str, Any], value: int) -> Word:
    return Word(str(call.args["from"][value]))  # type: ignore[index]


def _change(f: Filling, call: Call, raw: dict[str, Any], value: int) -> Change:
    moment = f.moment(value)
    presence = raw[str(call.args["of"])]
    before = f.view.timeline.verbs[int(f.view.verb[presence, moment.slot - 1])]
    return Change(moment.slot, moment.time_us, moment.offset_us, Label(before))


def _point(f: Filling, call: Call, raw: dict[str, Any], value: list[int]) -> Point:
    return Point(value[0] / 1000, value[1] / 1000)


def _box(f: Filling, call: Call, raw: dict[str, Any], value: int) -> BoxRef:
    return BoxRef(f.facts.boxes[value])


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
