"""Which moments of an item are worth showing, and which boxes belong on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

QUESTION, ANSWER = "question", "answer"
SHOWN = 3
"""Most pictures of one item."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A box (or a point, as a box without size) at an instant.

    Attributes:
        part: ``question`` or ``answer``.
        label: a word or two to write beside it, or nothing.
    """

    time_us: int
    box_xyxy: tuple[float, float, float, float]
    part: str
    label: str


def value_of(row: Mapping[str, Any], key: str) -> dict[str, Any]:
    """``answer_value`` or ``slots`` of a row, parsed where it is still JSON text."""
    value = row.get(key) or {}
    return orjson.loads(value) if isinstance(value, str | bytes) else value


def marks_of(row: Mapping[str, Any], events: Sequence[Mapping[str, Any]] = ()) -> list[Mark]:
    """Boxes of an item: its answer's, those it asks about, and its point.

    Args:
        row: one row of ``data/``.
        events: rows of ``evidence/events`` of the same video; with them the instruments
            that question or answer name without a box are marked wherever they are.
    """
    slots, value = value_of(row, "slots"), value_of(row, "answer_value")
    default = _default_time(row, slots)
<<<<<<< HEAD
    marks = list(_answered(value, slots, default))
    told = {mark.box_xyxy for mark in marks}
    asked = [tuple(slots[name]) for name in sorted(slots) if _is_box(slots[name])]
    marks += [Mark(default, box, QUESTION, "") for box in asked if box not in told]
    return marks + _tracked(_named(value, slots), events, marks)


def _answered(value: Mapping[str, Any], slots: Mapping[str, Any], default: int) -> Iterator[Mark]:
    """Boxes of an answer; one of ``NAME.box`` lies at ``NAME.start``, if that is told as well."""
    for field in sorted(value):
        one, name = value[field], field.rpartition(".")[0]
        if _is_box(one):
            when = value.get(f"{name}.start")
            label = _name(slots[name]) if _is_track(slots.get(name)) else ""
            yield Mark(default if when is None else _at(when), tuple(one), ANSWER, label)
        for entry in _entries(one):
            for side in ("start", "end"):
                if _is_box(entry.get(f"{side}_box")):
                    label = f"{_name(entry.get('track') or {})} {side}".strip()
                    yield Mark(_at(entry[side]), tuple(entry[f"{side}_box"]), ANSWER, label)


def _named(value: Mapping[str, Any], slots: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Track -> (part, name) of instruments that are named without a box of their own."""
    found = {one["track"]: (QUESTION, _name(one)) for one in slots.values() if _is_track(one)}
    if not any(map(_is_box, value.values())):
        found |= {one["track"]: (ANSWER, _name(one)) for one in value.values() if _is_track(one)}
    return found


def _tracked(
    tracks: Mapping[str, tuple[str, str]], events: Sequence[Mapping[str, Any]],
    marks: Sequence[Mark],
) -> list[Mark]:  # fmt: skip
    """Boxes of named instruments, wherever no answer box lies on the same spot."""
    taken = {(m.time_us, _rounded(m.box_xyxy)) for m in marks if m.part == ANSWER}
    out = []
=======
    marks = [Mark(t, b, ANSWER, n) for t, b, n in _boxes(value, default)]
    taken = {(mark.time_us, mark.box_xyxy) for mark in marks}
    marks += [Mark(t, b, QUESTION, "") for t, b, _ in _boxes(slots, default) if (t, b) not in taken]
    tracks = {name: (QUESTION, label) for name, label in _tracks(slots)}
    tracks |= {name: (ANSWER, label) for name, label in _tracks(value) if not taken}
>>>>>>> main
    for event in events:
        box = tuple(event[k] for k in ("x1", "y1", "x2", "y2"))
<<<<<<< HEAD
        if (event["time_us"], _rounded(box)) not in taken:
            out.append(Mark(event["time_us"], box, *tracks[event["track_id"]]))
    return out


def _rounded(box: Sequence[float]) -> tuple[float, ...]:
    """Values of a row have six decimals, boxes of the evidence all they were given."""
    return tuple(round(x, 6) for x in box)


