"""Reads ``evidence/`` video by video, in one pass over each table.

The tables are sorted by (dataset, video_id). All tables are read at the same time in this order, so
no more than one video is in memory. Its events and moments must be valid, and its tracks must agree
with its events.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from surgqa.ontology.errors import OtherVersion, OutputBroken
from surgqa.ontology.rows import EVIDENCE_TABLES
from surgqa.transforms.checks.evidence import Box, Event, MomentRow, Pairs, VideoView
from surgqa.transforms.places import Place
from surgqa.transforms.store.folder import OutputFolder, readable

Problem = tuple[str, str]


def video_problems(video: VideoView, sources: set[tuple[str, str]]) -> Iterator[Problem]:
    """Yield (code, detail) for every error in a video's tables.

    Args:
        sources: path and SHA-256 digest of each label file that the video's events name.
    """
    yield from _event_problems(video)
    yield from _track_problems(video)
    yield from _moment_problems(video)
    known = {(one["path"], one["sha256"]) for one in video.header["sources"] or ()}
    for path, digest in sorted(sources - known):
        yield "source_unlisted", f"{video.key}: {path} {digest}"


def sources_of(events: pa.Table | None) -> set[tuple[str, str]]:
    """Return path and SHA-256 digest of each label file that a video's events name."""
    if events is None:
        return set()
    found = events.group_by(["source_path", "source_sha256"]).aggregate([])
    paths, digests = (found.column(n).to_pylist() for n in ("source_path", "source_sha256"))
    return set(zip(paths, digests, strict=True))


def _event_problems(video: VideoView) -> Iterator[Problem]:
    for event in video.events:
        wrong = _impossible(event, video)
        if wrong:
            yield "event_malformed", f"{video.key} event {event.event_id}: {wrong}"
    if video.event_ids != len(video.events) + _empty(video):
        yield "event_malformed", f"{video.key}: event ids repeat"


def _empty(video: VideoView) -> int:
    """Return the number of annotated times without an instrument; each has one row of its own."""
    return len(video.instants) - len({event.time_us for event in video.events})


def _impossible(event: Event, video: VideoView) -> str | None:
    if event.label not in video.vocabulary:
        return f"class {event.label!r} is not in the video's vocabulary"
    if not 0 <= event.time_us < video.duration_us:
        return f"time {event.time_us} is outside the video"
    if not event.track_id:
        return "no track"
    if event.pairs is not None and (not event.pairs or list(event.pairs) != sorted(event.pairs)):
        return f"pairs {event.pairs} are empty or not sorted"
    return _outside(event.box)


def _outside(box: Box | None) -> str | None:
    if box is None or (0 <= box[0] < box[2] <= 1 and 0 <= box[1] < box[3] <= 1):
        return None
    return f"box {list(box)} is not inside the frame"


def _moment_problems(video: VideoView) -> Iterator[Problem]:
    seen: set[str] = set()
    for one in video.moments:
        shown = f"{video.key} moment {one.id}"
        if one.id in seen:
            yield "moment_malformed", f"{shown}: its id repeats"
        seen.add(one.id)
        if not 0 <= one.start_us <= one.end_us <= video.duration_us or one.resolution_us < 0:
            times = [one.start_us, one.end_us, one.resolution_us]
            yield "moment_malformed", f"{shown}: times {times} in {video.duration_us} us"
        if wrong := _outside(one.box):
            yield "moment_malformed", f"{shown}: {wrong}"


def _track_problems(video: VideoView) -> Iterator[Problem]:
    found: dict[str, list[Event]] = {}
    for event in video.events:
        found.setdefault(event.track_id, []).append(event)
    for track_id in sorted(set(found) | set(video.tracks), key=str):
        samples = found.get(track_id, [])
        times = [sample.time_us for sample in samples]
        if len(set(times)) != len(times):
            yield "track_differs", f"{video.key} track {track_id}: two samples at one instant"
        real = (samples[0].label, times[0], times[-1], len(times)) if samples else None
        kept = video.tracks[track_id][:4] if track_id in video.tracks else None
        if real != kept or len({sample.label for sample in samples}) > 1:
            yield "track_differs", f"{video.key} track {track_id}: kept {kept}, events say {real}"


Key = tuple[str, str]
BATCH = 16_384
KEY = ["dataset", "video_id"]
EVENT = ["event_id", "time_us", "label", "track_id", "x1", "y1", "x2", "y2", "pairs"]
ORIGIN = ["source_path", "source_sha256"]
TRACK = ["track_id", "label", "first_us", "last_us", "samples", "linked_by"]
MOMENT = ["moment_id", "start_us", "end_us", "resolution_us", "x1", "y1", "x2", "y2"]
READ: Mapping[str, list[str]] = MappingProxyType({
    "events": [*EVENT, *ORIGIN],
    "tracks": TRACK,
    "moments": MOMENT,
})  # fmt: skip
"""Table that is read video by video -> the columns that are used."""
LATER = ("moments",)
"""Tables that outputs of earlier versions lack."""


