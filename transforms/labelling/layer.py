"""Corrections as layers over the observed boxes; the observed evidence is never changed.

::

    STORE/layers/<layer>/layer.json            reviewer, date, tool, reviewed frames, row counts
    STORE/layers/<layer>/<video_id>.parquet    boxes after review; deleted ones unchanged
    STORE/layers/<layer>/rejected.jsonl        entries that were changed or rejected, if any

A layer is named after its round and import, ``001-01``; later layers override earlier ones.  It
is about the content that the reviewer saw: if the video's file has changed, it does not apply.  A
frame is reviewed as a whole, so an empty frame is known to be empty.  A frame with a click is not
complete until a model has outlined the clicked object and a person has reviewed the outline.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from typing_extensions import TypedDict

from surgqa.ontology.files import listed, read_bytes
from surgqa.ontology.guarded import read_as
from surgqa.transforms.labelling.matching import Action, MatchedFile, ReviewedFrame
from surgqa.transforms.labelling.settings import NO_RECORD
from surgqa.transforms.places import below, write_whole
from surgqa.transforms.store.evidence import stored_schema

FOLDER, RECORD, REJECTS = "layers", "layer.json", "rejected.jsonl"
MANUAL = "manual"
ORDER = ("time_us", "kind", "label", "x1", "y1", "x2", "y2")
SETTINGS = {"compression": "zstd", "compression_level": 3, "version": "2.6", "store_schema": False}

CORRECTIONS = pa.schema(
    [
        *stored_schema("boxes"),
        pa.field("box_id", pa.string()),  # id of the exported box, or a new one for an added box
        pa.field("action", pa.string()),  # confirmed, moved, relabelled, added, clicked, deleted
        pa.field("reviewer", pa.string()),
        pa.field("date", pa.string()),  # ISO date from the reviewer
    ]
)
"""Rows of a layer: boxes after review, with reviewer and date; a click has equal corners."""

NO_BOX = pa.array([str(Action.DELETED), str(Action.CLICKED)])
"""Actions that leave no box."""


@dataclass(frozen=True, slots=True)
class LayerSignature:
    """Where the corrections of a layer come from.

    Attributes:
        date: ISO date, given by the user; the clock is not used.
        tool: name of the format.
        source_sha256: digest of the imported file.
        part: ``training`` or ``held_out``.
    """

    round: int
    reviewer: str
    date: str
    tool: str
    source_sha256: str
    part: str


@dataclass(frozen=True, slots=True, eq=False)
class VideoLayer:
    """The corrections of one layer for one video.

    Attributes:
        name: name of the layer.
        part: ``training`` or ``held_out``.
        rows: schema CORRECTIONS.
        reviewed: frame number of each reviewed instant (microseconds).
    """

    name: str
    part: str
    rows: pa.Table
    reviewed: Mapping[int, int]

    @property
    def clicked(self) -> set[int]:
        """Instants with a click, whose boxes are incomplete."""
        clicks = self.rows.filter(pc.equal(self.rows["action"], str(Action.CLICKED)))
        return set(clicks["time_us"].to_pylist())


def write_layer(store: Path, name: str, signature: LayerSignature, imported: MatchedFile) -> Path:
    """Write a layer; its record is written last, so that an incomplete layer does not count.

    Returns:
        The layer's folder.
    """
    folder = store / FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    by_video: dict[str, list[ReviewedFrame]] = {}
    for one in imported.reviewed:
        by_video.setdefault(one.frame.video_id, []).append(one)
    reviewed: dict[str, dict[str, Any]] = {}
    for video_id, frames in sorted(by_video.items()):
        frames.sort(key=lambda one: one.frame.time_us)
        reviewed[video_id] = {
            "times_us": [one.frame.time_us for one in frames],
            "frames": [one.frame.frame for one in frames],
            "medium": frames[0].frame.medium,
        }
        rows = _rows(frames, signature)
        pq.write_table(rows, below(folder, f"{video_id}.parquet"), use_dictionary=False, **SETTINGS)
    lines = b"".join(
        orjson.dumps(asdict(one), option=orjson.OPT_APPEND_NEWLINE) for one in imported.rejects
    )
    if lines:
        (folder / REJECTS).write_bytes(lines)
    else:
        (folder / REJECTS).unlink(missing_ok=True)
    record = {
        **asdict(signature),
        "reviewed": reviewed,
        "not_reviewed": imported.not_reviewed,
        "frames": asdict(imported.frames),
        "boxes": asdict(imported.boxes),
        "labels": actions_by_label(imported.reviewed),
        "rejected": dict(sorted(Counter(str(one.code) for one in imported.rejects).items())),
    }
    write_whole(folder / RECORD, orjson.dumps(record, option=orjson.OPT_INDENT_2))
    return folder


def actions_by_label(frames: Iterable[ReviewedFrame]) -> dict[str, dict[str, int]]:
    """Return, for each label after review and action, the number of boxes."""
    out: dict[str, dict[str, int]] = {}
    pairs = Counter((c.box.label, str(c.action)) for one in frames for c in one.corrections)
    for (label, action), count in sorted(pairs.items()):
        out.setdefault(label, {})[action] = count
    return out


def _rows(frames: Sequence[ReviewedFrame], signature: LayerSignature) -> pa.Table:
    rows = [
        {
            **{name: getattr(box, name) for name in
               ("kind", "label", "score", "visibility", "state", "track", "box_id")},
            **dict(zip(("x1", "y1", "x2", "y2"), box.box_xyxy, strict=True)),
            "time_us": one.frame.time_us, "frame": one.frame.frame, "action": str(action),
            "origin": "detector" if action is Action.DELETED else MANUAL,
            "reviewer": signature.reviewer, "date": signature.date,
        }
        for one in frames for action, box in ((c.action, c.box) for c in one.corrections)
    ]  # fmt: skip
    table = pa.Table.from_pylist(rows, CORRECTIONS)
    return table.sort_by([(name, "ascending") for name in (*ORDER, "box_id")])


def layer_names(store: Path) -> list[str]:
    """Return the names of the finished layers, oldest first."""
    folder = store / FOLDER
    if not folder.is_dir():
        return []
    return [one.name for one in listed(folder) if (one / RECORD).is_file()]


def layer_record(store: Path, name: str) -> dict[str, Any]:
    """Return the content of ``layer.json``.

    Raises:
        OutputBroken: the record cannot be read.
    """
    path = store / FOLDER / name / RECORD
    return dict(read_as(_Record, read_bytes(path, str(path)), str(path), NO_RECORD))


class _Reviewed(TypedDict):
    times_us: list[int]
    frames: list[int]
    medium: str


class _Record(TypedDict, extra_items=Any):  # type: ignore[call-arg]
    part: str
    reviewed: dict[str, _Reviewed]


def layers_of(store: Path, video_id: str, medium: str) -> list[VideoLayer]:
    """Return the layers with reviewed frames of a video, oldest first.

    Args:
        medium: SHA-256 of the video's content; layers about another content are left out.
    """
    found = []
    for name in layer_names(store):
        record = layer_record(store, name)
        reviewed = record["reviewed"].get(video_id)
        if reviewed is None or reviewed["medium"] != medium:
            continue
        rows = pq.read_table(below(store / FOLDER / name, f"{video_id}.parquet"))
        instants = dict(zip(reviewed["times_us"], reviewed["frames"], strict=True))
        found.append(VideoLayer(name, record["part"], rows.cast(CORRECTIONS), instants))
    return found


def corrected(boxes: pa.Table, layers: Sequence[VideoLayer]) -> pa.Table:
    """Return the observed boxes, overridden by corrections.

    At a reviewed instant, the boxes of the last layer that reviewed it replace all observed boxes;
    their origin is ``manual``.

    Args:
        boxes: rows of the schema BOXES, with or without its transient columns.
        layers: oldest first.

    Returns:
        The same columns, in the schema's order of rows.
    """
    last = _last(layers)
    rows = valid_rows(layers)
    good = rows.filter(pc.invert(pc.is_in(rows["action"], NO_BOX)))
    pieces = [boxes.filter(pc.invert(_at(boxes, last))), _like(good, boxes.schema)]
    whole = pa.concat_tables(pieces).combine_chunks()
    return whole.sort_by([(name, "ascending") for name in ORDER])


def valid_rows(layers: Sequence[VideoLayer]) -> pa.Table:
    """Rows of every reviewed instant, from the last layer that reviewed it; schema CORRECTIONS."""
    last = _last(layers)
    pieces = [
        layer.rows.filter(_at(layer.rows, [t for t, owner in last.items() if owner is layer]))
        for layer in layers
    ]
    return pa.concat_tables([CORRECTIONS.empty_table(), *pieces])


def settled(layers: Sequence[VideoLayer]) -> list[int]:
    """Return instants whose boxes are all known, in microseconds, ascending."""
    return sorted(time_us for time_us, one in _last(layers).items() if time_us not in one.clicked)


def clicks(layers: Sequence[VideoLayer]) -> pa.Table:
    """Return the clicks among :func:`valid_rows`, sorted by time and label; schema CORRECTIONS."""
    rows = valid_rows(layers)
    found = rows.filter(pc.equal(rows["action"], str(Action.CLICKED)))
    return found.sort_by([(name, "ascending") for name in ORDER])


def _last(layers: Sequence[VideoLayer]) -> dict[int, VideoLayer]:
    """Return, for each reviewed instant, the last layer that reviewed it."""
    return {time_us: one for one in layers for time_us in one.reviewed}


def _at(table: pa.Table, times_us: Iterable[int]) -> pa.ChunkedArray:
    return pc.is_in(table["time_us"], pa.array(sorted(times_us), pa.int64()))


def _like(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    columns = [
        rows[field.name] if field.name in rows.column_names
        else pa.nulls(rows.num_rows, field.type)
        for field in schema
    ]  # fmt: skip
    return pa.table(columns, schema=schema)


def truth_of(layers: Sequence[VideoLayer], part: str) -> dict[int, list[dict[str, Any]]]:
    """Return, for the reviewed instants of one part, their boxes; an empty list if nothing is
    visible.

    Instants with a click are left out: they would teach the detector that nothing is there.
    """
    truth: dict[int, list[dict[str, Any]]] = {}
    for layer in (one for one in layers if one.part == part):
        for time_us in layer.reviewed:
            truth[time_us] = []
        for time_us in layer.clicked:
            del truth[time_us]
        for row in layer.rows.to_pylist():
            if row["time_us"] in truth and row["action"] != str(Action.DELETED):
                truth[row["time_us"]].append(row)
    return dict(sorted(truth.items()))
