"""What was, and is over when the question is put."""

from __future__ import annotations

from collections.abc import Iterator

from ontology.records import Window
from ontology.times import SECOND_US
from transforms.questions.queries.choices import MOST, near_numbers, other_labels
from transforms.questions.queries.common import about, asked_kind, channel_kind, possible, seen
from transforms.questions.queries.found import (
    Choice,
    Found,
    Named,
    Search,
    holding,
    note_of,
    pointers_of,
    seconds,
)
from transforms.questions.queries.sets import set_found
from transforms.timeline.facts import EXCLUSIVE, Channel, Fact

LONGEST_LAG_S = 10
"""A question about what ended is put one to so many seconds later."""

NOT_LABELLED = "the kind is not labelled all the way through the window"


def ended_in(channel: Channel, window: Window) -> list[Fact]:
    """Facts that end inside a window and before the question is put, and do not go on.

    What was at the window's first instant and is gone at the next was seen and ended; a
    span that ends as the window begins was not seen in it.
    """
    near = channel.meeting(window.start_us, window.end_us)
    first = window.start_us + (channel.instants_us is None)
    over = [f for f in near if first <= f.last_us < window.end_us]
    return [f for f in over if not any(_goes_on(f, other) for other in near)]


def _goes_on(fact: Fact, other: Fact) -> bool:
    same = (fact.label, fact.subject) == (other.label, other.subject)
    return same and other.start_us <= fact.last_us < other.last_us


def state_ended(search: Search, channel: Channel) -> Iterator[Found | str]:
    """After each label: the only one of its kind that ended in the window."""
    for fact in channel.facts:
        window = after(search, channel, fact)
        if window is None or fact.subject:
            yield "nothing is labelled long enough afterwards"
            continue
        ended = [other for other in ended_in(channel, window) if not other.subject]
        again = [f for f in channel.meeting(fact.last_us + 1, window.end_us)
                 if f.label == fact.label]  # fmt: skip
        if ended != [fact] or again:
            yield "not exactly one label of the kind ended"
            continue
        named = Named(channel_kind(channel), fact.label)
        yield Found(
            window=window,
            query_us=window.end_us,
            fields={"label": named, "ended": fact.last_us},
            slots=about(channel, fact),
            value={"kind": named.kind, "label": fact.label},
            pointers=fact.pointers(window.end_us),
            note=note_of(named.kind, named.term.display, fact),
            names=(named.spellings,),
            right=named.term.display,
            wrong=other_labels(search, named, (), MOST - 1, window.end_us),
        )


