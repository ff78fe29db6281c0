"""Converts regions of one video (lesions, landmarks, structures) to an Arrow table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
    columns = instant_columns(evidence.video, table, sample, take)
    tracks = [UNKNOWN if k < 0 else int(table.track[k]) for k in take.tolist()]
    columns |= {
        "region_id": region_ids(kind, columns["frame"], columns["label"]),
        "kind": [kind] * len(take),
        "track_id": [None if track == UNKNOWN else str(track) for track in tracks],
    }
    return video_table(REGIONS, evidence.video, columns, len(take))


def instant_columns(
    video: Video, table: InstrumentTable, sample: np.ndarray, take: np.ndarray
) -> dict[str, Any]:
    """Return the columns that instruments and regions share, one row for each of ``take``.

    Args:
        sample, take: see :func:`with_empty_instants`.
    """
    missing, frames, origins = take == UNKNOWN, table.frames[sample].tolist(), table.origins()
    pick, nothing = np.maximum(take, 0), np.full((len(take), len(CORNERS)), np.nan)
    boxes = table.box_xyxy[pick] if len(table.box_xyxy) else nothing
    none = missing | ~np.isfinite(boxes).all(axis=1)
    scores = table.score[pick] if len(table.score) else nothing[:, 0]
    rows = [0 if k < 0 else int(table.row[k]) for k in take.tolist()]
    return {
        "time_us": table.instants_us[sample],
        "frame": frames,
        "label": [None if k < 0 else table.labels[table.label[k]] for k in take.tolist()],
        "score": pa.array(scores, mask=missing),
        "box_origin": [None if k < 0 else origins[k] for k in take.tolist()],
        "mask": mask_texts(table, take),
        "attributes": attribute_texts(table, take),
        **{name: pa.array(boxes[:, k], mask=none) for k, name in enumerate(CORNERS)},
        **place_columns(video, table, frames, rows),
    }  # fmt: skip


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
