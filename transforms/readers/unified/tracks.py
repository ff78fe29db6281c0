"""``spatial_evidence``: instruments at instants, and the states of tissues over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from surgqa.ontology.moments import Moment
from surgqa.ontology.published import Unfit, number, word
from surgqa.ontology.records import Code, InstrumentTable
from surgqa.ontology.times import frame_to_us, us_to_frame
from surgqa.transforms.readers.base.objects import Thing, table_by_frame
from surgqa.transforms.readers.base.unified.entries import STARTS, Intake, ListEntry, concept_of
from surgqa.transforms.readers.unified.moments import SPATIAL

POINTER = "spatial_evidence.tool_tracks, frame {frame}, track {row}"
STATES = ("intact", "clipped", "divided", "bleeding")
EVENTS = {
    "clip_placement": "clipped", "clip_placed": "clipped", "clipping": "clipped",
    "division": "divided", "transection": "divided", "cutting": "divided",
    "bleeding_onset": "bleeding", "bleeding": "bleeding",
}  # fmt: skip
"""Name of an event in the published format -> the state that begins with it."""
STOPS = "bleeding_stop"


@dataclass(frozen=True, slots=True)
class ToolInFrame:
    """A tool in one frame."""

    frame: int
    thing: Thing


@dataclass(frozen=True, slots=True)
class Tools:
    """All tool tracks of a file.

    Attributes:
        names: for each ``tool_id``, the instrument.
    """

    samples: tuple[ToolInFrame, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)


def tools_of(found: Any, intake: Intake) -> Tools:
    """Return the tool tracks. A track of an unknown instrument is rejected with all its samples."""
    pointer = f"{SPATIAL}.tool_tracks"
    samples: list[ToolInFrame] = []
    names: dict[str, str] = {}
    for number_, track, place in _tracks(found, pointer, intake):
        label = concept_of("instrument", _plain(track.get("tool_type")))
        if not isinstance(label, str):
            intake.lose(place, Unfit(*label), _size(track, "timeline"))
            continue
        if isinstance(track.get("tool_id"), str):
            names[track["tool_id"]] = label
        times: set[int] = set()

        def parse(entry: ListEntry, label: str = label, number_: int = number_,
                  times: set[int] = times) -> Iterator[ToolInFrame]:  # fmt: skip
            frame = _frame(entry)
            if frame in times:
                raise Unfit(Code.DUPLICATE_FRAME, f"frame {frame} is twice in this track")
            score = entry.data.get("confidence")
            sure = 1.0 if score is None else float(number(score, "confidence"))
            thing = Thing(0, label, entry.box(), row=number_, track=number_, score=sure)
            times.add(frame)
            yield ToolInFrame(frame, thing)

        samples += intake.all(track.get("timeline"), f"{place}.timeline", parse)
    return Tools(tuple(samples), names)


def instruments_of(tools: Tools, intake: Intake) -> InstrumentTable | None:
    """Return the instruments at the frames at which some track has a sample; None without one."""
    if not tools.samples:
        return None
    by_frame: dict[int, list[Thing]] = {}
    for one in tools.samples:
        by_frame.setdefault(one.frame, []).append(one.thing)
    return table_by_frame(by_frame, intake.header.fps, (), POINTER)


def usual_gap_us(table: InstrumentTable | None, otherwise: int) -> int:
    """Return the most frequent time between two instants, in microseconds; in a tie, the least."""
    if table is None or len(table.instants_us) < 2:
        return otherwise
    gaps = Counter(np.diff(table.instants_us).tolist())
    return min(gaps, key=lambda gap: (-gaps[gap], gap))


def states_of(found: Any, tools: Tools, intake: Intake) -> list[Moment]:
    """Return the states of tissues. A state lasts until the next state of its track."""
    out: list[Moment] = []
    for _, track, place in _tracks(found, f"{SPATIAL}.tissue_tracks", intake):
        name = _plain(track.get("tissue_type"))
        target = concept_of("target", name)
        if not isinstance(target, str):
            intake.lose(place, Unfit(*target), _size(track, "timeline", "events"))
            continue
        group = _plain(track.get("track_id"))
        changes = [
            *intake.all(track.get("timeline"), f"{place}.timeline", _seen),
            *intake.all(track.get("events"), f"{place}.events", _happened(tools)),
        ]
        out += _states(changes, target, group, intake)
    return out


@dataclass(frozen=True, slots=True)
class _Change:
    """The state of a tissue at a time, from a sample or an event.

    Attributes:
        moment: the state; it ends where it starts if the file states no end.
        sure: True if the state begins there; False if it was only observed there.
        ended: True if the end of the state is stated.
    """

    moment: Moment
    sure: bool
    ended: bool

    @property
    def time_us(self) -> int:
        return self.moment.start_us

    @property
    def state(self) -> str:
        return self.moment.label


def _seen(entry: ListEntry) -> Iterator[_Change]:
    """Yield the state in one sample of a tissue, if the sample has one."""
    when, box = entry.when(), entry.box()
    if entry.data.get("state") is not None:
        yield _Change(entry.moment("state", _state(entry), when, box_xyxy=box), False, False)


def _happened(tools: Tools) -> Callable[[ListEntry], Iterator[_Change]]:
    """Return a function that parses an event, which changes a tissue's state."""

    def parse(entry: ListEntry) -> Iterator[_Change]:
        if entry.data.get("state") is not None:
            state = _state(entry)
        elif entry.data.get("event") == STOPS:
            state = STOPS
        else:
            state = entry.choice("event", EVENTS)
        moment = entry.moment("state", state, tool=_tool(entry, tools), box_xyxy=entry.box())
        yield _Change(moment, True, entry.data.get("end_time") is not None)

    return parse


