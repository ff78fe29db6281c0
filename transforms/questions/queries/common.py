"""What the finders share: subjects, what a question is about, proof that nothing was there."""

from __future__ import annotations

from collections.abc import Iterable

from ontology.records import Pointer
from transforms.questions.queries.choices import mapped_labels
from transforms.questions.queries.found import Search, holding, pointers_of
from transforms.timeline.facts import Channel, Fact


def channel_kind(channel: Channel) -> str:
    """The kind of a channel's labels: regions beside spans are of the spans' kind."""
    return channel.kind.removesuffix("_region")


def about(channel: Channel, fact: Fact) -> dict[str, object]:
    """The slot that says what a question is about, without its answer."""
    return {"about": {**asked_kind(channel), **of_subject(fact)}}


def asked_kind(channel: Channel) -> dict[str, str]:
    """The kind of label that a question is about, and its table where another has it, too.

    What is labelled by spans and by regions may be known at different times by each, and what
    an answer points to need not be of that kind where there was nothing.
    """
    kind = channel_kind(channel)
    return {"kind": kind} if kind == channel.kind else {"kind": kind, "table": "regions"}


def of_subject(fact: Fact) -> dict[str, str]:
    """Whose label it is, where it is somebody's."""
    return {"subject": fact.subject} if fact.subject else {}


def possible(search: Search, channel: Channel) -> tuple[str, ...]:
    """Labels of the kind whose absence can be told."""
    if channel.looked_for is not None:
        return tuple(sorted(channel.looked_for))
    return mapped_labels(search.video.dataset, channel_kind(channel))


def first(facts: Iterable[Fact]) -> list[Fact]:
    """The one that begins first, whichever ends first; [] of none."""
    return sorted(facts, key=lambda f: (f.start_us, f.table, f.label, f.subject, f.rater))[:1]


def labelled_at(fact: Fact, time_us: int) -> bool:
    """Whether what is labelled by a time is enough to know that a fact holds there."""
    if fact.table == "segments":
        return fact.start_us < time_us
    return any(time == time_us for time, _ in fact.marks)


def seen(search: Search, channel: Channel, time_us: int) -> tuple[Pointer, ...]:
    """Proof of absence: what was labelled at the time instead."""
    holds, touching = holding(channel, time_us)
    near = pointers_of([f for f in (*holds, *touching) if labelled_at(f, time_us)], time_us)
    if near:
        return near
    others = [
        fact
        for name in sorted(search.book.channels)
        for fact in search.book.channels[name].meeting(time_us, time_us)
        if labelled_at(fact, time_us)
    ]
    return pointers_of(first(others), time_us) or (Pointer("videos", search.video.key, 0, time_us),)
