"""How eight seconds go on from a picture, and what labels say of it: SurgVeo's questions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations
from typing import NamedTuple

from ontology.concepts import vocabulary
from ontology.continuations import TRACKS, Track
from transforms.checks.queries.base import SECOND_US, Query, Value
from transforms.checks.queries.base import SETTLED_US as LASTED_US
from transforms.checks.queries.stages import (
    LENGTH_US,
    Rate,
    Start,
    labels_beside,
    sample_id,
    stages_of,
    start_of,
)
from transforms.checks.queries.units import (
    NotThePicture,
    Problem,
    choice_problems,
    compare_measured,
    compare_slots,
    unit,
)
from transforms.checks.rules.base import BadSlot, Undecided

OPTIONS = 4
SHOWN_S = (1, 4, 7)
"""Seconds from the picture to those that are put in order."""
LETTERS = "ABC"
BETWEEN = ", "
PRINTED = Fraction(1, 2000)
"""Times are printed with three decimals."""

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


class Sample(NamedTuple):
    """The picture that an item is about, by the rule."""

    track: Track
    rate: Rate
    stage: str
    start: Start

    @property
    def frame(self) -> int:
        """The picture."""
        return self.start.frame

    @property
    def frames(self) -> int:
        """Pictures of the eight seconds."""
        return self.rate.frames(LENGTH_US)

    @property
    def start_us(self) -> int:
        """When it begins."""
        return self.rate.begins(self.frame)

    @property
    def end_us(self) -> int:
        """When the picture after the eight seconds begins."""
        return self.rate.begins(self.frame + self.frames)


def sample_of(query: Query, at: int | None = None) -> Sample:
    """The sample that the item names, its slots compared.

    Args:
        at: place of the picture among those shown at which the question is put.
    """
    if query.video.clock != "time":
        raise Undecided("nothing tells when the pictures were taken")
    track, rate = track_of(query), rate_of(query)
    stages = stages_of(query.video, track)
    named = query.slots.get("sample_id")
    stage = next((one for one in stages if sample_id(query.video, track, one) == named), None)
    if stage is None:
        raise BadSlot(f"slot 'sample_id' {named!r} is of no stage of {track.name}")
    start = start_of(query.video, stages[stage], rate)
    if start is None:
        raise Undecided(f"{stage} has no picture from which eight seconds go on")
    sample = Sample(track, rate, stage, start)
    times = [sample.start_us, *shown_from(sample)]
    put = times[0] if at is None else times[at]
    if query.query_us != put:
        raise NotThePicture(f"question at {query.query_us}, {stage} gives {put}")
    compare_slots(query, {
        "frame": sample.frame,
        "frames": sample.frames,
        "found_by": start.found_by,
        "interval": list(start.interval),
    })  # fmt: skip
    return sample


def track_of(query: Query) -> Track:
    """The track, which is labelled by the kind that the question is about."""
    name = query.slots.get("track")
    track = TRACKS.get(name) if isinstance(name, str) else None
    if track is None:
        raise BadSlot(f"slot 'track' is {name!r}")
    wrong = query.kind != track.kind
    query.note("slot_differs", f"about {query.kind}, the track is of {track.kind}", wrong)
    return track


def rate_of(query: Query) -> Rate:
    """Pictures a second, as the slot tells them: ``25`` or ``30000/1001``."""
    text = query.slots.get("fps")
    try:
        exact = Fraction(text) if isinstance(text, str) else Fraction(0)
    except (ValueError, ZeroDivisionError):
        exact = Fraction(0)
    if exact <= 0 or str(exact) != text:
        raise BadSlot(f"slot 'fps' is {text!r}")
    return Rate(exact.numerator, exact.denominator)


def shown_from(sample: Sample) -> list[int]:
    """Times of the three pictures of the eight seconds, ascending."""
    num, den = sample.rate
    return [sample.rate.begins(sample.frame + s * num // den) for s in SHOWN_S]


def reference(query: Query, truth: Value) -> Iterator[Problem]:
    """No options; the text tells the times of the reference, then its pictures."""
    if query.row["options"] or query.row["answer_key"] is not None:
        yield "options_malformed", "a continuation is not chosen from options"
    numbers = [Fraction(text) for text in _NUMBER.findall(query.row["answer"])]
    times = [Fraction(truth[name], SECOND_US) for name in ("start_us", "end_us")]
    pictures = [Fraction(truth["frame"] + k) for k in (0, truth["frames"] - 1)]
    wanted = [*((time, PRINTED) for time in times), *((one, Fraction(0)) for one in pictures)]
    rest = iter(numbers)
    if not all(any(abs(one - other) <= slack for one in rest) for other, slack in wanted):
        shown = [float(one) for one, _ in wanted]
        yield "text_disagrees", f"{query.row['answer']!r} does not tell {shown} in this order"


@unit("continuation", "future", reference, form="continuation")
def continuation(query: Query) -> Value:
    """The recording from the picture on: when, and how many pictures."""
    sample = sample_of(query)
    compare_slots(query, {"stage": sample.stage})
    compare_measured(query, {"look_ahead_s": (sample.end_us - sample.start_us) / SECOND_US})
    return {
        "kind": sample.track.kind,
        "stage": sample.stage,
        "start_us": sample.start_us,
        "end_us": sample.end_us,
        "frame": sample.frame,
        "frames": sample.frames,
    }


def stages(query: Query, truth: Value) -> Iterator[Problem]:
    """Options are stages of the track; the next one is not asked among the present one."""
    track, names = TRACKS[query.slots["track"]], vocabulary(f"{truth['kind']}s")

    def read(text: str) -> str | None:
        return next((one for one in track.stages if names[one].display == text), None)

    yield from choice_problems(query.row, OPTIONS, truth["label"], read)
    if query.row["temporal_mode"] == "future":
        for option in query.row["options"] or ():
            stage = read(option["text"])
            if stage and sample_id(query.video, track, stage) == query.slots["sample_id"]:
                yield "options_malformed", f"{option['text']} is the present stage"


@unit("stage_now", "present", stages)
def stage_now(query: Query) -> Value:
    """The stage of the picture, which nothing else of its kind shares with it."""
    sample, at = sample_of(query), query.query_us
    kind = sample.track.kind
    there = [one for one in query.video.spans if one.kind == kind and one.start_us <= at
             < one.end_us]  # fmt: skip
    mine = [one for one in there if one.label == sample.stage and one.start_us <= at - LASTED_US]
    if not mine:
        raise Undecided(f"{sample.stage} is not labelled at {at}, or only just")
    others = {one.label for one in there} - {sample.stage}
    for start, end, name in labels_beside(query.video, sample.track, sample.stage,
                                          sample.start.interval):  # fmt: skip
        others |= {name} if start <= at < end else set()
    query.note("not_unique", f"{sorted(others)} at {at}, too", bool(others))
    return {"kind": kind, "label": sample.stage}


@unit("next_stage", "future", stages)
def next_stage(query: Query) -> Value:
    """The stage that begins next; none may begin before the present one ends, or with it."""
    sample = sample_of(query)
    ends = sample.start.interval[1]
    beside = sorted(labels_beside(query.video, sample.track, sample.stage, sample.start.interval))
    crossing = [one for one in beside if one[0] < ends and one[1] > sample.start_us]
    if crossing:
        raise Undecided(f"{crossing[0]} begins before {sample.stage} ends")
    later = [one for one in beside if one[0] >= ends]
    first = [one for one in later if one[0] == later[0][0]]
    if len(first) != 1 or first[0][2] not in sample.track.stages or first[0][2] == sample.stage:
        raise Undecided(f"not one other stage follows {sample.stage}: {first}")
    compare_measured(query, {"look_ahead_s": (first[0][0] - sample.start_us) / SECOND_US})
    return {"kind": sample.track.kind, "label": first[0][2]}


def orders(query: Query, truth: Value) -> Iterator[Problem]:
    """Options are orders of the three letters."""
    known = {BETWEEN.join(one): one for one in permutations(LETTERS)}
    yield from choice_problems(query.row, OPTIONS, tuple(truth["order"]), known.get)


@unit("frame_order", "retrospective", orders)
def frame_order(query: Query) -> Value:
    """The letters of three pictures by their times; the question is put at the last one."""
    sample = sample_of(query, at=-1)
    times = shown_from(sample)
    shown = query.slots.get("shown_us")
    if not isinstance(shown, list) or not all(isinstance(one, int) for one in shown):
        raise BadSlot(f"slot 'shown_us' is {shown!r}")
    if sorted(shown) != times:
        raise NotThePicture(f"pictures at {shown}, {sample.stage} gives {times}")
    if query.start_us > times[0]:
        query.note("query_window_differs", f"a picture at {times[0]}, before the window")
    return {"kind": sample.track.kind, "order": [LETTERS[shown.index(time)] for time in times]}
