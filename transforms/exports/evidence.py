"""Converts the evidence of one video to the Arrow tables of ``evidence/``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from surgqa.ontology import rows as schemas
from surgqa.ontology.evidence_ids import event_ids, label_id, moment_ids, segment_ids
from surgqa.ontology.keys import digest
from surgqa.ontology.records import UNKNOWN, Video, VideoEvidence, Window
from surgqa.transforms.exports.parquet import video_table
from surgqa.transforms.exports.regions import (
    CORNERS,
    instant_columns,
    regions_table,
    with_empty_instants,
)
from surgqa.transforms.timeline import Timeline
from surgqa.transforms.timeline.relation import NONE, Relation
from surgqa.transforms.timeline.relation.table import INFINITE

SPARSE = {"rater", "subject", "origin", "tool", "verb", "target", "group", "text"}
"""Columns in which an empty text is written as null."""


def evidence_tables(
    evidence: VideoEvidence, timeline: Timeline | None, windows: tuple[Window, ...]
) -> dict[str, pa.Table]:
    """Return the raw tables of ``evidence/`` for one video, by name."""
    return {
        "videos": _videos(evidence),
        "events": _events(timeline) if timeline else schemas.EVENTS.empty_table(),
        "tracks": _tracks(timeline) if timeline else schemas.TRACKS.empty_table(),
        "segments": _segments(evidence, windows),
        "regions": regions_table(evidence),
        "labels": _labels(evidence),
        "moments": _moments(evidence),
    }


def _videos(evidence: VideoEvidence) -> pa.Table:
    video = evidence.video
    own = {name: getattr(video, name) for name in schemas.VIDEOS.names if name in video.__slots__}
    values = own | {
        "fps_num": video.fps.numerator, "fps_den": video.fps.denominator,
        "media_kind": str(video.media.kind), "media_path": video.media.path,
        "width": video.media.width, "height": video.media.height,
        "first_picture": video.media.first,
        "media_sha256": video.media.sha256,
        "vocabulary": list(video.vocabulary),
        "clock": str(video.clock),
        "sources": [{"path": s.path, "sha256": s.sha256} for s in video.sources],
        "annotated": list(_annotated(evidence)),
        "unseen": [{"kind": kind, "start_us": start, "end_us": end}
                   for kind, start, end in evidence.unseen],
    }  # fmt: skip
    return pa.Table.from_pylist([values], schema=schemas.VIDEOS)


def _annotated(evidence: VideoEvidence) -> Iterator[dict[str, str | None]]:
    """Yield (kind, label) of what was annotated at single instants; null: the whole kind."""
    instruments = {} if evidence.instruments is None else {"instrument": evidence.instruments}
    for kind, table in (instruments | dict(sorted(evidence.regions.items()))).items():
        yield {"kind": kind, "label": None}
        yield from ({"kind": kind, "label": label} for label in table.labels)


def _events(timeline: Timeline) -> pa.Table:
    """Return the sorted table of events; a time without instruments has a null label."""
    table, video, ids = timeline.table, timeline.video, timeline.event_ids
    sample, take = with_empty_instants(table)
    columns = instant_columns(video, table, sample, take)
    missing = table.frames[sample[take == UNKNOWN]].tolist()
    empty = iter(event_ids(missing, [None] * len(missing)))
    columns |= {
        "event_id": [ids[k] if k >= 0 else next(empty) for k in take.tolist()],
        "track_id": _track_ids(timeline, take),
        "pairs": _pairs(timeline, take),
    }  # fmt: skip
    return video_table(schemas.EVENTS, video, columns, len(take))


def _track_ids(timeline: Timeline, take: np.ndarray) -> list[str | None]:
    of_row, ids = timeline.tracks.of_row.tolist(), timeline.tracks.ids
    return [ids[of_row[k]] if k >= 0 else None for k in take.tolist()]


def _pairs(timeline: Timeline, take: np.ndarray) -> list:
    sets = [
        [{"verb": verb, "target": target} for verb, target in pairs]
        for pairs in timeline.table.pair_sets
    ]
    codes = timeline.table.pairs.tolist()
    return [sets[codes[k]] if k >= 0 and codes[k] != UNKNOWN else None for k in take.tolist()]


def _tracks(timeline: Timeline) -> pa.Table:
    table, tracks = timeline.table, timeline.tracks
    many = len(tracks.ids)
    time = table.instants_us[table.sample]
    first = np.full(many, np.iinfo(np.int64).max)
    last = np.full(many, np.iinfo(np.int64).min)
    np.minimum.at(first, tracks.of_row, time)
    np.maximum.at(last, tracks.of_row, time)
    columns = {
        "track_id": list(tracks.ids),
        "label": [table.labels[code] for code in tracks.label.tolist()],
        "first_us": first,
        "last_us": last,
        "samples": np.bincount(tracks.of_row, minlength=many),
        "linked_by": list(tracks.linked_by),
    }
    return video_table(schemas.TRACKS, timeline.video, columns, many)


def _rows(
    schema: pa.Schema, video: Video, things: Iterable[Any], ids: Iterable[str], id_name: str
) -> list[dict[str, Any]]:
    """Return a row for each record, with the record's attributes as columns."""
    rows, names = [], set(schema.names)
    for thing, name in zip(things, ids, strict=True):
        row = {"dataset": video.dataset, "video_id": video.video_id, id_name: name,
                "source_path": thing.source}  # fmt: skip
        for column in names.intersection(thing.__slots__):
            value = getattr(thing, column)
            row[column] = None if value == "" and column in SPARSE else value
        rows.append(row)
    return rows