def _is_box(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 4 and all(
        isinstance(x, int | float) for x in value)  # fmt: skip


def _is_track(value: Any) -> bool:
    return isinstance(value, Mapping) and bool(value.get("track"))


def _entries(value: Any) -> list[Mapping[str, Any]]:
    listed = value if isinstance(value, list) else []
    return [entry for entry in listed if isinstance(entry, Mapping)]


def _at(instant: Any) -> int:
    """Microseconds of a typed instant, with or without bounds."""
    return int(instant["time_us"] if isinstance(instant, Mapping) else instant)


def _name(value: Mapping[str, Any]) -> str:
    return str(value.get("label") or value.get("subject") or "")


def _default_time(row: Mapping[str, Any], slots: Mapping[str, Any]) -> int:
    if "moment" in slots:
        return _at(slots["moment"])
    if isinstance(slots.get("span"), Mapping):
        return _at(slots["span"]["start"])
    query = row.get("query_us")
    return row["start_us"] if query is None else query
=======
        named = event.get("track_id") in tracks and None not in box
        if named and (event["time_us"], box) not in taken:
            marks.append(Mark(event["time_us"], box, *tracks[event["track_id"]]))
    return marks


def _tracks(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(track, name) of the instances among typed values."""
    for one in values.values():
        if isinstance(one, Mapping) and one.get("track"):
            yield one["track"], _label(one)


def _boxes(value: Any, default: int) -> Iterator[tuple[int, tuple, str]]:
    """(time, box, name) of every box in typed values, in their order by name.

    A box has the time that stands beside it: ``low.box`` that of ``low.start``, ``end_box`` that
    of ``end``.
    """
    if isinstance(value, Mapping):
        label = next((label for _, label in _tracks(value)), "")
        for name in sorted(value):
            if not _is_box(value[name]):
                yield from _boxes(value[name], default)
                continue
            beside = name.removesuffix("_box") if name.endswith("_box") else f"{name[:-3]}start"
            time_us, side = _time(value.get(beside)), name.removesuffix("box").strip("._")
            words = " ".join(filter(None, (label, side)))
            yield default if time_us is None else time_us, tuple(value[name]), words
    elif isinstance(value, list):
        for entry in value:
            yield from _boxes(entry, default)


def _is_box(value: Any) -> bool:
    sized = isinstance(value, list) and len(value) == 4
    return sized and all(isinstance(edge, int | float) and 0 <= edge <= 1 for edge in value)


def _label(fact: Mapping[str, Any]) -> str:
    return str(fact.get("label") or fact.get("subject") or "")


def _time(value: Any) -> int | None:
    """An instant, with or without bounds."""
    found = value.get("time_us") if isinstance(value, Mapping) else value
    return found if isinstance(found, int) else None


def _default_time(row: Mapping[str, Any], slots: Mapping[str, Any]) -> int:
    span = slots.get("span")
    asked = (slots.get("moment"), span.get("start") if isinstance(span, Mapping) else None,
             row.get("query_us"), row["start_us"])  # fmt: skip
    return next(time for time in map(_time, asked) if time is not None)
>>>>>>> main


def _told_times(row: Mapping[str, Any], slots: Mapping[str, Any], default: int) -> set[int]:
    """The instants that an answer gives, and those of its boxes."""
    value = value_of(row, "answer_value")
    types = value_of(row, "rule_args").get("answer", {})
    found = {mark.time_us for mark in _answered(value, slots, default)}
    for field, one in value.items():
        type_ = types.get(field, {}).get("type")
        if type_ == "instant" and one is not None:
            found.add(_at(one))
        if type_ == "stretch" and one is not None:
            found |= {_at(one["start"]), _at(one["end"])}
    return found


def shown_times(row: Mapping[str, Any]) -> list[int]:
    """One to three instants in microseconds that show what the item is about, ascending.

    The asked moment and the answer's own instants where it has them; else, and up to
    three, start, end and middle of the span or window, on the grid of the evidence.
    """
    slots = value_of(row, "slots")
    default = _default_time(row, slots)
    times = _told_times(row, slots, default)
    if "moment" in slots or row.get("query_us") is not None:
        return _spread(sorted({default, *times}), default)
    start, end = _span(row, slots)
    step = row.get("resolution_us") or 1
    for time_us in (start, end, start + (end - start) // 2 // step * step):
        if len(times) < SHOWN:
            times.add(time_us)
    return _spread(sorted(times), default)


def _span(row: Mapping[str, Any], slots: Mapping[str, Any]) -> tuple[int, int]:
    span = slots.get("span")
    if isinstance(span, Mapping):
<<<<<<< HEAD
        return _at(span["start"]), _at(span["end"])
=======
        start, end = _time(span.get("start")), _time(span.get("end"))
        if start is not None and end is not None:
            return start, end
>>>>>>> main
    last = row["end_us"] - (row.get("resolution_us") or 1)
    return row["start_us"], max(row["start_us"], last)


def _spread(times: list[int], keep: int) -> list[int]:
    """At most ``SHOWN`` of the times: first, ``keep`` (or the middle one), last."""
    if len(times) <= SHOWN:
        return times
    inner = keep if times[0] < keep < times[-1] else times[len(times) // 2]
    return [times[0], inner, times[-1]]
