"""Drawn recordings, and what was known of them at a time.

Kinds of label that begin late are kept without a label when a recording is cut before
them: what a source labels at all is known from its description, not from what comes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from ontology.records import IDLE, InstrumentTable, Span, VideoEvidence
from transforms.timeline import build_timeline
from transforms.timeline.channels import fact_book
from transforms.timeline.facts import Channel, FactBook, merged

from .scenes import NOWHERE, TOOLS, S, scene, span, table

SECONDS = 180
PHASES = ("preparation", "calot_triangle_dissection", "clipping_and_cutting",
          "gallbladder_dissection", "gallbladder_packaging")  # fmt: skip
DEEDS = (None, (IDLE,), (("clip", "cystic_duct"),), (("dissect", "gallbladder"),),
         (("dissect", "gallbladder"), ("grasp", "liver")))  # fmt: skip
BOXES = ((0.1, 0.1, 0.2, 0.2), (0.8, 0.4, 0.9, 0.6), (0.3, 0.3, 0.36, 0.4), NOWHERE)
DATASETS = ("cholec80", "cholectrack20", "multibypass140")
"""Whose maps tell which labels are looked for: conditions in the second, events in the third."""
LATEST = st.integers(0, SECONDS * 10).map(lambda tenths: tenths / 10)


@st.composite
def exclusive(draw, kind: str, labels: tuple[str, ...]) -> list[Span]:
    """Labels that follow one another, with holes and flickers."""
    out: list[Span] = []
    time = draw(st.sampled_from((0.0, 7.3)))
    usual = draw(st.booleans())
    while time < SECONDS - 1 and len(out) < 9:
        long = draw(st.sampled_from((0.3, 5.0, 25.5, 40.0, 70.0)))
        end = min(SECONDS, time + long)
        label = labels[len(out) % len(labels)] if usual else draw(st.sampled_from(labels))
        out.append(span(kind, label, time, end))
        time = end + draw(st.sampled_from((0, 0, 0, 0, 4.2)))
    return out


@st.composite
def free(draw, kind: str, labels: tuple[str, ...], most: int = 4, **more) -> list[Span]:
    """Labels that may overlap."""
    parts = draw(st.lists(st.tuples(st.sampled_from(labels), LATEST, st.integers(1, 400)),
                          max_size=most, unique_by=lambda part: part[:2]))  # fmt: skip
    return [span(kind, label, start, min(SECONDS, start + long / 10), **more)
            for label, start, long in parts if start < SECONDS]  # fmt: skip


@st.composite
def runs(draw, labels: tuple[str, ...], deeds: bool) -> InstrumentTable:
    """Instants every one or two seconds, some missing, with runs of labels."""
    step = draw(st.sampled_from((1, 2)))
    holes = draw(st.sets(st.integers(0, SECONDS), max_size=2))
    at = {t: [] for t in range(0, SECONDS, step) if t not in holes}
    parts = draw(st.lists(st.tuples(st.sampled_from(labels), st.integers(0, SECONDS),
                                    st.integers(1, 60), st.sampled_from(BOXES),
                                    st.sampled_from(DEEDS)), max_size=7))  # fmt: skip
    for label, start, long, box, deed in parts:
        for t in range(start, start + long):
            if t in at:
                at[t].append((label, box, deed if deeds else None))
    return table(at, labels, pairs=deeds)


@st.composite
def recordings(draw) -> VideoEvidence:
    """Phases, events, scores, actions, instruments with their deeds, and lesions."""
    spans = [
        *draw(exclusive("phase", PHASES)),
        *draw(free("event", ("out_of_body",), 2)),
        *draw(free("condition", ("stained_lens", "surgical_smoke"), 3)),
        *draw(free("action", ("cutting", "suturing", "tying"), 3)),
        *draw(free("rating", ("cvs_cystic_plate",), 3, value=1.0, rater="a")),
        *draw(free("rating", ("cvs_cystic_plate",), 2, value=2.0, rater="b")),
    ]
    return scene(
        *sorted(spans, key=lambda s: (s.kind, s.start_us, s.end_us, s.label)),
        dataset=draw(st.sampled_from(DATASETS)),
        seconds=SECONDS,
        instruments=draw(runs(TOOLS[:5], deeds=True)),
        regions={"finding": draw(runs(("polyp", "ulcer"), deeds=False))},
        period=2,
    )


def cut(evidence: VideoEvidence, time_us: int) -> VideoEvidence:
    """What of a recording was known at a time."""
    spans = tuple(
        replace(s, end_us=min(s.end_us, time_us)) for s in evidence.spans if s.start_us < time_us
    )
    video = replace(evidence.video, duration_us=time_us)
    tools = evidence.instruments
    return replace(
        evidence,
        video=video,
        spans=spans,
        instruments=None if tools is None else _cut(tools, time_us),
        regions={kind: _cut(one, time_us) for kind, one in evidence.regions.items()},
    )


def _cut(one: InstrumentTable, time_us: int) -> InstrumentTable:
    count = int(np.searchsorted(one.instants_us, time_us, side="right"))
    kept = one.sample < count
    rows = ("sample", "label", "box_xyxy", "score", "pairs", "track", "row")
    return replace(
        one,
        instants_us=one.instants_us[:count],
        frames=one.frames[:count],
        **{name: getattr(one, name)[kept] for name in rows},
    )


def book_at(evidence: VideoEvidence, time_us: int) -> FactBook:
    """The facts that were known at a time."""
    whole = fact_book(evidence, build_timeline(evidence))
    early = cut(evidence, time_us)
    book = fact_book(early, build_timeline(early))
    known = merged((s.start_us, s.end_us) for s in early.spans)
    silent = {
        name: Channel(name, (), known, one.looked_for, None, one.period_us)
        for name, one in whole.channels.items()
        if name not in book.channels
    }
    return replace(book, channels={**book.channels, **silent})


def seconds(time_us: int) -> float:
    """For messages."""
    return time_us / S
