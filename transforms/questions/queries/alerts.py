"""Alerts: streams in which something comes that a model should speak up for, or does not."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from ontology.alerts import Trigger, triggers
from ontology.concepts import vocabulary
from ontology.records import Clock, Code, Pointer
from ontology.rounds import DELTA_US
from ontology.times import SECOND_US
from ontology.workflow import over, unmet
from transforms.questions.queries.ahead import plan_rounds
from transforms.questions.queries.common import first
from transforms.questions.queries.found import (
    NO_ALERT,
    Found,
    Missed,
    Named,
    Results,
    Search,
    note_of,
    pointers_of,
    seconds,
)
from transforms.timeline.facts import GAP_PERIODS, Channel, Fact
from transforms.windows.queries import silent_rounds, stream_window

NEVER_SHARE = 0.25
"""Stretches in which a stream is looked for that nothing happens in."""

SILENT_S = (40, 80)
"""Length of such a stream."""

LONG_ENOUGH_US = SECOND_US
"""A trigger that holds for less is a flicker and starts nothing."""

Alarm = tuple[Fact, str]
"""What sets an alert off, and the reason that the alert gives."""


def alert(search: Search) -> Results:
    """Streams around what sets the alert off; in a share of the stretches, silent ones."""
    watched = list(_watched(search))
    if not watched:
        yield Missed(Code.NO_EVIDENCE, "no label that could set the alert off")
        return
    if search.video.clock == Clock.WHOLE or search.is_still:
        yield Missed(Code.NO_CLOCK, "nothing but the whole recording is labelled")
        return
    loud: dict[int, list[Found]] = defaultdict(list)
    hits = [f for one in watched for f, _ in alarms_of(search, *one)]
    for trigger, channel in watched:
        for found in _alarms(search, trigger, channel, hits):
            loud[search.stretch_of(found.window.end_us)].append(found)
    draws = search.key.extended("alarm")
    for stretch in search.stretches():
        never = search.below("never", NEVER_SHARE, stretch)
        if never or not loud[stretch]:
            yield _silence(search, watched, hits, stretch)
        else:
            yield min(loud[stretch], key=lambda f: (draws.h64(f.query_us), f.query_us))


def _watched(search: Search) -> Iterator[tuple[Trigger, Channel]]:
    """The alert's triggers whose kind is labelled in this video."""
    for trigger in triggers():
        channel = search.book.channels.get(trigger.kind)
        if trigger.alert == search.query.args["trigger"] and channel is not None:
            yield trigger, channel


def _alarms(
    search: Search, trigger: Trigger, channel: Channel, hits: Sequence[Fact]
) -> Iterator[Found]:
    """Streams around what sets one trigger off; ``hits`` are of all that are watched."""
    alarms = alarms_of(search, trigger, channel)
    for fact, reason in alarms[:1] if trigger.once else alarms:
        plan = plan_rounds(search, channel, fact) if _lasts(fact, channel) else None
        if plan is None or _disturbed(hits, fact, *plan):
            continue
        query_us, times = plan
        value = {"alert": trigger.alert, "reason": reason, "event_us": fact.start_us,
                 "tolerance_us": DELTA_US}  # fmt: skip
        yield Found(
            window=stream_window(search.video, query_us, times[-1]),
            query_us=query_us,
            fields=_fields(trigger, reason),
            slots=_slots(trigger),
            value=value,
            pointers=fact.pointers(times[-1]),
            note=note_of(trigger.kind, _name(trigger.kind, fact.label), fact),
            names=_spellings(trigger.kind, fact.label),
            gold=f"alert: {reason}",
            rounds=tuple((time, time >= fact.start_us) for time in times),
        )


def alarms_of(search: Search, trigger: Trigger, channel: Channel) -> list[Alarm]:
    """All facts that set a trigger off, in order."""
    name = trigger.alert, trigger.kind, channel.kind
    if name not in search.memo:
        search.memo[name] = _alarms_of(search, trigger, channel)
    return search.memo[name]


def _alarms_of(search: Search, trigger: Trigger, channel: Channel) -> list[Alarm]:
    if trigger.labels:
        hits = [fact for fact in channel.facts if trigger.matches(fact.label)]
        return [(fact, trigger.says(fact.label)) for fact in hits]
    out, begun = [], list[str]()
    procedure = search.video.procedure
    for fact in channel.facts:
        missing = unmet(procedure, channel.kind, begun, fact.label)
        passed = over(procedure, channel.kind, begun, fact.label)
        if missing or passed:
            out.append(
                (
                    fact,
                    trigger.says(
                        fact.label, before="".join(missing[:1]), after="".join(passed[-1:])
                    ),
                )
            )
        begun.append(fact.label)
    return out


