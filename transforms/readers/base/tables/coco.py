"""COCO files of many videos: phases and steps of images, and instruments with their actions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

import numpy as np

from surgqa.ontology.records import UNKNOWN, Clock, Code, InstrumentTable, Span
from surgqa.ontology.times import frame_to_us, period_us
from surgqa.transforms.readers.base.intervals import sorted_spans
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.own_videos import VideoClock
from surgqa.transforms.readers.base.table import instants_of, spans_of
from surgqa.transforms.readers.base.tables import coco_rows
from surgqa.transforms.readers.base.tables.build import Built
from surgqa.transforms.readers.base.tables.timing import Timing
from surgqa.transforms.readers.base.whole_frames import FrameRow, PlacedRow


def workflow_spans(
    known: Mapping[int, Sequence[PlacedRow]], part: coco_rows.Part, fps: Fraction, ledger: Ledger
) -> list[Span]:
    """Return phases and steps as intervals; an image represents one second."""
    seconds = [*known]
    instants = instants_of(np.array(seconds, dtype=np.int64), fps)
    out: list[Span] = []
    for kind in (kind for kind in ("phase", "step") if kind in part.kinds):
        labels = coco_rows.concepts(part.kinds[kind])
        codes = [_agreed(rows, kind, labels, ledger) for rows in known.values()]
        out += spans_of(
            kind, instants, np.array(codes, dtype=np.int64), labels, period_us(fps),
            part.source.path, lambda a, b: f"seconds {seconds[a]} to {seconds[b]}",
        )  # fmt: skip
    return out


def _agreed(rows: Sequence[PlacedRow], kind: str, labels: Sequence[str], ledger: Ledger) -> int:
    names = sorted({getattr(row.found.frame_labels, kind) for row in rows if row.found} - {""})
    if len(names) > 1:
        reason = f"rows of one picture name {' and '.join(names)}: no {kind} is taken from it"
        ledger.repair(rows[0].at, Code.CONTRADICTION, reason, rows[0].where)
    return labels.index(names[0]) if len(names) == 1 else UNKNOWN


def action_spans(
    known: Mapping[int, Sequence[PlacedRow]], part: coco_rows.Part, fps: Fraction
) -> list[Span]:
    """Return the actions of instruments at each image, as intervals of one second."""
    out: dict[tuple[int, str, str], Span] = {}
    for second, row in ((second, row) for second, rows in known.items() for row in rows):
        start, found = frame_to_us(second, fps), row.found or FrameRow()
        for action in found.frame_labels.actions:
            end, where = start + period_us(fps), f"annotations[{row.at[-1]}]"
            span = Span("action", action, start, end, part.source.path, where,
                        subject=found.label)  # fmt: skip
            out.setdefault((start, action, found.label), span)
    return list(sorted_spans(out.values()))


def counts_source(names: Iterable[str]) -> bool:
    """Return whether image names such as ``000012345.jpg`` count frames and not seconds."""
    return any(re.match(rf"\d{{{coco_rows.SOURCE_DIGITS}}}", name) for name in names)


def coco_clock(parts: Sequence[coco_rows.Part], rate: Fraction | None) -> VideoClock:
    """Return the time scale: seconds, or only the order if neither seconds nor a rate are known."""
    _, clock = coco_rows.seconds_of(parts)
    fps = (rate if clock is Clock.ORDER else None) or Fraction(1)
    return VideoClock(Clock.TIME if rate else clock, Timing(fps, None))


def read_coco(parts: Sequence[coco_rows.Part], fps: Fraction, ledger: Ledger) -> tuple[Built, int]:
    """Return the evidence of all files of a video, and how many rows were read.

    Args:
        parts: what each label file says of the video; files of phases and steps come first.
        fps: images per second.
    """
    spans: list[Span] = []
    table: InstrumentTable | None = None
    kept, seconds = 0, coco_rows.seconds_of(parts)[0] if parts else {}
    for part in parts:
        frames = coco_rows.whole_pictures(part, seconds, part is parts[0], ledger)
        labels = {"instrument": coco_rows.concepts(part.kinds["instrument"])} if part.place else {}
        pointer = f"second {{frame}} of {part.video_id}, row {{row}} of the picture"
        tables, count = frames.close(labels, fps, pointer)
        kept += count
        if part is parts[0]:
            spans += workflow_spans(frames.known, part, fps, ledger)
        if part.place:
            spans += action_spans(frames.known, part, fps)
            table = tables["instrument"]
    read = sum(len(picture.rows) for part in parts for picture in part.pictures)
    end = frame_to_us(max(seconds.values()) + 1, fps) if parts else 0
    period = period_us(fps) if parts else None
    return Built(table, {}, sorted_spans(spans), (), period, end, kept), read
