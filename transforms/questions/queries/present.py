"""What holds when the question is put."""

from __future__ import annotations

from ontology.records import Window
from transforms.questions.queries.choices import MOST, other_labels
from transforms.questions.queries.common import (
    about,
    asked_kind,
    channel_kind,
    of_subject,
    possible,
    seen,
)
from transforms.questions.queries.found import (
    Found,
    Named,
    Search,
    holding,
    note_of,
    pointers_of,
    seconds,
    subject_of,
)
from transforms.timeline.facts import Channel, Fact

NEVER_ABSENT = "nothing of the kind is ever known to be absent, so all answers would be Yes"
UNKNOWN_HERE = "the kind is not known at this time"


def state_now(search: Search, channel: Channel, window: Window) -> Found | str:
    """The one label that holds, of those that belong to nobody in particular."""
    time_us = window.end_us
    holds, touching = holding(channel, time_us)
    near = [fact for fact in (*holds, *touching) if not fact.subject]
    if len(near) != 1 or near[0] not in holds:
        return "not exactly one label of the kind holds"
    return stated(search, channel, window, near[0])


def doing_now(search: Search, channel: Channel, window: Window) -> Found | str:
    """The one label of somebody that holds: what an instrument or a hand does."""
    holds, touching = holding(channel, window.end_us)
    near = [fact.subject for fact in (*holds, *touching)]
    single = [fact for fact in holds if subject_of(fact) and near.count(fact.subject) == 1]
    if not single:
        return "nobody has exactly one label of the kind"
    chosen = search.draw("subject", [fact.subject for fact in single], window.end_us)
    return stated(search, channel, window, next(f for f in single if f.subject == chosen))


def stated(search: Search, channel: Channel, window: Window, fact: Fact) -> Found:
    """The question whose answer is a fact's label."""
    named = Named(channel_kind(channel), fact.label)
    return Found(
        window=window,
        query_us=window.end_us,
        fields={"label": named, "subject": subject_of(fact)},
        slots=about(channel, fact),
        value={"kind": named.kind, "label": fact.label, **of_subject(fact)},
        pointers=fact.pointers(window.end_us),
        note=note_of(named.kind, named.term.display, fact),
        names=(named.spellings,),
        right=named.term.display,
        wrong=other_labels(search, named, (), MOST - 1, window.end_us),
    )


def presence_now(search: Search, channel: Channel, window: Window) -> Found | str:
    """Whether a label that is looked for is there."""
    time_us = window.end_us
    if not channel.is_known(time_us, time_us):
        return UNKNOWN_HERE
    holds, touching = holding(channel, time_us)
    here = sorted({fact.label for fact in holds})
    blurred = {fact.label for fact in touching}
    labels = possible(search, channel)
    if not labels:
        return NEVER_ABSENT
    absent = [label for label in labels if label not in {*here, *blurred}]
    yes = search.yes_wanted(time_us)
    names = here if yes else absent
    if not names:
        return "there is nothing here" if yes else "nothing is known to be absent"
    label = search.draw("label", names, time_us)
    named = Named(channel_kind(channel), label)
    facts = [fact for fact in holds if fact.label == label]
    return Found(
        window, time_us, {"label": named, "yes": yes}, {"about": asked_kind(channel),
        "label": label}, {"yes": yes}, pointers_of(facts, time_us) or seen(search, channel,
        time_us), presence_note(named, facts, time_us),
    )  # fmt: skip


def presence_note(named: Named, facts: list[Fact], time_us: int) -> str:
    """What the labels say of one label at a time."""
    if facts:
        return note_of(named.kind, named.term.display, facts[0])
    return (
        f"At {seconds(time_us)} s the {named.kind} labels were looked at and have no "
        f"{named.term.display!r}."
    )


def target_now(search: Search, channel: Channel, window: Window) -> Found | str:
    """What an instrument acts on, where it does one thing."""
    time_us = window.end_us
    acts = [(fact, *fact.label.split(",")) for fact in channel.meeting(time_us, time_us)]
    tools = [act[1] for act in acts]
    single = [act for act in acts if tools.count(act[1]) == 1 and act[3] != "null_target"]
    if not single:
        return "no instrument does exactly one thing to a known target"
    label = search.draw("act", [act[0].label for act in single], time_us)
    fact, tool, verb, target = next(act for act in single if act[0].label == label)
    named = Named("target", target)
    fields = {"tool": Named("instrument", tool), "target": named, "action": (verb, target)}
    slots = {"about": {"kind": "target", "subject": tool}, "tool": {"label": tool}}
    value = {"instrument": tool, "verb": verb, "target": target}
    wrong = other_labels(search, named, (), MOST - 1, time_us)
    return Found(
        window, time_us, fields, slots, value, fact.pointers(time_us),
        note_of("action", label.replace(",", ", "), fact),
        (verb_spellings(verb), named.spellings), named.term.display,
        tuple(choice for choice in wrong if choice.text != "nothing"),
    )  # fmt: skip


def verb_spellings(verb: str) -> tuple[str, ...]:
    """All forms of a verb."""
    term = Named("verb", verb).term
    forms = (term.display, term.third, term.gerund, *term.synonyms)
    return tuple(dict.fromkeys(form for form in forms if form))