def _lasts(fact: Fact, channel: Channel) -> bool:
    if channel.instants_us is not None:
        return len(fact.marks) > 1
    return fact.last_us - fact.start_us >= LONG_ENOUGH_US


def _disturbed(hits: Sequence[Fact], fact: Fact, query_us: int, times: Sequence[int]) -> bool:
    """Whether something else sets the alert off between the question and the last round."""
    others = [h for h in hits if h is not fact and h.last_us >= query_us and h.start_us < times[-1]]
    return bool(others)


def _silence(
    search: Search, watched: Sequence[tuple[Trigger, Channel]], hits: Sequence[Fact], stretch: int
) -> Found | Missed:
    """A stream that begins in a stretch and in which nothing sets the alert off."""
    key = search.key.extended("silent").extended(stretch)
    low, high = SILENT_S
    length = (low + key.h64("length") % (high - low + 1)) * SECOND_US
    room = max(1, search.query.every_us // SECOND_US)
    start = (stretch * search.query.every_us // SECOND_US + key.h64("start") % room) * SECOND_US
    trigger, channel = watched[key.h64("trigger") % len(watched)]
    last = _settled(channel, start + length)
    own = [fact for fact, _ in alarms_of(search, trigger, channel)]
    near = [hit for hit in hits if hit.last_us >= start and hit.start_us <= last]
    looked = channel.looked_for is None or any(map(trigger.matches, channel.looked_for))
    unseen = start + length - last > GAP_PERIODS * channel.period_us
    if last > search.end_us or unseen or not channel.is_known(start, last) or not looked:
        return Missed(Code.NO_FILLING, "not labelled all the way through")
    # The first of its kind: once it has come, the alert has nothing to wait for.
    if near or (trigger.once and own and own[0].start_us < last):
        return Missed(Code.NO_FILLING, "something sets the alert off")
    times = silent_rounds(start, last)
    if not times:
        return Missed(Code.TOO_SHORT, "too short for its rounds")
    return _silent(search, trigger, channel, start, times)


def _settled(channel: Channel, time_us: int) -> int:
    """The last time up to which labels of a kind tell what is there, by then."""
    if channel.instants_us is None:
        return time_us
    before = channel.instants_us[: bisect_right(channel.instants_us, time_us)]
    return before[-1] if before else time_us


def _silent(
    search: Search, trigger: Trigger, channel: Channel, start: int, times: list[int]
) -> Found:
    names = sorted(search.book.channels)
    others = [f for name in names for f in search.book.channels[name].meeting(start, times[-1])]
    near = first(channel.meeting(start, times[-1])) or first(others)
    sources = search.video.sources
    place = near[0].place if near else sources[0].path if sources else search.video.key
    whole = Pointer("videos", search.video.key, start, times[-1])
    return Found(
        window=stream_window(search.video, start, times[-1]),
        query_us=start,
        fields=_fields(trigger, NO_ALERT),
        slots=_slots(trigger),
        value={"alert": trigger.alert, "reason": None, "event_us": None,
               "tolerance_us": DELTA_US},
        pointers=pointers_of(near, times[-1]) or (whole,),
        note=f"The {trigger.kind} labels from {seconds(start)} s to {seconds(times[-1])} s hold "
        f"nothing that sets the alert off ({place}).",
        gold=NO_ALERT,
        rounds=tuple((time, False) for time in times),
    )  # fmt: skip


def _fields(trigger: Trigger, reason: str) -> dict[str, Any]:
    return {"watched": trigger.watch_for, "when": trigger.instruction, "reason": reason}


def _slots(trigger: Trigger) -> dict[str, Any]:
    return {"about": {"kind": trigger.kind, "alert": trigger.alert}}


def _name(kind: str, label: str) -> str:
    if kind == "triplet":
        return label.replace(",", ", ")
    return vocabulary(f"{kind}s")[label].display


def _spellings(kind: str, label: str) -> tuple[tuple[str, ...], ...]:
    if kind == "triplet":
        return (Named("target", label.split(",")[2]).spellings,)
    return (Named(kind, label).spellings,)
