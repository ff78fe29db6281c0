"""The evidence tables of one video in Arrow: the rows that answers refer to."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from ontology.evidence_ids import label_id, moment_ids, segment_ids
from ontology.records import UNKNOWN, VideoEvidence, Window
from ontology.rows import EVENTS, LABELS, MOMENTS, SEGMENTS, TRACKS, VIDEOS
from transforms.exports.regions import attribute_texts, mask_texts, regions_table
from transforms.timeline import Timeline


def evidence_tables(
    evidence: VideoEvidence, timeline: Timeline | None, windows: tuple[Window, ...]
) -> dict[str, pa.Table]:
    """The tables of ``evidence/`` for one video, from its reader and from linking tracks."""
    return {
        "videos": _videos(evidence),
        "events": _events(timeline) if timeline else EVENTS.empty_table(),
        "tracks": _tracks(timeline) if timeline else TRACKS.empty_table(),
        "segments": _segments(evidence, windows),
        "regions": regions_table(evidence),
        "labels": _labels(evidence),
        "moments": _moments(evidence),
    }


def _videos(evidence: VideoEvidence) -> pa.Table:
    video = evidence.video
    values = {
        "dataset": video.dataset,
        "video_id": video.video_id,
        "procedure": video.procedure,
        "specialty": video.specialty,
        "fps_num": video.fps.numerator,
        "fps_den": video.fps.denominator,
        "period_us": video.period_us,
        "duration_us": video.duration_us,
        "split_group": video.split_group,
        "media_kind": str(video.media.kind),
        "media_path": video.media.path,
        "width": video.media.width,
        "height": video.media.height,
        "first_picture": video.media.first,
        "licence": video.licence,
        "label_source": video.label_source,
        "vocabulary": list(video.vocabulary),
        "clock": str(video.clock),
        "sources": [{"path": s.path, "sha256": s.sha256} for s in video.sources],
        "annotated": list(_annotated(evidence)),
        "unseen": [{"kind": kind, "start_us": start, "end_us": end}
                   for kind, start, end in evidence.unseen],
    }  # fmt: skip
    return pa.Table.from_pylist([values], schema=VIDEOS)


def _annotated(evidence: VideoEvidence) -> Iterator[dict[str, str | None]]:
    """The kinds and classes annotated at instants; a null label stands for the kind as a whole."""
    instruments = {} if evidence.instruments is None else {"instrument": evidence.instruments}
    for kind, table in (instruments | dict(sorted(evidence.regions.items()))).items():
        yield {"kind": kind, "label": None}
        yield from ({"kind": kind, "label": label} for label in table.labels)


def _constant(value: str, n: int) -> pa.Array:
    return pa.repeat(pa.scalar(value, pa.string()), n)


def _events(timeline: Timeline) -> pa.Table:
    """Rows sorted by (time, label, box); an instant without instruments has a null label."""
    table, video = timeline.table, timeline.video
    seen = np.zeros(len(table.instants_us), dtype=bool)
    seen[table.sample] = True
    empty = np.flatnonzero(~seen)
    n, total = len(table.sample), len(table.sample) + len(empty)
    sample = np.concatenate([table.sample, empty])
    order = np.argsort(sample, kind="stable")
    take = np.where(order < n, order, UNKNOWN)
    sample = sample[order]
    missing = take == UNKNOWN
    pick = np.maximum(take, 0)
    frames = table.frames[sample]
    row = np.where(missing, 0, table.row[pick]) if n else np.zeros(total, dtype=np.int64)
    ids = timeline.event_ids
    columns = {
        "dataset": _constant(video.dataset, total),
        "video_id": _constant(video.video_id, total),
        "event_id": [
            ids[k] if k >= 0 else f"{frame}-none"
            for k, frame in zip(take.tolist(), frames.tolist(), strict=True)
        ],
        "time_us": table.instants_us[sample],
        "frame": frames,
        "label": _named(table.labels, table.label, take),
        "track_id": _named(timeline.tracks.ids, timeline.tracks.of_row, take),
        **_boxes(timeline, take),
        "pairs": _pairs(timeline, take),
        "score": pa.array(table.score[pick], mask=missing) if n else pa.nulls(total, pa.float64()),
        "box_origin": _origins(timeline, take),
        "mask": mask_texts(table, take),
        "attributes": attribute_texts(table, take),
        "source_path": _constant(video.sources[0].path if video.sources else "", total),
        "source_sha256": _constant(video.sources[0].sha256 if video.sources else "", total),
        "pointer": [
            table.pointer.format(frame=frame, row=k)
            for frame, k in zip(frames.tolist(), row.tolist(), strict=True)
        ],
    }
    arrays = [pa.array(columns[f.name], f.type) for f in EVENTS]
    return pa.table(arrays, schema=EVENTS)


def _named(names: tuple[str, ...], codes: np.ndarray, take: np.ndarray) -> list[str | None]:
    values = codes.tolist()
    return [names[values[k]] if k >= 0 else None for k in take.tolist()]


def _boxes(timeline: Timeline, take: np.ndarray) -> dict[str, pa.Array]:
    boxes = timeline.table.box_xyxy
    if not len(boxes):
        return {name: pa.nulls(len(take), pa.float64()) for name in ("x1", "y1", "x2", "y2")}
    none = (take == UNKNOWN) | ~timeline.boxed[np.maximum(take, 0)]
    return {
        name: pa.array(boxes[np.maximum(take, 0), k], mask=none)
        for k, name in enumerate(("x1", "y1", "x2", "y2"))
    }


def _pairs(timeline: Timeline, take: np.ndarray) -> list:
    sets = [
        [{"verb": verb, "target": target} for verb, target in pairs]
        for pairs in timeline.table.pair_sets
    ]
    codes = timeline.table.pairs.tolist()
    return [sets[codes[k]] if k >= 0 and codes[k] != UNKNOWN else None for k in take.tolist()]


def _origins(timeline: Timeline, take: np.ndarray) -> list[str | None]:
    boxed = timeline.boxed.tolist()
    origin = timeline.table.box_origin
    return [None if k < 0 else origin if boxed[k] else "none" for k in take.tolist()]


def _tracks(timeline: Timeline) -> pa.Table:
    table, tracks = timeline.table, timeline.tracks
    many = len(tracks.ids)
    time = table.instants_us[table.sample]
    first = np.full(many, np.iinfo(np.int64).max)
    last = np.full(many, np.iinfo(np.int64).min)
    np.minimum.at(first, tracks.of_row, time)
    np.maximum.at(last, tracks.of_row, time)
    columns = {
        "dataset": _constant(timeline.video.dataset, many),
        "video_id": _constant(timeline.video.video_id, many),
        "track_id": list(tracks.ids),
        "label": [table.labels[code] for code in tracks.label.tolist()],
        "first_us": first,
        "last_us": last,
        "samples": np.bincount(tracks.of_row, minlength=many),
        "linked_by": list(tracks.linked_by),
    }
    return pa.table([pa.array(columns[f.name], f.type) for f in TRACKS], schema=TRACKS)


def _segments(evidence: VideoEvidence, windows: tuple[Window, ...]) -> pa.Table:
    """Spans and windows, sorted by (start, kind, id)."""
    video = evidence.video
    ids = segment_ids(evidence.spans)
    rows = [
        {
            "segment_id": name, "kind": s.kind, "label": s.label, "start_us": s.start_us,
            "end_us": s.end_us, "value": s.value, "rater": s.rater or None,
            "subject": s.subject or None, "sampled_us": s.sampled_us, "origin": s.origin or None,
            "source_path": s.source, "pointer": s.pointer,
        }
        for name, s in zip(ids, evidence.spans, strict=True)
    ]  # fmt: skip
    rows += [
        {"segment_id": w.window_id, "kind": w.kind, "start_us": w.start_us, "end_us": w.end_us}
        for w in windows
    ]
    rows.sort(key=lambda r: (r["start_us"], r["kind"], r["segment_id"]))
    whose = {"dataset": video.dataset, "video_id": video.video_id}
    return pa.Table.from_pylist([{**whose, **row} for row in rows], schema=SEGMENTS)


def _labels(evidence: VideoEvidence) -> pa.Table:
    video = evidence.video
    rows = [
        {
            "dataset": video.dataset, "video_id": video.video_id,
            "label_id": label_id(one),
            "kind": one.kind, "label": one.label, "value": one.value, "rater": one.rater or None,
            "source_path": one.source, "pointer": one.pointer,
        }
        for one in evidence.labels
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, schema=LABELS)


def _moments(evidence: VideoEvidence) -> pa.Table:
    """Rows in the order of :func:`ontology.moments.moment_order`."""
    video = evidence.video
    rows = []
    for name, one in zip(moment_ids(evidence.moments), evidence.moments, strict=True):
        box = one.box_xyxy or (None, None, None, None)
        rows.append({
            "dataset": video.dataset, "video_id": video.video_id, "moment_id": name,
            "kind": one.kind, "label": one.label or None, "start_us": one.start_us,
            "end_us": one.end_us, "resolution_us": one.resolution_us, "tool": one.tool or None,
            "verb": one.verb or None, "target": one.target or None,
            **dict(zip(("x1", "y1", "x2", "y2"), box, strict=True)),
            "group": one.group or None, "value": one.value, "text": one.text or None,
            "origin": one.origin, "source_path": one.source, "pointer": one.pointer,
        })  # fmt: skip
    return pa.Table.from_pylist(rows, schema=MOMENTS)
