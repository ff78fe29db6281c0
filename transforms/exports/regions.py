"""Converts regions of one video (lesions, landmarks, structures) to an Arrow table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import orjson
import pyarrow as pa

from surgqa.ontology.evidence_ids import region_ids
from surgqa.ontology.records import UNKNOWN, InstrumentTable, Video, VideoEvidence
from surgqa.ontology.rows import REGIONS
from surgqa.transforms.exports.parquet import video_table

CORNERS = ("x1", "y1", "x2", "y2")


def regions_table(evidence: VideoEvidence) -> pa.Table:
    """Return the table of regions, sorted; a time without regions has a row with a null label."""
    tables = [_kind(evidence, kind, evidence.regions[kind]) for kind in sorted(evidence.regions)]
    return pa.concat_tables(tables) if tables else REGIONS.empty_table()


def _kind(evidence: VideoEvidence, kind: str, table: InstrumentTable) -> pa.Table:
    sample, take = with_empty_instants(table)
    video, frames = evidence.video, table.frames[sample].tolist()
    labels = [None if k < 0 else table.labels[table.label[k]] for k in take.tolist()]
    boxes = [None if k < 0 else table.box_xyxy[k] for k in take.tolist()]
    boxed = [box is not None and bool(np.isfinite(box).all()) for box in boxes]
    origins = table.origins()
    rows = [0 if k < 0 else int(table.row[k]) for k in take.tolist()]
    tracks = [UNKNOWN if k < 0 else int(table.track[k]) for k in take.tolist()]
    columns: dict[str, object] = {
        "region_id": region_ids(kind, frames, labels),
        "kind": [kind] * len(take),
        "time_us": table.instants_us[sample],
        "frame": frames,
        "label": labels,
        "track_id": [None if track == UNKNOWN else str(track) for track in tracks],
        "score": [None if k < 0 else float(table.score[k]) for k in take.tolist()],
        "box_origin": [None if k < 0 else origins[k] for k in take.tolist()],
        "mask": mask_texts(table, take),
        "attributes": attribute_texts(table, take),
        **place_columns(evidence.video, table, frames, rows),
    }
    for place, name in enumerate(CORNERS):
        columns[name] = [
            float(box[place]) if has and box is not None else None
            for box, has in zip(boxes, boxed, strict=True)
        ]
    return video_table(REGIONS, video, columns, len(take))


def place_columns(
    video: Video, table: InstrumentTable, frames: Sequence[int], rows: Sequence[int]
) -> dict[str, list[str]]:
    """Return the columns that state the source of each row, and the position of the row in it.

    Args:
        rows: the row of each frame in ``table.row``; 0 for a frame without rows.
    """
    first = video.sources[0].path if video.sources else ""
    digests = {source.path: source.sha256 for source in video.sources}
    places = [
        table.places.get((frame, row)) or (first, table.pointer.format(frame=frame, row=row))
        for frame, row in zip(frames, rows, strict=True)
    ]
    return {
        "source_path": [path for path, _ in places],
        "source_sha256": [digests.get(path, "") for path, _ in places],
        "pointer": [pointer for _, pointer in places],
    }


def with_empty_instants(table: InstrumentTable) -> tuple[np.ndarray, np.ndarray]:
    """Return the order of a table's rows by time, with one more row for each time without rows.

    Returns:
        ``sample`` (R,): index of the time; ``take`` (R,): index of the row, or UNKNOWN.
    """
    empty = np.setdiff1d(np.arange(len(table.instants_us)), table.sample)
    sample = np.concatenate([table.sample, empty]).astype(np.int64)
    order = np.argsort(sample, kind="stable")
    return sample[order], np.where(order < len(table.sample), order, UNKNOWN)


def mask_texts(table: InstrumentTable, take: np.ndarray) -> pa.Array:
    """Return the masks of the rows ``take``; null for UNKNOWN and for rows without a mask."""
    if not table.masks:
        return pa.nulls(len(take), pa.string())
    found = [table.masks[k] if k >= 0 else "" for k in take.tolist()]
    return pa.array([mask or None for mask in found], pa.string())


def attribute_texts(table: InstrumentTable, take: np.ndarray) -> pa.Array:
    """Return further annotated attributes of the rows ``take``, as canonical JSON."""
    if not table.attributes:
        return pa.nulls(len(take), pa.string())
    return pa.array([_attributes(table, k) for k in take.tolist()], pa.string())


def _attributes(table: InstrumentTable, row: int) -> str | None:
    if row < 0:
        return None
    values: dict[str, object] = {}
    for attribute in table.attributes:
        value = float(attribute.values[row])
        if not np.isnan(value):
            values[attribute.name] = attribute.words[int(value)] if attribute.words else value
    return orjson.dumps(values, option=orjson.OPT_SORT_KEYS).decode() if values else None
