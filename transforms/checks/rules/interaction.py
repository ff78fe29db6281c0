"""What an instrument does at a moment or over a span: interaction captioning."""

from __future__ import annotations

from typing import Any

from transforms.checks.blocks import blocks, pairs_of
from transforms.checks.evidence import IDLE, classes_of
from transforms.checks.motion import overlap, word
from transforms.checks.rules.base import Ask, Undecided, rule
from transforms.checks.rules.spans import constant, continuous, mean_speed

NEXT_GAP_US = 1_000_000
IDLE_AROUND_US = 2_000_000
OVERLAP = 0.5


@rule("surgstu", "next_action")
def next_action(ask: Ask) -> dict[str, Any]:
    """The block that starts at ``ended``; the one before it does what was stopped.

    The time singles the instrument out, so another one of its class may be seen before
    or later in the clip.
    """
    ended = ask.time("ended", "time_us")
    track_id = ask.track(alone=(ended - ask.clip.period_us, ended))
    found = blocks(ask.clip, track_id)
    after = next((i for i, block in enumerate(found) if block.first_us == ended), None)
    if not after:
        raise Undecided(f"no block of track {track_id} follows another at {ended}")
    old, new = found[after - 1], found[after]
    if len(pairs_of(old)) != 1 or len(pairs_of(new)) != 1:
        raise Undecided(f"a block beside {ended} has several interactions")
    for sample in ask.clip.of_track(track_id, old.last_us, ended):
        ask.pairs(sample)
    (old_verb, _), (verb, target) = pairs_of(old)[0], pairs_of(new)[0]
    if old_verb != _stopped(ask, old_verb):
        raise Undecided(f"before {ended} the verb is {old_verb!r}, not the slot's")
    ask.gate("gap before the next block", new.start_us - old.end_us <= NEXT_GAP_US, new.start_us)
    ask.gate("a different action follows", verb != old_verb, verb)
    return {"verb": verb, "target": target}


@rule("surgstu", "action_status")
def action_status(ask: Ask) -> dict[str, Any]:
    """The verb that stays the same over the span."""
    return {"verb": constant(ask, ask.track(), 0)}


@rule("surgstu", "movement_status")
def movement_status(ask: Ask) -> dict[str, Any]:
    """Path length over time and its word."""
    value = mean_speed(ask, continuous(ask, ask.track()))
    return {"speed_class": word("speed", value), "mean_speed": value}


@rule("surgstu", "target_interaction")
def target_interaction(ask: Ask) -> dict[str, Any]:
    """The target that stays the same over the span."""
    return {"target": constant(ask, ask.track(), 1)}


@rule("surgstu", "identify_bbox")
def identify_bbox(ask: Ask) -> dict[str, Any]:
    """The instrument whose box at the moment is the slot's."""
    events = ask.clip.at[ask.moment()]
    box = ask.slot("box", "box_xyxy")
    fits = [event for event in events if event.box is not None and list(event.box) == box]
    if not fits:
        raise Undecided("no instrument has that box at the moment")
    for event in events:
        if event is not fits[0]:
            share = overlap(ask.boxed(event), ask.boxed(fits[0]))
            ask.unique(share < OVERLAP, f"{event.label} overlaps the box with IoU {share:.3f}")
    ask.gate("classes at the moment", len(classes_of(events)) >= 2, classes_of(events))
    return ask.named(fits[0])


@rule("surgstu", "refusal_no_specific_action")
def refusal_no_specific_action(ask: Ask) -> dict[str, Any]:
    """Idle at every annotated instant of the clip within two seconds."""
    moment, track_id = ask.moment(), ask.track()
    for time in ask.clip.between(moment - IDLE_AROUND_US, moment + IDLE_AROUND_US):
        if ask.pairs(ask.sample_at(track_id, time)) != IDLE:
            raise Undecided(f"the instrument is not idle at {time}")
    return {"verb": "null_verb"}


@rule("surgstu", "reverse_target")
def reverse_target(ask: Ask) -> dict[str, Any]:
    """Classes that act on the target at any instant of the span."""
    target, (first, last) = ask.label("target"), ask.span()
    events = [event for time in ask.clip.between(first, last) for event in ask.clip.at[time]]
    touching = [e for e in events if target in [pair[1] for pair in e.pairs or ()]]
    found = classes_of(touching)
    for event in events:
        if event.label not in found:
            ask.pairs(event)
    return {"labels": found}


def _stopped(ask: Ask, found: str) -> str:
    """The verb that the slots say has ended; what was found where they do not say it."""
    if "verb" in ask.slots:
        return ask.label("verb")
    before = ask.slots["ended"].get("before", found)
    return before["label"] if isinstance(before, dict) else before
