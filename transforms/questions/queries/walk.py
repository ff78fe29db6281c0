"""Going through a recording: at drawn times, or from event to event.

A recording is divided into stretches, each of which gives one item at most.  Which one is
drawn from what lies before its own end, so that what follows changes nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

import numpy as np

from ontology.keys import mix64
from ontology.records import Clock, Code, Window
from ontology.times import SECOND_US
from transforms.questions.queries.found import Found, Missed, Results, Search
from transforms.timeline.facts import Channel

TOO_EARLY = "too near the beginning for two pictures"
TRIES = 16
"""Times that are looked at in one stretch before it is given up."""


Look = Callable[[Search, Channel, Window], "Found | str"]
"""Gives the question that is put at a window's end, or why there is none."""

Events = Callable[[Search, Channel], "Iterable[Found | str]"]
"""Gives a question, or why there is none, for every event of a channel."""


def at_moments(search: Search, look: Look) -> Results:
    """At most one question in each stretch, at a time drawn by digest."""
    channel, missed = _channel(search)
    if channel is None:
        yield missed
        return
    every = search.query.every_us
    by_stretch: dict[int, list[int]] = defaultdict(list)
    for time in channel.instants_us or ():
        by_stretch[search.stretch_of(time)].append(time)
    for stretch in search.stretches():
        first, last = stretch * every, min((stretch + 1) * every, search.end_us)
        spans = channel.instants_us is None
        times = _seconds(first, last) if spans else by_stretch[stretch]
        yield _first(search, channel, times, look)


def _seconds(first_us: int, last_us: int) -> list[int]:
    return [k * SECOND_US for k in range(first_us // SECOND_US + 1, last_us // SECOND_US + 1)]


def _first(search: Search, channel: Channel, times: list[int], look: Look) -> Found | Missed:
    reason = "nothing of the kind is labelled here"
    for time in _drawn(search, times):
        window = search.window(time)
        found = TOO_EARLY if window is None else look(search, channel, window)
        if isinstance(found, Found):
            return found
        reason = found
    return Missed(Code.NO_FILLING, reason)


def _drawn(search: Search, times: list[int]) -> list[int]:
    """The first few times in the order of their keyed codes."""
    array = np.array(times, dtype=np.uint64)
    codes = mix64(array ^ np.uint64(search.key.h64("time")))
    return array[np.lexsort((array, codes))[:TRIES]].astype(np.int64).tolist()


def of_events(search: Search, events: Events) -> Results:
    """At most one of the questions that end in each stretch, by digest."""
    channel, missed = _channel(search)
    if channel is None:
        yield missed
        return
    reason = "nothing of the kind begins or ends here"
    by_stretch: dict[int, list[Found]] = defaultdict(list)
    for event in events(search, channel):
        if isinstance(event, str):
            reason = event
        else:
            by_stretch[search.stretch_of(event.window.end_us)].append(event)
    draws = search.key.extended("event")
    for stretch in search.stretches():
        if by_stretch[stretch]:
            yield min(by_stretch[stretch], key=lambda f: (draws.h64(_name(f)), _name(f)))
        else:
            yield Missed(Code.NO_FILLING, reason)


def _name(found: Found) -> str:
    return f"{found.query_us} {found.window.end_us} {sorted(found.value.items())}"


def _channel(search: Search) -> tuple[Channel | None, Missed]:
    """The channel that is asked about, or why nothing can be asked at a time."""
    if search.channel is None:
        return None, Missed(Code.NO_EVIDENCE, f"no label of kind {search.kind!r}")
    if search.video.clock == Clock.WHOLE and not search.is_still:
        return None, Missed(Code.NO_CLOCK, "nothing but the whole recording is labelled")
    if search.is_still and search.query.core_task != "present":
        return None, Missed(Code.NO_EVIDENCE, "a still has nothing before or after it")
    return search.channel, Missed(Code.NO_EVIDENCE, "")