class ByVideo:
    """Reads one table of evidence video by video, in ascending order.

    Args:
        folder: the dataset's folder.
        kind: a key of :data:`READ`.

    Raises:
        OutputBroken: the table lacks a column, is not sorted by dataset and video, or is missing
            (although :data:`LATER` does not list it).
    """

    def __init__(self, folder: OutputFolder, kind: str) -> None:
        self._name = f"evidence/{kind}.parquet"
        later = kind in LATER and not (folder.path / self._name).is_file()
        self._groups: Iterator[tuple[Key, pa.Table]] = (
            iter(()) if later else _groups(evidence_file(folder, kind), [*KEY, *READ[kind]])
        )
        self._next: tuple[Key, pa.Table] | None = next(self._groups, None)

    def take(self, key: Key) -> pa.Table | None:
        """Return the rows of a video, or None if it has none; calls must be in ascending order."""
        while self._next is not None and self._next[0] < key:
            self._advance()
        if self._next is None or self._next[0] != key:
            return None
        found = self._next[1]
        self._advance()
        return found

    def _advance(self) -> None:
        last = self._next[0] if self._next else None
        self._next = next(self._groups, None)
        if self._next is not None and last is not None and self._next[0] <= last:
            raise OutputBroken(
                f"{self._name} is not in order",
                expected="rows sorted by dataset and video_id",
                found=f"{'/'.join(self._next[0])} after {'/'.join(last)}",
                where=self._name,
                fix="build the dataset again; do not edit its tables",
            )


def evidence_file(folder: OutputFolder, kind: str) -> Place:
    """Return the path of an evidence table that has all required columns.

    Raises:
        OutputBroken: the table is missing or lacks a column.
    """
    path = folder.path / "evidence" / f"{kind}.parquet"
    if not path.is_file():
        raise OutputBroken(
            f"evidence/{kind}.parquet is missing",
            where=str(folder.path),
            fix="build the dataset again; evidence is part of every build",
        )
    missing = sorted(set(EVIDENCE_TABLES[kind].names) - set(pq.read_schema(readable(path)).names))
    if missing:
        raise OtherVersion(
            f"evidence/{kind}.parquet lacks columns",
            expected=", ".join(EVIDENCE_TABLES[kind].names),
            found=f"no {', '.join(missing)}",
            where=str(path),
            fix="check the dataset with the version of surgqa that built it",
        )
    return path


def _groups(path: Place, columns: list[str]) -> Iterator[tuple[Key, pa.Table]]:
    key: Key | None = None
    parts: list[pa.RecordBatch] = []
    for batch in pq.ParquetFile(readable(path)).iter_batches(batch_size=BATCH, columns=columns):
        for now, part in runs_of(batch):
            if now != key and key is not None:
                yield key, pa.Table.from_batches(parts)
                parts = []
            key = now
            parts.append(part)
    if key is not None:
        yield key, pa.Table.from_batches(parts)


def runs_of(batch: pa.RecordBatch) -> Iterator[tuple[Key, pa.RecordBatch]]:
    """Yield, for each video of a batch or table, its key and its rows."""
    datasets, videos = (batch.column(name).to_pylist() for name in KEY)
    start = 0
    for row in range(1, len(videos) + 1):
        if row == len(videos) or videos[row] != videos[start] or datasets[row] != datasets[start]:
            yield (datasets[start], videos[start]), batch.slice(start, row - start)
            start = row


def headers(folder: OutputFolder) -> dict[Key, dict[str, Any]]:
    """Return the rows of ``evidence/videos`` by (dataset, video_id), sorted."""
    rows = pq.read_table(readable(evidence_file(folder, "videos"))).to_pylist()
    return {(row["dataset"], row["video_id"]): row for row in sorted(rows, key=_key)}


def _key(row: dict[str, Any]) -> Key:
    return row["dataset"], row["video_id"]


def view_of(header: dict[str, Any], tables: Mapping[str, pa.Table | None]) -> VideoView:
    """Return the rows of one video in every table of :data:`READ` as plain Python objects."""
    events = tables["events"]
    listed = [] if events is None else list(_events(events))
    instants = [] if events is None else sorted(set(events.column("time_us").to_pylist()))
    listed.sort(key=lambda event: event.time_us)
    return VideoView(
        key="/".join(_key(header)),
        period_us=header["period_us"],
        duration_us=header["duration_us"],
        vocabulary=frozenset(header["vocabulary"] or ()),
        header=header,
        instants=instants,
        events=listed,
        tracks={row[0]: row[1:] for row in _rows(tables["tracks"], TRACK)},
        moments=list(_moments(tables.get("moments"))),
        event_ids=0 if events is None else pc.count_distinct(events.column("event_id")).as_py(),
    )


def _moments(table: pa.Table | None) -> Iterator[MomentRow]:
    for name, start, end, resolution, *box in _rows(table, MOMENT):
        yield MomentRow(name, start, end, resolution, _box(*box))


def _box(x1: float | None, y1: Any, x2: Any, y2: Any) -> Box | None:
    return None if x1 is None or math.isnan(x1) else (x1, y1, x2, y2)


def _rows(table: pa.Table | None, columns: list[str]) -> Iterator[tuple]:
    if table is not None:
        yield from zip(*(table.column(name).to_pylist() for name in columns), strict=True)


def _events(table: pa.Table) -> Iterator[Event]:
    plain = [name for name in EVENT if name != "pairs"]
    pairs = _pairs(table.column("pairs"))
    for row, doing in zip(_rows(table, plain), pairs, strict=True):
        event_id, time_us, label, track_id, x1, y1, x2, y2 = row
        if label is not None:
            yield Event(event_id, time_us, label, track_id or "", _box(x1, y1, x2, y2), doing)


def _pairs(column: pa.ChunkedArray) -> Iterator[Pairs | None]:
    for chunk in column.chunks:
        inner = chunk.flatten()  # flatten() respects the offsets of a sliced list
        verbs, targets = inner.field("verb").to_pylist(), inner.field("target").to_pylist()
        at = 0
        for count in chunk.value_lengths().to_pylist():
            if count is None:
                yield None
                continue
            yield tuple(zip(verbs[at : at + count], targets[at : at + count], strict=True))
            at += count
