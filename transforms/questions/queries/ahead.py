"""What comes next: to be foretold at once, or waited for in rounds."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from ontology.records import Check, Window
from ontology.rounds import DELTA_US
from ontology.times import SECOND_US
from ontology.workflow import any_time, successors
from transforms.questions.queries.choices import MOST, other_labels
from transforms.questions.queries.common import about, channel_kind
from transforms.questions.queries.found import (
    UNANSWERABLE,
    Choice,
    Found,
    Named,
    Results,
    Search,
    holding,
    note_of,
    pointers_of,
    seconds,
)
from transforms.questions.queries.walk import at_moments, of_events
from transforms.timeline.facts import EXCLUSIVE, Channel, Fact
from transforms.windows.queries import query_window, rounds_with_event, stream_window

UNANSWERABLE_SHARE = 0.3
"""Stretches in which a question is looked for that nobody can answer."""

LEAD_S = (20, 60)
"""A stream begins so many seconds before its event."""

AFTER_S = (4, 20)
"""Its last round comes so many seconds after the event began."""


def state_next(search: Search) -> Results:
    """The label that comes next; in a share of the stretches, one that can't be foretold."""
    foretold = list(of_events(search, _foreseeable))
    hidden = list(at_moments(search, _unforeseeable))
    if len(foretold) != len(hidden):
        yield foretold[0]
        return
    for stretch, (one, other) in enumerate(zip(foretold, hidden, strict=True)):
        blind = search.below("unanswerable", UNANSWERABLE_SHARE, stretch)
        yield other if blind else one


