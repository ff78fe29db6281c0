"""Asking chain templates: from a video's story to finished items, four a chain."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from ontology.keys import Key, digest
from ontology.knowledge import statement
from ontology.records import Check, Clock, Code, Item, Rejected, VideoEvidence, Window
from ontology.rows import SCHEMA_VERSION
from ontology.times import SECOND_US
from transforms.language.chains.chain import STAGES, Chain
from transforms.questions.chains.actions import ordered_actions
from transforms.questions.chains.anomalies import anomaly_onset
from transforms.questions.chains.coherence import incoherence
from transforms.questions.chains.cues import announced_action
from transforms.questions.chains.effects import effect_of_action
from transforms.questions.chains.found import Event, Find, Refused, Search
from transforms.questions.chains.schedule import Schedule, schedule
from transforms.questions.chains.transitions import change_of_action
from transforms.questions.chains.whole import main_choices
from transforms.questions.chains.words import clock, fill, span, where
from transforms.questions.options import ANSWER, Choice, lettered
from transforms.timeline import Timeline
from transforms.timeline.story import story_of

FINDERS: Mapping[str, Find] = {
    find.__name__: find
    for find in (ordered_actions, announced_action, effect_of_action, change_of_action,
                 anomaly_onset)
}  # fmt: skip
DRAWN = Refused(Code.OVER_CAP, "another event of the same stretch was drawn")


@dataclass
class AskedChains:
    """What asking gave: items, four a chain, and for events without a chain, why."""

    items: list[Item] = field(default_factory=list)
    declined: list[Rejected] = field(default_factory=list)


def ask_chains(
    evidence: VideoEvidence, timeline: Timeline | None, chains: Sequence[Chain], seed: str
) -> AskedChains:
    """Ask every chain template about a video.

    Of the events in one stretch of ``every_us`` the first by digest that gives a whole chain
    is taken; every other event has a reason.
    """
    out = AskedChains()
    if not chains or evidence.video.clock != Clock.TIME:
        return out
    story = story_of(evidence, timeline)
    for chain in chains:
        key = Key(SCHEMA_VERSION, seed, chain.benchmark, chain.id, story.video.key)
        search = Search(story, chain, key)
        missed: Counter[tuple[Code, str]] = Counter()
        for result in _chosen(search):
            if isinstance(result, Refused):
                missed[result.code, result.reason] += 1
            else:
                out.items += result
        out.declined += [
            Rejected("ask", f"{chain.id} {story.video.key}", code, reason, chain.finder, count)
            for (code, reason), count in sorted(missed.items())
        ]
    return out


def _chosen(search: Search) -> Iterator[list[Item] | Refused]:
    """A chain or a reason for every event."""
    by_stretch: dict[int, list[Event]] = defaultdict(list)
    for time, result in FINDERS[search.chain.finder](search):
        if isinstance(result, Refused):
            yield result
        else:
            by_stretch[time // search.chain.every_us].append(result)
    draws = search.key.extended("event")
    for number in sorted(by_stretch):
        done = False
        for event in sorted(by_stretch[number], key=lambda e: (draws.h64(_slots(e)), _slots(e))):
            result = DRAWN if done else _items(search, event)
            done = done or not isinstance(result, Refused)
            yield result


def _slots(event: Event) -> str:
    named = {"event": event.name, **event.slots}
    return orjson.dumps(named, option=orjson.OPT_SORT_KEYS).decode()


def _items(search: Search, event: Event) -> list[Item] | Refused:
    """The four items of a chain, or why it is discarded."""
    chain, video = search.chain, search.story.video
    key = search.key.extended(_slots(event))
    times = schedule(event, video, bool(search.chain.args["coarse"]), key)
    if isinstance(times, Refused):
        return times
    known = _knowledge(search, event)
    if known is None:
        return Refused(Code.NO_KNOWLEDGE, "the knowledge bank has no statement for this event")
    fields = {**event.fields, "segment": times.segment, "instant": event.onset_us,
              "where": where(event.box)}  # fmt: skip
    chain_id = digest(SCHEMA_VERSION, chain.id, chain.version, video.key, _slots(event))
    choices = _choices(event, times, key)
    if choices is None:
        return Refused(Code.TOO_FEW_OPTIONS, "fewer than three wrong options differ")
    out = []
    for number, name in enumerate(STAGES):
        told = known.get(number)
        out.append(_item(search, event, times, number, name, fields, key, chain_id,
                         choices[number], told))  # fmt: skip
    reason = incoherence(out, event.names)
    return Refused(Code.INCOHERENT, reason) if reason else out


def _knowledge(search: Search, event: Event) -> dict[int, str] | None:
    """Stage 1 to 3 -> its statement; None where the bank lacks one."""
    procedure = search.story.video.procedure
    out = {}
    for stage, key in event.keys.items():
        found = statement(search.chain.task, stage, verb=key.verb, target=key.target,
                          anomaly=key.anomaly, procedure=procedure, phase=key.phase)  # fmt: skip
        text = event.rule if stage == 1 and event.rule else found.text if found else ""
        if not text:
            return None
        out[stage] = text
    return out


@dataclass(frozen=True, slots=True)
class Choices:
    """Options of one stage before they have letters, and the typed answer."""

    right: Choice
    wrong: tuple[Choice, ...]
    value: Mapping[str, Any]


def _choices(event: Event, times: Schedule, key: Key) -> list[Choices] | None:
    """Of the main question and the three stages; None where options would be alike."""
    wrong = tuple(Choice(one.text, one.why) for one in event.wrong)
    first = Choices(Choice(event.right, ANSWER), wrong, event.value)
    second = Choices(
        Choice(span(times.segment), ANSWER),
        tuple(Choice(span(one), why) for one, why in sorted(times.why.items())),
        {"interval_us": list(times.segment)},
    )
    third = Choices(
        Choice(clock(event.onset_us), ANSWER),
        tuple(Choice(clock(t), "other_instant") for t in times.instants if t != event.onset_us),
        {"time_us": event.onset_us},
    )
    main = main_choices(event, times, key)
    if main is None:
        return None
    out = [Choices(*main), first, second, third]
    for one in out:
        texts = {one.right.text.casefold(), *(w.text.casefold() for w in one.wrong)}
        if len(one.wrong) != 3 or len(texts) != 4:
            return None
    return out


def _item(
    search: Search, event: Event, times: Schedule, number: int, name: str,
    fields: Mapping[str, Any], key: Key, chain_id: str, choices: Choices, knowledge: str | None,
) -> Item:  # fmt: skip
    chain, video = search.chain, search.story.video
    words = chain.stages[name]
    start, end = times.windows[max(0, number - 1)]
    window = Window("chain", digest("chain", video.key, start, end), start, end)
    own = key.extended(name)
    wording = words.ask[
        own.extended("wording").choose([f"ask[{i}]" for i in range(len(words.ask))])
    ]
    options = lettered(choices.right, list(choices.wrong), own)
    right = next(option for option in options if option.is_answer)
    return Item(
        item_id=digest(SCHEMA_VERSION, chain.id, chain.version, video.key, chain_id, name),
        template_id=chain.id,
        window=window,
        question=fill(wording, fields),
        answer=f"{right.key}) {right.text}",
        options=options,
        answer_value=choices.value,
        slots={"chain": {"task": chain.task, "event": event.name,
                         "scale": "coarse" if times.coarse else "standard",
                         "spacing_us": times.spacing_us}, **event.slots},
        evidence=event.proofs[number],
        checks=_checks(event, times, number, window),
        knowledge=knowledge,
        clue=fill(words.clue, fields) if words.clue else None,
        context=fill(words.context, fields) if words.context else None,
        chain_id=chain_id,
        stage=number,
        extra={"task": f"{chain.task}/{name}"},
    )  # fmt: skip


def _checks(event: Event, times: Schedule, number: int, window: Window) -> tuple[Check, ...]:
    """What the stage's times were held to, with the measured values."""
    out = [Check("window_s", window.duration_us / SECOND_US, ""),
           Check("scale_coarse", float(times.coarse), "")]  # fmt: skip
    if number == 2:
        out += [Check("segment_iou", round(float(times.iou), 6), "> 0.7"),
                Check("grid_s", times.grid_us / SECOND_US, "")]  # fmt: skip
    if number == 3:
        least = "2 x resolution" if times.coarse else "0.5"
        gaps = [abs(t - event.onset_us) for t in times.instants if t != event.onset_us]
        out += [Check("spacing_s", min(gaps) / SECOND_US, f">= {least}"),
                Check("resolution_s", event.resolution_us / SECOND_US, "")]  # fmt: skip
    return tuple(out)
