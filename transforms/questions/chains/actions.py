"""Causal action ordering: which of two actions comes first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice, takewhile

from ontology.knowledge import rule_between
from ontology.records import Code
from ontology.times import SECOND_US
from transforms.questions.chains.found import Bank, Event, Refused, Results, Search, Wrong
from transforms.questions.chains.schedule import LONG_US, OPENING_US
from transforms.questions.chains.words import deed_noun, deed_sentence, target_phrase
from transforms.timeline.facts import Stretch
from transforms.timeline.story import Deed, Noted, Story

REACH_US = 60 * SECOND_US
"""Two actions further apart than this are not put beside one another."""
MILESTONES = ("clipped", "divided")
RELATIONS = ("one_before_other", "other_before_one", "one_starts_first", "other_starts_first")


def ordered_actions(search: Search) -> Results:
    """Pairs of actions that share a tissue or an instrument, or that a rule links."""
    for first, second in _pairs(search.story):
        yield first.start_us, _event(search, first, second)


def _pairs(story: Story) -> Iterator[tuple[Deed, Deed]]:
    """Each action with the next that each kind of link leads to."""
    for place, first in enumerate(story.deeds):
        reach = takewhile(lambda d: d.start_us - first.start_us <= REACH_US,  # noqa: B023
                          islice(story.deeds, place + 1, None))  # fmt: skip
        later = [deed for deed in reach if deed.act != first.act]
        linked = (
            (d for d in later if d.target and d.target == first.target),
            (d for d in later if d.tool and d.tool == first.tool),
            (d for d in later if rule_between(story.video.procedure, first.act, d.act)),
        )
        found = [next(ones, None) for ones in linked]
        for second in dict.fromkeys(found):
            if second is not None:
                yield first, second


def _event(search: Search, first: Deed, second: Deed) -> Event | Refused:
    coarsest = max(first.resolution_us, second.resolution_us)
    if second.start_us - first.start_us < 2 * coarsest:
        return Refused(Code.RESOLUTION, "the two begin at the same time, as far as is known")
    found = rule_between(search.story.video.procedure, first.act, second.act)
    if found and found[0].force == "always" and not found[1] and not _disturbed(search, second):
        return Refused(Code.INCOHERENT, "the order breaks a rule that always holds, and no anomaly "
                       "explains it")  # fmt: skip
    names = f"{first.event} {second.event}"
    one, other = (first, second) if search.key.extended("named").h64(names) % 2 else (second, first)
    milestone = _milestone(search.story, first)
    relation = _relation(first, second, one)
    texts = _texts(one, other)
    whole = first.start_us, max(first.end_us, second.end_us)
    near = search.story.deeds_beside(whole, first, second)
    return Event(
        name=first.event,
        whole=whole,
        target=first.stretch,
        onset_us=milestone.moment.start_us if milestone else first.start_us,
        resolution_us=max(coarsest, milestone.moment.resolution_us if milestone else 0),
        fields={"one": one, "other": other, "order": texts[relation], "first": first,
                "second": second, "moment": _moment(first, milestone)},
        slots={"one": slot(one), "other": slot(other)},
        value={"relation": relation},
        right=texts[relation],
        wrong=tuple(Wrong(texts[r], "other_order", {"relation": r})
                    for r in RELATIONS if r != relation),
        keys=_keys(search.story, first, second),
        rule=found[0].reason if found and found[1] else "",
        proofs=_proofs(first, second, milestone),
        same=tuple(d.stretch for d in near if d.act == first.act),
        also=tuple(d.start_us for d in near if d.act == first.act),
        related=(second.stretch, *(d.stretch for d in near if d.act != first.act)),
        box=milestone.moment.box_xyxy if milestone else first.box,
        names=(forms(first), forms(second)) if apart(first, second) else (forms(first),),
        guards=tuple(("one of the two actions is done more than once in the window", d.stretch)
                     for d in near if named_alike(d, first) or named_alike(d, second)),
    )  # fmt: skip


def _keys(story: Story, first: Deed, second: Deed) -> dict[int, Bank]:
    """What knowledge is looked up by: for Q1 nothing that one of the two has alone."""
    phase = phase_of(story, first)
    shared = first.target if first.target == second.target else ""
    own = Bank(first.verb, first.target, phase=phase)
    return {1: Bank(target=shared, phase=phase), 2: own, 3: own}


def _relation(first: Deed, second: Deed, one: Deed) -> str:
    if one is first:
        return "one_before_other" if apart(first, second) else "one_starts_first"
    return "other_before_one" if apart(first, second) else "other_starts_first"


def apart(first: Deed, second: Deed) -> bool:
    """Whether the first is over when the second begins."""
    return first.end_us <= second.start_us


def _texts(one: Deed, other: Deed) -> dict[str, str]:
    a, b = deed_noun(one), deed_noun(other)
    return {
        "one_before_other": f"{a} is over before {b} begins",
        "other_before_one": f"{b} is over before {a} begins",
        "one_starts_first": f"the two overlap, and {a} begins first",
        "other_starts_first": f"the two overlap, and {b} begins first",
    }


def _milestone(story: Story, first: Deed) -> Noted | None:
    """The first lasting change of the tissue in what Q2 asks for of the action."""
    long = first.end_us - first.start_us > LONG_US
    end = first.start_us + OPENING_US if long else first.end_us
    found = [
        noted for noted in story.of("state")
        if noted.moment.label in MILESTONES and noted.moment.target == first.target
        and first.start_us < noted.moment.start_us < end
    ]  # fmt: skip
    return found[0] if found and first.target else None


def _moment(first: Deed, milestone: Noted | None) -> str:
    """What Q3 asks the instant of."""
    if milestone is None:
        return f"{deed_noun(first)} begins"
    return f"{target_phrase(first)} is first seen {milestone.moment.label}"


def _disturbed(search: Search, second: Deed) -> bool:
    """Whether something goes wrong before the second action, which may explain its order."""
    return any(
        second.start_us - REACH_US <= one.start_us <= second.start_us
        for one, _ in search.story.anomalies
    )


def _proofs(first: Deed, second: Deed, milestone: Noted | None):
    both = (*first.pointers, *second.pointers)
    mine = (*first.pointers, *([milestone.pointer] if milestone else []))
    return {0: (*both, *mine[len(first.pointers) :]), 1: both, 2: first.pointers, 3: mine}


def slot(deed: Deed) -> dict[str, str]:
    """A deed as a question names it."""
    return {"tool": deed.tool, "verb": deed.verb, "target": deed.target}


def forms(deed: Deed) -> tuple[str, ...]:
    """How a context may name a deed."""
    return deed_noun(deed), deed_sentence(deed)


def named_alike(one: Deed, other: Deed) -> bool:
    """Whether the name of one deed would fit the other: what is unknown fits all."""
    return all(
        not a or not b or a == b
        for a, b in ((one.tool, other.tool), (one.verb, other.verb), (one.target, other.target))
    )


def phase_of(story: Story, deed: Deed) -> str:
    """The phase in which a deed begins, '' where none or several are known."""
    found = story.phase_at(deed.start_us, deed.start_us + 1)
    return found.label if found else ""


def near_stretches(deeds: Iterable[Deed], first_us: int, last_us: int) -> list[Stretch]:
    """Stretches of deeds that meet a time."""
    return [d.stretch for d in deeds if d.start_us < last_us and d.end_us > first_us]