def after(search: Search, channel: Channel, fact: Fact) -> Window | None:
    """The window of a question about a fact that is over, where all of it is labelled."""
    key = search.key.extended("lag").extended(fact.label).extended(fact.start_us)
    lag = 1 + key.h64(fact.last_us) % LONGEST_LAG_S
    query_us = (fact.last_us // SECOND_US + lag) * SECOND_US
    if channel.instants_us is not None:
        later = [t for t in channel.instants_us if t > fact.last_us and t <= query_us]
        if not later:
            return None
        query_us = later[-1]
    window = search.window(query_us) if query_us <= search.end_us else None
    if window is None or not labelled(channel, window):
        return None
    return window


def labelled(channel: Channel, window: Window) -> bool:
    """Whether the kind was looked at all through a window, as far as labels can tell."""
    first = window.start_us
    if window.end_us == first:
        return False  # a still has no past
    if channel.instants_us is not None:
        # The first instant may come a little after the window's first picture.
        inside = [t for t in channel.instants_us if first <= t <= window.end_us]
        if not inside or inside[0] - first >= 2 * channel.period_us:
            return False
        first = inside[0]
    return channel.is_known(first, window.end_us)


def states_done(search: Search, channel: Channel, window: Window) -> Found | str:
    """How many labels of a kind ended in the window."""
    if channel.kind not in EXCLUSIVE or not labelled(channel, window):
        return NOT_LABELLED
    done = ended_in(channel, window)
    if not done:
        return "no label of the kind ended"
    count, kind = len(done), channel_kind(channel)
    ends = ", ".join(f"{seconds(fact.last_us)} s" for fact in done)
    return Found(
        window=window,
        query_us=window.end_us,
        fields={"number": count},
        slots={"about": asked_kind(channel)},
        value={"number": count},
        pointers=pointers_of(done, window.end_us),
        note=f"Labels of kind {kind} end at {ends} ({done[0].place}).",
        right=str(count),
        wrong=near_numbers(count),
    )


def presence_before(search: Search, channel: Channel, window: Window) -> Found | str:
    """Whether a label was there in the window; if it was, it is gone at the end."""
    if not labelled(channel, window):
        return NOT_LABELLED
    inside = channel.meeting(window.start_us, window.end_us)
    holds, touching = holding(channel, window.end_us)
    now = {fact.label for fact in (*holds, *touching)}
    there = {fact.label for fact in inside}
    seen_long = {fact.label for fact in inside if shown(channel, fact, window)}
    yes = search.yes_wanted(window.end_us)
    absent = [label for label in possible(search, channel) if label not in there]
    names = sorted(seen_long - now) if yes else absent
    if not names:
        return "nothing has come and gone" if yes else "nothing is known to be absent"
    label = search.draw("label", names, window.end_us)
    named = Named(channel_kind(channel), label)
    facts = [fact for fact in inside if fact.label == label]
    if facts and facts[-1].last_us >= window.end_us:
        return "the label has just ended"
    note = (
        note_of(named.kind, named.term.display, facts[-1])
        if facts
        else f"From {seconds(window.start_us)} s to {seconds(window.end_us)} s no "
        f"{named.kind} label is {named.term.display!r}."
    )
    return Found(
        window=window,
        query_us=window.end_us,
        fields={"label": named, "yes": yes},
        slots={"about": asked_kind(channel), "label": label},
        value={"yes": yes},
        pointers=pointers_of(facts, window.end_us) or seen(search, channel, window.end_us),
        note=note,
    )


def shown(channel: Channel, fact: Fact, window: Window) -> bool:
    """Whether a window holds enough of a fact to see it: a second of a span, an instant."""
    if channel.instants_us is not None:
        return True
    first, last = max(fact.start_us, window.start_us), min(fact.last_us, window.end_us)
    return last - first >= SECOND_US


def set_before(search: Search, channel: Channel, window: Window) -> Found | str:
    """All labels that were there in the window."""
    if not labelled(channel, window):
        return NOT_LABELLED
    facts = channel.meeting(window.start_us, window.end_us)
    labels = frozenset(fact.label for fact in facts)
    if not labels:
        return "no label of the kind"
    if not all(shown(channel, fact, window) for fact in facts):
        return "a label of the kind is there too shortly to be seen"
    proof = pointers_of(facts, window.end_us)
    return set_found(search, channel, window, labels, facts, proof, as_number=False)


def left_view(search: Search, channel: Channel) -> Iterator[Found | str]:
    """After each run: the only instrument that went out of view in the window."""
    for fact in channel.facts:
        window = after(search, channel, fact)
        if window is None:
            yield NOT_LABELLED
            continue
        gone = list(ended_in(channel, window))
        back = any(f.label == fact.label for f in channel.meeting(fact.last_us + 1, window.end_us))
        if gone != [fact] or back:
            yield "not exactly one instrument left the view"
            continue
        yield _left(search, channel, window, fact)


def _left(search: Search, channel: Channel, window: Window, fact: Fact) -> Found:
    named = Named(channel_kind(channel), fact.label)
    true = {f.label for f in channel.meeting(window.start_us, window.end_us)} - {fact.label}
    stayed = sorted(Named(named.kind, label).term.display for label in true)
    others = other_labels(search, named, true, MOST - 1 - len(stayed), window.end_us)
    kept = tuple(Choice(text, "still_there") for text in stayed[: MOST - 2])
    return Found(
        window=window,
        query_us=window.end_us,
        fields={"label": named, "ended": fact.last_us},
        slots=about(channel, fact),
        value={"kind": named.kind, "label": fact.label},
        pointers=fact.pointers(window.end_us),
        note=note_of(named.kind, named.term.display, fact),
        names=(named.spellings,),
        right=named.term.display,
        wrong=(*kept, *others)[: MOST - 1],
    )
