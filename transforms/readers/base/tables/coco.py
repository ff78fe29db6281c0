"""COCO files of many videos: phases and steps of images, and instruments with their actions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from surgqa.ontology.records import (
    UNKNOWN,
    Clock,
    Code,
    InstrumentTable,
    Span,
)
from surgqa.ontology.times import frame_to_us, period_us
from surgqa.transforms.readers.base.intervals import sorted_spans
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.masks import area_of
from surgqa.transforms.readers.base.objects import Thing, table_of_things
from surgqa.transforms.readers.base.own_videos import VideoClock
from surgqa.transforms.readers.base.table import instants_of, spans_of
from surgqa.transforms.readers.base.tables.build import Built, Timing
from surgqa.transforms.readers.base.tables.coco_rows import (
    SOURCE_DIGITS,
    CocoMoment,
    Part,
    concepts,
    moments_of,
    seconds_of,
    where_of,
)


def workflow_spans(
    moments: Sequence[CocoMoment], part: Part, fps: Fraction, ledger: Ledger
) -> list[Span]:
    """Return phases and steps as intervals; an image represents one second."""
    seconds = [moment.second for moment in moments]
    instants = instants_of(np.array(seconds, dtype=np.int64), fps)
    out: list[Span] = []
    for kind in (kind for kind in ("phase", "step") if kind in part.kinds):
        labels = concepts(part.kinds[kind])
        codes = [_agreed(moment, kind, labels, part, ledger) for moment in moments]
        out += spans_of(
            kind, instants, np.array(codes, dtype=np.int64), labels, period_us(fps),
            part.source.path, lambda a, b: f"seconds {seconds[a]} to {seconds[b]}",
        )  # fmt: skip
    return out


def _agreed(
    moment: CocoMoment, kind: str, labels: Sequence[str], part: Part, ledger: Ledger
) -> int:
    names = sorted({getattr(meaning, kind) for meaning in moment.meanings} - {""})
    if len(names) > 1:
        row = moment.meanings[0].row
        reason = f"rows of one picture name {' and '.join(names)}: no {kind} is taken from it"
        ledger.repair((part.place, row), Code.CONTRADICTION, reason, where_of(part, row))
    return labels.index(names[0]) if len(names) == 1 else UNKNOWN


def action_spans(moments: Sequence[CocoMoment], part: Part, fps: Fraction) -> list[Span]:
    """Return the actions of instruments at each image, as intervals of one second."""
    out: dict[tuple[int, str, str], Span] = {}
    for moment in moments:
        start = frame_to_us(moment.second, fps)
        for meaning in moment.meanings:
            for action in meaning.actions:
                key = (start, action, meaning.instrument)
                end, where = start + period_us(fps), f"annotations[{meaning.row}]"
                span = Span("action", action, start, end, part.source.path, where,
                            subject=meaning.instrument)  # fmt: skip
                out.setdefault(key, span)
    return list(sorted_spans(out.values()))


def instrument_moments(moments: Sequence[CocoMoment], part: Part, fps: Fraction) -> InstrumentTable:
    """Return the table of a video. Every image is an instant, even without instruments."""
    seconds = np.array([moment.second for moment in moments], dtype=np.int64)
    things = [
        Thing(
            sample, meaning.instrument, meaning.box, row=row, mask=meaning.mask,
            attributes={"area": area_of(meaning.mask)} if meaning.mask else {},
        )
        for sample, moment in enumerate(moments)
        for row, meaning in enumerate(moment.meanings)
    ]  # fmt: skip
    pointer = f"second {{frame}} of {part.video_id}, row {{row}} of the picture"
    labels = concepts(part.kinds["instrument"])
    return table_of_things(instants_of(seconds, fps), seconds, things, labels, pointer)


def counts_source(names: Iterable[str]) -> bool:
    """Return whether names of pictures are numbers of frames of the source, not of seconds."""
    return any(re.match(rf"\d{{{SOURCE_DIGITS}}}", name) for name in names)


def coco_clock(parts: Sequence[Part], rate: Fraction | None) -> VideoClock:
    """Return the clock: seconds, unless only the order of the images is known, without a rate."""
    _, clock = seconds_of(parts)
    fps = (rate if clock is Clock.ORDER else None) or Fraction(1)
    return VideoClock(Clock.TIME if rate else clock, fps, Timing(fps, None))


def read_coco(parts: Sequence[Part], fps: Fraction, ledger: Ledger) -> tuple[Built, int]:
    """Return the evidence of all files of a video, and how many rows were read.

    Args:
        parts: files of phases and steps before files of instances.
        fps: rate of the pictures' numbers.
    """
    spans: list[Span] = []
    table: InstrumentTable | None = None
    kept, seconds = 0, seconds_of(parts)[0] if parts else {}
    for part in parts:
        moments = moments_of(part, seconds, bool(part.place), part is parts[0], ledger)
        kept += sum(len(moment.meanings) for moment in moments)
        if part is parts[0]:
            spans += workflow_spans(moments, part, fps, ledger)
        if part.place:
            spans += action_spans(moments, part, fps)
            table = instrument_moments(moments, part, fps)
    read = sum(len(picture.rows) for part in parts for picture in part.pictures)
    end = frame_to_us(max(seconds.values()) + 1, fps) if parts else 0
    period = period_us(fps) if parts else None
    return Built(table, {}, sorted_spans(spans), (), period, end, kept), read