def _state(entry: ListEntry) -> str:
    return entry.choice("state", {one: one for one in STATES})


def _tool(entry: ListEntry, tools: Tools) -> str:
    """Return the instrument of a ``tool_id``: from its track, else from a name like ``hook_1``."""
    name = word(entry.data.get("tool_id"), "tool_id")
    if name is None:
        return ""
    return tools.names.get(name) or entry.meant("instrument", name.rstrip("0123456789_"), "tool_id")


def _states(
    changes: Sequence[_Change], target: str, group: str, intake: Intake
) -> Iterator[Moment]:
    """Yield the states of one track.

    A state begins with an event. If two samples differ and no event between them explains this, it
    begins with the second sample, and is known only to the time between the two.
    """
    samples = sorted((one for one in changes if not one.sure), key=lambda one: one.time_us)
    begun = [one for one in changes if one.sure]
    for before, now in zip(samples, samples[1:], strict=False):
        explained = any(
            one.state == now.state and before.time_us < one.time_us <= now.time_us
            for one in changes
            if one.sure
        )
        if now.state != before.state and not explained:
            late = replace(now.moment, resolution_us=now.time_us - before.time_us)
            begun.append(replace(now, moment=late))
    begun.sort(key=lambda one: (one.time_us, one.moment.pointer))
    last = max((one.time_us + intake.header.period_us for one in samples), default=0)
    for place, one in enumerate(begun):
        following = begun[place + 1].time_us if place + 1 < len(begun) else max(one.time_us, last)
        end = one.moment.end_us if one.ended else min(following, intake.header.duration_us)
        label = one.state if one.state != STOPS else _resumed(one, changes)
        yield replace(one.moment, label=label, end_us=end, target=target, group=group)


def _resumed(change: _Change, changes: Sequence[_Change]) -> str:
    """Return the state that held before the bleeding, for the time after it stops."""
    earlier = (one for one in changes if one.time_us < change.time_us)
    before = sorted(earlier, key=lambda one: one.time_us)
    held = (one.state for one in reversed(before))
    return next((one for one in held if one not in ("bleeding", STOPS)), STATES[0])


def _plain(found: Any) -> str:
    """Return a name, '' for a value that is not a name."""
    return str(found) if isinstance(found, str | int) and not isinstance(found, bool) else ""


def _frame(entry: ListEntry) -> int:
    """Return the number of the frame nearest to an entry's time, inside the recording."""
    found = entry.instant(STARTS)
    if found is None:
        raise Unfit(Code.BAD_TIME, "the entry has no time")
    if found[0] >= entry.header.duration_us:
        raise Unfit(Code.BAD_TIME, "it lies after the recording's end")
    number_ = us_to_frame(found[0], entry.header.fps)
    # Within half a frame of the end, the nearest frame would be after the recording.
    beyond = frame_to_us(number_, entry.header.fps) >= entry.header.duration_us
    return number_ - 1 if beyond and number_ else number_


def _tracks(
    found: Any, pointer: str, intake: Intake
) -> Iterator[tuple[int, Mapping[str, Any], str]]:
    """Yield number, track and place of each track; other values are rejected."""
    if found is None:
        return
    if not isinstance(found, list):
        intake.lose(pointer, Unfit(Code.BAD_ROW, "there is no list of tracks"), 1)
        return
    for number_, track in enumerate(found):
        place = f"{pointer}[{number_}]"
        if isinstance(track, Mapping):
            yield number_, track, place
        else:
            intake.lose(place, Unfit(Code.BAD_ROW, f"a track is {track!r:.40} and no object"), 1)


def _size(track: Mapping[str, Any], *names: str) -> int:
    """Return the number of entries of a track, at least one."""
    lists = [track.get(name) for name in names]
    return max(1, sum(len(one) for one in lists if isinstance(one, list)))
