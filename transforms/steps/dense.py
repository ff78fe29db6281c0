"""Combine people's labels, one a second, with a detector's boxes, which are more frequent.

A label of one frame a second holds for half a second before and after its instant. At each instant
at which the detector ran and a label holds, an instrument that both name gets the detector's box
and the label's verbs and targets. If the two disagree, the label is taken as right: a box of an
instrument that was labelled absent is left out with a reason, and an instrument that was labelled
but not detected is in view without a box. Observed moments (speech and events) are added to the
annotated ones.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from surgqa.ontology.moments import Moment, moment_order
from surgqa.ontology.records import (
    UNKNOWN,
    Books,
    Code,
    InstrumentTable,
    Rejected,
    Source,
    VideoEvidence,
)

HALF_US = 500_000
"""How long a label holds to each side of its instant."""

_REASONS = {
    "absent": "the annotator says that this instrument is not in the picture",
    "too_many": "more boxes than instruments that the annotator counted; the weakest go",
    "unlabelled": "no label holds at this time",
}

Row = tuple[int, str, tuple[float, ...], float, int, int, str]
"""(sample, label, box or NaN, score, number of the set of verbs and targets, track, origin)."""


def with_dense_boxes(
    labels: VideoEvidence, seen: VideoEvidence, half_us: int = HALF_US
) -> VideoEvidence:
    """Return the labels of a video, at the instants at which it was observed, with observed boxes.

    Args:
        labels: the evidence from the dataset's reader. Without instrument labels, its own instants
            are kept.
        seen: the evidence of the same video from an evidence store.
        half_us: time for which a label holds before and after its instant.

    Returns:
        Evidence at the detector's instants, with the store's moments. What was left out is in
        ``rejected`` with a count, and is counted under ``dense boxes`` and ``observed moments``.
    """
    labels = with_moments(labels, seen)
    labelled, boxes = labels.instruments, seen.instruments
    if labelled is None or boxes is None:
        return labels
    holds = nearest_annotated(labelled.instants_us, boxes.instants_us, half_us)
    rows, dropped = _rows(labelled, boxes, holds)
    known = holds != UNKNOWN
    table = _table(rows, labelled, boxes, known)
    rejected = tuple(
        Rejected("read", labels.video.key, Code.CONTRADICTION if why != "unlabelled"
                 else Code.NO_EVIDENCE, _REASONS[why], f"observed {label}", count)
        for (why, label), count in sorted(dropped.items())
    )  # fmt: skip
    lost = sum(dropped.values())
    books = Books("read", "dense boxes", len(boxes.sample), len(boxes.sample) - lost, lost)
    video = replace(
        labels.video,
        fps=seen.video.fps,
        period_us=seen.video.period_us,
        sources=_sources(seen, labels),
        media=seen.video.media,
    )
    return replace(
        labels,
        video=video,
        instruments=table,
        rejected=(*labels.rejected, *rejected),
        books=(*labels.books, books),
    )


def nearest_annotated(
    instants_us: np.ndarray, times_us: np.ndarray, half_us: int = HALF_US
) -> np.ndarray:
    """Return int64 (F,), the instant whose label holds at each time, UNKNOWN where none does.

    A label holds in [t - half, t + half); a time exactly half-way belongs to the later instant.

    Args:
        instants_us: int64 (T,), strictly ascending annotated instants.
        times_us: int64 (F,), any times.
    """
    if not len(instants_us):
        return np.full(len(times_us), UNKNOWN, dtype=np.int64)
    later = np.clip(np.searchsorted(instants_us, times_us), 0, len(instants_us) - 1)
    earlier = np.maximum(later - 1, 0)
    to_later = np.abs(instants_us[later] - times_us)
    to_earlier = np.abs(times_us - instants_us[earlier])
    nearest = np.where(to_later <= to_earlier, later, earlier)
    offset = times_us - instants_us[nearest]
    return np.where((offset >= -half_us) & (offset < half_us), nearest, UNKNOWN)


def with_moments(labels: VideoEvidence, seen: VideoEvidence) -> VideoEvidence:
    """Return the labels of a video with the moments (speech, events) that were observed in it.

    A moment that is both annotated and observed is kept once, as annotated. A moment that lasts
    beyond the labelled recording is cut. A moment that begins after the recording is left out with
    a reason.
    """
    if not seen.moments:
        return labels
    length = labels.video.duration_us
    known = {_what(one) for one in labels.moments}
    inside = [one for one in seen.moments if one.start_us < length]
    fresh = [replace(one, end_us=min(one.end_us, length)) for one in inside]
    fresh = [one for one in fresh if _what(one) not in known]
    beyond = len(seen.moments) - len(inside)
    rejected = list(labels.rejected)
    if beyond:
        why = "it begins after the end of the labelled recording"
        rejected.append(Rejected("read", labels.video.key, Code.BAD_TIME, why,
                                 seen.video.sources[0].path, beyond))  # fmt: skip
    count = len(seen.moments)
    return replace(
        labels,
        video=replace(labels.video, sources=_sources(seen, labels)),
        moments=tuple(sorted({*labels.moments, *fresh}, key=moment_order)),
        rejected=tuple(rejected),
        books=(*labels.books, Books("read", "observed moments", count, count - beyond, beyond)),
    )


def _what(one: Moment) -> tuple[object, ...]:
    """Return what a moment states, without where it comes from."""
    return (one.kind, one.label, one.start_us, one.end_us, one.tool, one.verb, one.target,
            one.text, one.value, one.box_xyxy)  # fmt: skip


def _sources(seen: VideoEvidence, labels: VideoEvidence) -> tuple[Source, ...]:
    """Return the source files of both, first those of the store, each once."""
    return tuple(dict.fromkeys((*seen.video.sources, *labels.video.sources)))


def _rows(
    labelled_table: InstrumentTable, boxes: InstrumentTable, holds: np.ndarray
) -> tuple[list[Row], Counter[tuple[str, str]]]:
    labelled = _by_sample(labelled_table)
    detected, origins = _by_sample(boxes), boxes.origins()
    rows: list[Row] = []
    dropped: Counter[tuple[str, str]] = Counter()
    for sample, annotated in enumerate(holds.tolist()):
        mine = detected.get(sample, {})
        if annotated == UNKNOWN:
            dropped.update({("unlabelled", label): len(found) for label, found in mine.items()})
            continue
        theirs = labelled.get(annotated, {})
        for label in sorted({*mine, *theirs}):
            found, said = mine.get(label, []), theirs.get(label, [])
            if not said:
                dropped["absent", label] += len(found)
                continue
            rows += _instances(sample, label, found, said, labelled_table, boxes, origins)
            if len(found) > len(said):
                dropped["too_many", label] += len(found) - len(said)
    return rows, dropped


def _instances(
    sample: int, label: str, found: list[int], said: list[int], labelled: InstrumentTable,
    boxes: InstrumentTable, origins: list[str],
) -> list[Row]:  # fmt: skip
    """Return the rows of one class of instruments at one instant.

    Verbs and targets are kept only if it is clear to which instrument they belong.
    """
    pairs = {int(labelled.pairs[row]) for row in said}
    pair = pairs.pop() if len(pairs) == 1 else UNKNOWN
    best = sorted(found, key=lambda row: (-boxes.score[row], *boxes.box_xyxy[row].tolist()))
    rows: list[Row] = [
        (sample, label, tuple(boxes.box_xyxy[row].tolist()), float(boxes.score[row]), pair,
         int(boxes.track[row]), origins[row])
        for row in best[: len(said)]
    ]  # fmt: skip
    nowhere = (float("nan"),) * 4
    rows += [(sample, label, nowhere, 1.0, pair, UNKNOWN, "none")] * (len(said) - len(rows))
    return rows


def _by_sample(table: InstrumentTable) -> dict[int, dict[str, list[int]]]:
    """Return instant -> instrument -> its rows."""
    out: dict[int, dict[str, list[int]]] = {}
    codes = zip(table.sample.tolist(), table.label.tolist(), strict=True)
    for row, (sample, code) in enumerate(codes):
        out.setdefault(sample, {}).setdefault(table.labels[code], []).append(row)
    return out


def _table(
    rows: list[Row], labelled: InstrumentTable, boxes: InstrumentTable, known: np.ndarray
) -> InstrumentTable:
    names = tuple(sorted({row[1] for row in rows}))
    renumbered = np.cumsum(known) - 1
    ordered = sorted(rows, key=lambda r: (r[0], r[1], bool(np.isnan(r[2][0])), r[2], r[5]))
    sample = np.array([renumbered[row[0]] for row in ordered], dtype=np.int32)
    first = np.searchsorted(sample, sample, side="left")
    return InstrumentTable(
        instants_us=boxes.instants_us[known],
        frames=boxes.frames[known],
        sample=sample,
        label=np.array([names.index(row[1]) for row in ordered], dtype=np.int16),
        box_xyxy=np.array([row[2] for row in ordered], dtype=np.float64).reshape(-1, 4),
        score=np.array([row[3] for row in ordered], dtype=np.float64),
        pairs=np.array([row[4] for row in ordered], dtype=np.int16),
        track=np.array([row[5] for row in ordered], dtype=np.int32),
        row=(np.arange(len(sample)) - first).astype(np.int32),
        labels=names,
        pair_sets=labelled.pair_sets,
        box_origin=tuple(row[6] for row in ordered),
        pointer=boxes.pointer,
    )
