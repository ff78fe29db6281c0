"""Anomaly onset tracking: what goes wrong, when and where it begins."""

from __future__ import annotations

from collections.abc import Iterator

from ontology.keys import Key
from ontology.moments import Moment
from ontology.records import Code, Pointer
from transforms.questions.chains.effects import tissue_name
from transforms.questions.chains.found import WRONG, Bank, Event, Refused, Results, Search, Wrong
from transforms.questions.chains.words import tissue
from transforms.questions.queries.found import Named
from transforms.timeline.story import Box, Story, anomaly_labels

NOWHERE = "a place that is not named"
MOST_IOU = 0.1
STEPS = 4
"""Wrong places are looked for on a grid of so many steps each way."""


def anomaly_onset(search: Search) -> Results:
    """Every anomaly of the recording."""
    there = {one.label for one, _ in search.story.anomalies}
    for one, pointer in search.story.anomalies:
        yield one.start_us, _event(search, one, pointer, there)


def _event(search: Search, one: Moment, pointer: Pointer, there: set[str]) -> Event | Refused:
    story = search.story
    rest = [name for name in anomaly_labels() if name not in there]
    names = search.key.extended("anomalies").extended(f"{one.label} {one.start_us}").ordered(rest)
    if len(names) < WRONG:
        return Refused(Code.TOO_FEW_OPTIONS, "fewer than three anomalies are certainly not there")
    same = [m for m, _ in story.anomalies if m is not one and m.label == one.label]
    box, proof = _onset_box(story, one)
    structure = tissue_name(one.target).term.phrase if one.target else NOWHERE
    anomaly = Named("event", one.label)
    everything = (pointer, *proof)
    return Event(
        name=pointer.id,
        whole=(one.start_us, max(one.end_us, one.start_us + 1)),
        target=(one.start_us, one.end_us),
        onset_us=one.start_us,
        resolution_us=one.resolution_us,
        fields={"anomaly": anomaly, "structure": structure},
        slots={},
        value={"anomaly": one.label, "target": one.target},
        right=_told(one.label, one.target),
        wrong=tuple(Wrong(_told(name, one.target), "other_anomaly",
                          {"anomaly": name, "target": one.target}) for name in names[:WRONG]),
        keys={n: Bank(target=one.target, anomaly=one.label) for n in (1, 2, 3)},
        proofs={0: everything, 1: (pointer,), 2: (pointer,), 3: everything},
        same=tuple((m.start_us, m.end_us) for m in same),
        also=tuple(m.start_us for m in same),
        related=tuple(d.stretch for d in story.deeds_beside((one.start_us, one.end_us))),
        box=box,
        boxes=tuple(_elsewhere(box, search.key.extended(pointer.id))) if box else (),
        names=((anomaly.term.display,),),
        guards=tuple(("the anomaly begins more than once in the window",
                      (m.start_us, max(m.end_us, m.start_us + 1))) for m in same),
    )  # fmt: skip


def _told(label: str, target: str) -> str:
    name = Named("event", label).term.display
    return f"{name} at {tissue(target).phrase}" if target else name


def _onset_box(story: Story, one: Moment) -> tuple[Box | None, tuple[Pointer, ...]]:
    """Where it is at its onset: its first key frame, or its own box."""
    for noted in story.of("roi"):
        key = noted.moment
        if one.group and key.group == one.group and key.start_us == one.start_us:
            return key.box_xyxy, (noted.pointer,)
    return one.box_xyxy, ()


def _elsewhere(box: Box, key: Key) -> Iterator[Box]:
    """Places of the same size that hardly overlap it, in an order drawn by digest."""
    wide, high = box[2] - box[0], box[3] - box[1]
    found = {}
    for row in range(STEPS + 1):
        for column in range(STEPS + 1):
            left, top = (1 - wide) * column / STEPS, (1 - high) * row / STEPS
            other = (left, top, left + wide, top + high)
            if _iou(box, other) < MOST_IOU:
                found[f"{row} {column}"] = other
    yield from (found[name] for name in key.extended("places").ordered(found))


def _iou(one: Box, other: Box) -> float:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    if wide <= 0 or high <= 0:
        return 0.0
    shared = wide * high
    areas = sum((b[2] - b[0]) * (b[3] - b[1]) for b in (one, other))
    return shared / (areas - shared)