def _foreseeable(search: Search, channel: Channel) -> Iterator[Found | str]:
    """Before each change whose outcome the order of the operation leaves no doubt of."""
    ahead_us = look_ahead(search)
    for now, then in zip(channel.facts, channel.facts[1:], strict=False):
        key = search.key.extended("lead").extended(then.label)
        lead = 1 + key.h64(then.start_us) % max(1, ahead_us // SECOND_US)
        time_us = (then.start_us // SECOND_US - lead) * SECOND_US
        window = query_window(search.video, time_us, search.query.look_back_us)
        if time_us < 0 or search.window(time_us) is None:
            yield "too near the beginning for two pictures"
        elif not _certain(search, channel, now, then, time_us):
            yield "the order of the operation does not tell what comes next"
        else:
            yield _answerable(search, channel, window, now, then)


def look_ahead(search: Search) -> int:
    """How far the next label may be away, in microseconds."""
    return round(float(str(search.query.args["look_ahead"])) * SECOND_US)


def _certain(search: Search, channel: Channel, now: Fact, then: Fact, time_us: int) -> bool:
    """Whether at a time ``now`` alone holds, and ``then`` alone can follow and soon does."""
    holds, touching = holding(channel, time_us)
    following = successors(search.video.procedure, channel.kind, now.label)
    return (
        channel.kind in EXCLUSIVE
        and holds == [now]
        and not touching
        and then.label != now.label
        and then.label not in any_time(search.video.procedure, channel.kind)
        and following == (then.label,)
        and lasts(channel, then)
        and time_us < then.start_us <= time_us + look_ahead(search)
        and channel.is_known(time_us, then.start_us)
        and channel.starting(time_us, then.start_us) == [then]
    )


def _answerable(search: Search, channel: Channel, window: Window, now: Fact, then: Fact) -> Found:
    named = Named(channel_kind(channel), then.label)
    # Nobody would take the label that holds for the next one.
    others = other_labels(search, named, (now.label,), MOST - 2, window.end_us)
    lead = seconds(then.start_us - window.end_us)
    before = Named(named.kind, now.label).term.display
    return Found(
        window=window,
        query_us=window.end_us,
        fields={"label": named},
        slots=about(channel, now),
        value={"kind": named.kind, "label": then.label},
        pointers=pointers_of((now, then), then.start_us),
        note=f"{note_of(named.kind, named.term.display, then)} It starts {lead} s after the "
        f"question and is the only one that usually follows {before!r}.",
        names=(named.spellings,),
        right=named.term.display,
        wrong=(*others, Choice(UNANSWERABLE, UNANSWERABLE)),
        checks=(Check("look_ahead_s", look_ahead(search) / SECOND_US, ""),),
    )


def _unforeseeable(search: Search, channel: Channel, window: Window) -> Found | str:
    """Nothing else begins within the look-ahead, so that nobody can tell what comes next."""
    time_us, until = window.end_us, window.end_us + look_ahead(search)
    holds, touching = holding(channel, time_us)
    if channel.kind not in EXCLUSIVE or len(holds) != 1 or touching:
        return "not exactly one label of the kind holds"
    if not channel.is_known(time_us, until) or channel.starting(time_us, until):
        return "another label begins soon, or the labels end"
    now = holds[0]
    named = Named(channel_kind(channel), now.label)
    following = successors(search.video.procedure, channel.kind, now.label) or ()
    likely = tuple(Choice(Named(named.kind, label).term.display, "may_follow")
                   for label in following if label != now.label)  # fmt: skip
    others = other_labels(search, named, following, MOST - 1, time_us)
    wrong = tuple(dict.fromkeys((*likely, *others)))[: MOST - 1]
    return Found(
        window=window,
        query_us=time_us,
        fields={"label": UNANSWERABLE},
        slots=about(channel, now),
        value={"unanswerable": True},
        pointers=now.pointers(until),
        note=f"{note_of(named.kind, named.term.display, now)} No other label of the kind begins "
        f"within {seconds(look_ahead(search))} s after the question.",
        right=UNANSWERABLE,
        wrong=wrong,
        gold=UNANSWERABLE,
        checks=(Check("look_ahead_s", look_ahead(search) / SECOND_US, ""),),
    )


def state_begins(search: Search, channel: Channel) -> Iterator[Found | str]:
    """Before each label that begins: a stream in which it comes, and nothing else before it."""
    for fact in channel.facts:
        found = begun(search, channel, fact)
        if found is None:
            yield "the label does not begin alone, or does not last"
            continue
        query_us, times = found
        named = Named(channel_kind(channel), fact.label)
        yield Found(
            window=stream_window(search.video, query_us, times[-1]),
            query_us=query_us,
            fields={"label": named},
            slots=about(channel, fact),
            value={"kind": named.kind, "label": fact.label, "event_us": fact.start_us,
                   "tolerance_us": DELTA_US},
            pointers=fact.pointers(times[-1]),
            note=note_of(named.kind, named.term.display, fact),
            names=(named.spellings,),
            right=named.term.display,
            wrong=other_labels(search, named, (), MOST - 1, fact.start_us),
            rounds=tuple((time, time >= fact.start_us) for time in times),
        )  # fmt: skip


def begun(search: Search, channel: Channel, fact: Fact) -> tuple[int, list[int]] | None:
    """When to ask for a label that begins, and the rounds; None where it is not to be told.

    From the question to the event no label of the kind begins, and this one is not there.
    """
    if fact.subject:
        return None
    plan = plan_rounds(search, channel, fact)
    if plan is None:
        return None
    query_us, times = plan
    if channel.starting(query_us, fact.start_us) != [fact]:
        return None
    holds, touching = holding(channel, query_us)
    if channel.kind in EXCLUSIVE and (len(holds) != 1 or touching):
        return None
    return query_us, times


def plan_rounds(search: Search, channel: Channel, fact: Fact) -> tuple[int, list[int]] | None:
    """Question and rounds around a fact's start, where its kind is labelled throughout."""
    key = search.key.extended("stream").extended(fact.label).extended(fact.start_us)
    lead, later = (low + key.h64(name) % (high - low + 1)
                   for name, (low, high) in (("lead", LEAD_S), ("after", AFTER_S)))  # fmt: skip
    query_us = (fact.start_us // SECOND_US - lead) * SECOND_US
    latest = (fact.start_us // SECOND_US + later) * SECOND_US
    last_us = lasting(channel, fact, min(latest, search.end_us))
    before = 2 + key.h64("rounds") % 2
    known = query_us >= 0 and channel.is_known(query_us, last_us)
    gone = not any(f.label == fact.label for f in channel.meeting(query_us, fact.start_us - 1))
    clear = known and gone and lasts(channel, fact) and dated(channel, fact)
    times = rounds_with_event(query_us, fact.start_us, last_us, before) if clear else []
    return (query_us, times) if times else None


def lasts(channel: Channel, fact: Fact) -> bool:
    """Whether a label holds for long enough to have begun: a second, or at two instants."""
    if channel.instants_us is not None:
        return len(fact.marks) > 1
    return fact.last_us - fact.start_us >= SECOND_US


def dated(channel: Channel, fact: Fact) -> bool:
    """Whether it is known when a label began, as nearly as an answer must be on time.

    Where the instant before lies further off, it may have come at any time since.
    """
    if channel.instants_us is None:
        return True
    place = bisect_left(channel.instants_us, fact.start_us)
    return place > 0 and fact.start_us - channel.instants_us[place - 1] <= DELTA_US


def lasting(channel: Channel, fact: Fact, until_us: int) -> int:
    """The last time at which a round may rely on a fact: a whole second, or an instant."""
    if channel.instants_us is not None:
        return max((time for time, _ in fact.marks if time <= until_us), default=fact.start_us)
    return min(fact.last_us // SECOND_US * SECOND_US, until_us)
