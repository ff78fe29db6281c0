"""Two hand-written videos on which templates are asked, beside the readers' samples.

The samples belong to the readers and change with them; these belong to the templates, so
that a snapshot changes only when a template or the question engine does.

``busy``: 50 s, two clips, two graspers at once, bipolar forceps (a plural name), one
instrument that leads in time and in targets, idling, and something to refuse.  ``bare``:
25 annotated seconds of a source that names no instrument and shows none.
``unboxed`` and ``unlabelled``: the busy video as a dataset without boxes, or without
interactions, has it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ontology.records import (
    IDLE,
    UNKNOWN,
    InstrumentTable,
    Media,
    MediaKind,
    Pair,
    Source,
    Video,
    VideoEvidence,
)
from transforms.timeline import build_timeline
from transforms.windows import View, cut_clips, view_windows

SECOND = 1_000_000
SECONDS = 50
Shown = tuple[str, tuple[float, float], tuple[Pair, ...]]
"""Instrument, centre of its box, what it does."""


def views() -> list[View]:
    """All scenes, cut into clips."""
    return [view_of(one) for one in (busy(), unboxed(), unlabelled(), bare())]


def view_of(evidence: VideoEvidence) -> View:
    """The clips of one video."""
    timeline = build_timeline(evidence)
    assert timeline is not None
    cut = cut_clips(evidence.video, timeline.table.instants_us)
    return view_windows(timeline, cut.windows)


def busy() -> VideoEvidence:
    """Every question can be asked of it."""
    known = ("grasper", "bipolar", "hook", "scissors", "irrigator")
    return VideoEvidence(_video("busy", known), _table(known, SECONDS, _busy_at))


def unboxed() -> VideoEvidence:
    """The same without a single box."""
    full = busy()
    assert full.instruments is not None
    boxes = np.full_like(full.instruments.box_xyxy, np.nan)
    table = replace(full.instruments, box_xyxy=boxes, box_origin="none")
    return VideoEvidence(_video("unboxed", full.video.vocabulary), table)


def unlabelled() -> VideoEvidence:
    """The same without a single interaction."""
    full = busy()
    assert full.instruments is not None
    pairs = np.full_like(full.instruments.pairs, UNKNOWN)
    table = replace(full.instruments, pairs=pairs, pair_sets=())
    return VideoEvidence(_video("unlabelled", full.video.vocabulary), table)


def bare() -> VideoEvidence:
    """Instants without any instrument."""
    return VideoEvidence(_video("bare", ()), _table((), 25, lambda second: []))


def _busy_at(second: int) -> list[Shown]:
    t = second % 25
    shown: list[Shown] = [
        ("grasper", (0.15 + 0.002 * t, 0.20), ((("retract", "gallbladder")),)),
        *_hook(t),
        *_bipolar(t, second),
    ]
    if 8 <= t <= 15:  # a second grasper, so that instances need numbers
        shown.append(("grasper", (0.80, 0.85 - 0.01 * t), (("grasp", "omentum"),)))
    return shown


def _hook(t: int) -> list[Shown]:
    """Crosses the picture; dissects three tissues and idles in between."""
    if not 2 <= t <= 22:
        return []
    does: Pair = ("dissect", "cystic_duct")
    if t in (9, 10, 11, 12, 13):
        does = IDLE
    elif 14 <= t <= 18:
        does = ("dissect", "cystic_plate")
    elif t >= 19:
        does = ("coagulate", "blood_vessel")
    return [("hook", (0.25 + 0.03 * (t - 2), 0.55 + 0.004 * t), (does,))]


def _bipolar(t: int, second: int) -> list[Shown]:
    """In the second clip only: a plural name, coming closer to the hook."""
    if second < 25 or not 4 <= t <= 20:
        return []
    does: Pair = ("coagulate", "cystic_duct") if t <= 12 else ("coagulate", "liver")
    return [("bipolar", (0.80 - 0.012 * (t - 4), 0.30), (does,))]


def _video(video_id: str, vocabulary: tuple[str, ...]) -> Video:
    return Video(
        dataset="scene",
        video_id=video_id,
        procedure="laparoscopic cholecystectomy",
        specialty="general surgery",
        fps=Fraction(1),
        period_us=SECOND,
        duration_us=SECONDS * SECOND,
        media=Media(MediaKind.ABSENT),
        split=None,
        split_group=video_id,
        licence="made up",
        label_source="made up",
        sources=(Source("scene.json", "0" * 64),),
        vocabulary=tuple(sorted(vocabulary)),
    )


def _table(
    vocabulary: tuple[str, ...], seconds: int, at: Callable[[int], list[Shown]]
) -> InstrumentTable:
    labels = tuple(sorted(vocabulary))
    rows = sorted(
        (second, labels.index(name), _box(*centre), pairs)
        for second in range(seconds)
        for name, centre, pairs in at(second)
    )
    sets = tuple(sorted({row[3] for row in rows}))
    count = len(rows)
    return InstrumentTable(
        instants_us=np.arange(seconds, dtype=np.int64) * SECOND,
        frames=np.arange(seconds, dtype=np.int64),
        sample=np.array([row[0] for row in rows], dtype=np.int32),
        label=np.array([row[1] for row in rows], dtype=np.int16),
        box_xyxy=np.array([row[2] for row in rows], dtype=np.float64).reshape(count, 4),
        score=np.ones(count),
        pairs=np.array([sets.index(row[3]) for row in rows], dtype=np.int16),
        track=np.full(count, UNKNOWN, dtype=np.int32),
        row=np.zeros(count, dtype=np.int32),
        labels=labels,
        pair_sets=sets,
        box_origin="manual",
        pointer="{frame}:{row}",
    )


def _box(x: float, y: float) -> tuple[float, float, float, float]:
    return (x - 0.06, y - 0.05, x + 0.06, y + 0.05)
