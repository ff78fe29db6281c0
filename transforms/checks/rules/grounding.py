"""Where and when an instrument is: SurgSTU's spatial-temporal grounding."""

from __future__ import annotations

from typing import Any

from transforms.checks.blocks import presence
from transforms.checks.evidence import Event, classes_of
from transforms.checks.motion import centre, distance
from transforms.checks.rules.base import EPSILON, Ask, BadSlot, Undecided, rule
from transforms.checks.rules.spans import continuous

RANGE = 0.20
RIVAL_DISTANCE = 0.01
RIVAL_TIME_US = 500_000
RUNNER_UP = 0.10
BORDER = 0.02
SIDES = {"horizontal": ("left", "right"), "vertical": ("top", "bottom")}


@rule("surgstu", "trajectory")
def trajectory(ask: Ask) -> dict[str, Any]:
    """Smallest and largest centre on the axis; the earliest of equals."""
    axis = ask.slot("axis")
    if not isinstance(axis, str) or axis not in SIDES:
        raise BadSlot(f"slot 'axis' is {axis!r}, not horizontal or vertical")
    part = 0 if axis == "horizontal" else 1
    samples = continuous(ask, ask.track())
    places = [centre(sample.box)[part] for sample in samples]
    low, high = places.index(min(places)), places.index(max(places))
    ask.gate("range of the axis", places[high] - places[low] >= RANGE - EPSILON, max(places))
    for best in (low, high):
        for rival, place in enumerate(places):
            near = abs(place - places[best]) < RIVAL_DISTANCE - EPSILON
            later = abs(samples[rival].time_us - samples[best].time_us) > RIVAL_TIME_US
            ask.unique(
                not (near and later),
                f"extreme at {samples[best].time_us} is nearly reached at {samples[rival].time_us}",
            )
    return {
        "axis": axis,
        "extremes": [
            {"side": side, "time_us": samples[i].time_us, "box_xyxy": list(samples[i].box)}
            for side, i in zip(SIDES[axis], (low, high), strict=True)
        ],
    }


@rule("surgstu", "window")
def window(ask: Ask) -> dict[str, Any]:
    """For every instrument at the moment, the run of its presence that holds the moment."""
    moment = ask.moment()
    found = []
    for event in ask.clip.at[moment]:
        run = presence(ask.clip, event.track_id, moment)
        if not run:
            raise Undecided(f"{event.label} has no box at {moment}")
        length = run[-1].time_us - run[0].time_us
        ask.gate("length of the run", length >= 2_000_000, f"{event.track_id}: {length} us")
        found.append(
            {
                **ask.named(event),
                "start_us": run[0].time_us,
                "end_us": run[-1].time_us,
                "start_box_xyxy": list(run[0].box),
                "end_box_xyxy": list(run[-1].box),
            }
        )
    ask.gate("instruments at the moment", bool(found), 0)
    return {"instruments": sorted(found, key=lambda one: (one["label"], one["instance"] or 0))}


@rule("surgstu", "locate")
def locate(ask: Ask) -> dict[str, Any]:
    """The instrument's box at the moment."""
    moment = ask.moment()
    return _located(ask, ask.sample_at(ask.track(), moment))


@rule("surgstu", "locate_by_action")
def locate_by_action(ask: Ask) -> dict[str, Any]:
    """The only instrument that does the verb at the moment."""
    return _located(ask, _only(ask, 0, ask.label("verb")))


@rule("surgstu", "locate_by_target")
def locate_by_target(ask: Ask) -> dict[str, Any]:
    """The only instrument that acts on the target at the moment."""
    return _located(ask, _only(ask, 1, ask.label("target")))


@rule("surgstu", "segment")
def segment(ask: Ask) -> dict[str, Any]:
    """Which third of the width and of the height holds the centre."""
    moment = ask.moment()
    x, y = centre(ask.box_at(ask.track(), moment))
    for place in (x, y):
        away = min(abs(place - 1 / 3), abs(place - 2 / 3))
        ask.gate("distance from a third's border", away >= BORDER - EPSILON, place)
    return {
        "horizontal": _third(x, ("left", "centre", "right")),
        "vertical": _third(y, ("top", "middle", "bottom")),
    }


@rule("surgstu", "closest")
def closest(ask: Ask) -> dict[str, Any]:
    """The instrument whose centre is nearest to the point at the moment."""
    events = ask.clip.at[ask.moment()]
    point = (ask.number("point", "x"), ask.number("point", "y"))
    if not events:
        raise Undecided("no instrument is visible at the moment")
    away = {event.event_id: distance(centre(ask.boxed(event)), point) for event in events}
    ranked = sorted(events, key=lambda event: (away[event.event_id], event.track_id))
    ask.gate("classes at the moment", len(classes_of(events)) >= 2, classes_of(events))
    if len(ranked) > 1:
        lead = away[ranked[1].event_id] - away[ranked[0].event_id]
        ask.unique(lead >= RUNNER_UP - EPSILON, f"the runner-up is only {lead:.4f} farther")
    return ask.named(ranked[0])


@rule("surgstu", "refusal_absent_instrument")
def refusal_absent_instrument(ask: Ask) -> dict[str, Any]:
    """The class has no event in the clip."""
    label = ask.kind()
    ask.whole_clip()
    if ask.clip.of_class(label):
        raise Undecided(f"{label} is in the clip, so nothing is to be refused")
    return {"refusal": True, "label": label}


def _located(ask: Ask, event: Event) -> dict[str, Any]:
    return {
        **ask.named(event),
        "time_us": event.time_us,
        "box_xyxy": list(ask.boxed(event)),
    }


def _only(ask: Ask, part: int, wanted: str) -> Event:
    moment = ask.moment()
    fits = [e for e in ask.clip.at[moment] if wanted in [pair[part] for pair in e.pairs or ()]]
    hidden = [e.label for e in ask.clip.at[moment] if e.pairs is None]
    if hidden:
        raise Undecided(f"what {hidden[0]} does at {moment} is not annotated")
    if not fits:
        raise Undecided(f"no instrument has {wanted!r} at {moment}")
    ask.unique(len(fits) == 1, f"{len(fits)} instruments have {wanted!r} at {moment}")
    return fits[0]


def _third(place: float, words: tuple[str, str, str]) -> str:
    if place < 1 / 3:
        return words[0]
    return words[1] if place < 2 / 3 else words[2]