def _segments(evidence: VideoEvidence, windows: tuple[Window, ...]) -> pa.Table:
    """Return the table of labelled intervals and windows, sorted by (start, kind, id)."""
    video, spans = evidence.video, evidence.spans
    rows = _rows(schemas.SEGMENTS, video, spans, segment_ids(spans), "segment_id")
    rows += [
        {"dataset": video.dataset, "video_id": video.video_id, "segment_id": w.window_id,
         "kind": w.kind, "start_us": w.start_us, "end_us": w.end_us}
        for w in windows
    ]  # fmt: skip
    rows.sort(key=lambda r: (r["start_us"], r["kind"], r["segment_id"]))
    return pa.Table.from_pylist(rows, schema=schemas.SEGMENTS)


def _labels(evidence: VideoEvidence) -> pa.Table:
    ids = map(label_id, evidence.labels)
    rows = _rows(schemas.LABELS, evidence.video, evidence.labels, ids, "label_id")
    return pa.Table.from_pylist(rows, schema=schemas.LABELS)


def _moments(evidence: VideoEvidence) -> pa.Table:
    """Return the table of moments, in the order of :func:`ontology.moments.moment_order`."""
    moments = evidence.moments
    rows = _rows(schemas.MOMENTS, evidence.video, moments, moment_ids(moments), "moment_id")
    for row, one in zip(rows, moments, strict=True):
        row |= zip(CORNERS, one.box_xyxy or (None,) * 4, strict=True)
        row["label"] = one.label or None
    return pa.Table.from_pylist(rows, schema=schemas.MOMENTS)


IDENTITY = (
    "kind", "label", "subject", "track", "verb", "target", "rater", "origin", "s_us", "e_us",
)  # fmt: skip
"""The columns that identify a fact."""


def fact_tables(relation: Relation, video: Video) -> dict[str, pa.Table]:
    """Return the tables that proofs use (facts, holes, ...) of one video, by name."""
    instants = relation.instants.get(0, np.zeros(0, np.int64))
    boxes = np.asarray(relation.samples["box"], np.float64).reshape(-1, 4)
    tables = {
        "facts": (schemas.FACTS, _facts(relation)),
        "holes": (schemas.HOLES, _holes(relation)),
        "looked": (schemas.LOOKED, _looked(relation)),
        "samples": (schemas.SAMPLES, {
            "track": _names(relation, relation.samples["track"]),
            "time_us": relation.samples["t"],
            **{name: boxes[:, k] for k, name in enumerate(CORNERS)},
        }),
        "instants": (schemas.INSTANTS, {"time_us": instants}),
    }  # fmt: skip
    return {name: video_table(schema, video, columns, len(next(iter(columns.values()))))
            for name, (schema, columns) in tables.items()}  # fmt: skip


def _names(relation: Relation, codes: np.ndarray) -> list[str | None]:
    names = relation.codes.names
    return [names[code] if code != NONE else None for code in codes.tolist()]


def _facts(relation: Relation) -> dict[str, Sequence]:
    facts = relation.facts
    columns: dict[str, Sequence] = {}
    for field in schemas.FACTS.names:
        own = field.removesuffix("_us")
        if pa.types.is_string(schemas.FACTS.field(field).type) and own in facts.__slots__:
            columns[field] = _names(relation, getattr(facts, own))
        elif own in facts.__slots__:
            columns[field] = getattr(facts, own)
    columns["value_lo"], columns["value_hi"] = (
        pa.array(getattr(facts, name), mask=np.isnan(getattr(facts, name)))
        for name in ("value_lo", "value_hi")
    )
    identity = zip(*(np.asarray(columns[name]).tolist() for name in IDENTITY), strict=True)
    columns["fact_id"] = [digest("fact", *map(str, one))[:16] for one in identity]
    columns["marks"] = [_marks(relation, proof) for proof in facts.proof.tolist()]
    return columns


def _marks(relation: Relation, proof: int) -> list[dict[str, str]]:
    if proof < 0:
        return []
    table, rows = relation.proofs[proof]
    return [{"kind": table, "id": row} for _, row in rows]


def _holes(relation: Relation) -> dict[str, Sequence]:
    holes = relation.holes
    return {
        **{name: _names(relation, getattr(holes, name)) for name in ("kind", "label", "subject")},
        "u0_us": holes.u0,
        "u1_us": holes.u1,
        "floor_us": pa.array(holes.floor, mask=holes.floor == INFINITE),
    }


def _looked(relation: Relation) -> dict[str, Sequence]:
    rows: list[tuple[str, str | None, list[str] | None]] = [
        (kind, None, None) for _, kind in sorted(relation.looked)
    ]
    for (_, kind), fields in sorted(relation.looked_for.items()):
        rows += [(kind, field, sorted(fields[field])) for field in sorted(fields)]
    kinds, fields_, ids = (
        (list(column) for column in zip(*rows, strict=True)) if rows else ([],) * 3
    )
    return {"kind": kinds, "field": fields_, "ids": ids}
