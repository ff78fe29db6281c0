"""All that is there at once, and how many."""

from __future__ import annotations

from ontology.records import Pointer, Window
from transforms.questions.queries.choices import listed, near_numbers, other_sets
from transforms.questions.queries.common import asked_kind, channel_kind, possible
from transforms.questions.queries.found import (
    Found,
    Named,
    Search,
    holding,
    pointers_of,
    seconds,
)
from transforms.timeline.facts import Channel, Fact


def set_now(search: Search, channel: Channel, window: Window) -> Found | str:
    """All labels of the kind that are there."""
    return _of_set(search, channel, window, as_number=False)


def number_now(search: Search, channel: Channel, window: Window) -> Found | str:
    """How many different labels of the kind are there."""
    return _of_set(search, channel, window, as_number=True)


def _of_set(search: Search, channel: Channel, window: Window, as_number: bool) -> Found | str:
    time_us = window.end_us
    holds, touching = holding(channel, time_us)
    labels = frozenset(fact.label for fact in holds)
    if touching or not labels or not channel.is_known(time_us, time_us):
        return "not all labels of the kind are known, or there are none"
    proof = pointers_of(holds, time_us)
    return set_found(search, channel, window, labels, holds, proof, as_number)


def set_found(
    search: Search, channel: Channel, window: Window, labels: frozenset[str],
    facts: list[Fact], proof: tuple[Pointer, ...], as_number: bool,
) -> Found | str:  # fmt: skip
    """A question about a set of labels, or about how many there are."""
    time_us = window.end_us
    kind = channel_kind(channel)
    names = [Named(kind, label) for label in sorted(labels)]
    note = f"Labels of kind {kind}: {listed(kind, labels)} ({facts[0].place}; " + (
        f"up to {seconds(time_us)} s)."
    )
    slots = {"about": asked_kind(channel)}
    if as_number:
        count = len(labels)
        return Found(window, time_us, {"number": count}, slots, {"number": count}, proof, note,
                     (), str(count), near_numbers(count))  # fmt: skip
    # What was there at one instant only is too short a list of what was there in all.
    now = search.query.core_task == "present"
    earlier = sets_before(channel, window.start_us, time_us) if now else []
    wrong = other_sets(search, kind, labels, earlier, possible(search, channel), time_us)
    if len(wrong) < 3:
        return "too few other sets are possible"
    return Found(
        window, time_us, {"labels": names}, slots, {"kind": kind, "labels": sorted(labels)},
        proof, note, tuple(n.spellings for n in names), listed(kind, labels), wrong,
    )  # fmt: skip


def sets_before(channel: Channel, first_us: int, last_us: int) -> list[frozenset[str]]:
    """Sets of labels at the instants of a window."""
    times = [t for t in channel.instants_us or () if first_us <= t <= last_us]
    return [frozenset(f.label for f in channel.meeting(t, t)) for t in times]
