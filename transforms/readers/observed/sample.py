"""A miniature store: two videos, a grasper and a hook that move, boxes at five a second."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import orjson

from ontology.files import read_bytes
from ontology.keys import bytes_digest, h64
from ontology.records import Books, Media, MediaKind, Source, Span, Video, VideoEvidence
from ontology.times import frame_to_us, period_us
from transforms.places import Place, place
from transforms.readers.base import Truth
from transforms.readers.base.sample import Instance, true_table

LABELS = ("grasper", "hook")
FPS, RATE = Fraction(25), Fraction(5)
EVERY = 5
POINTER = "boxes.parquet, frame {frame}, row {row}"


def write(root: Place, *, procedures: int = 2, seconds: int = 30) -> Truth:
    """Lay out a store and give what reading it must find."""
    root = place(root)
    videos = [f"case_{number + 1:02d}" for number in range(procedures)]
    evidence = tuple(_video(root, video_id, seconds) for video_id in videos)
    record = {"schema": "surgqa/evidence-v1", "dataset": "observed",
              "videos": {video_id: {} for video_id in videos}}  # fmt: skip
    (root / "store.json").write_bytes(orjson.dumps(record))
    return Truth(evidence)


def _video(root: Place, video_id: str, seconds: int) -> VideoEvidence:
    frames = list(range(0, seconds * 25, EVERY))
    seen = [_instances(video_id, frame) for frame in frames]
    folder = root / "videos" / video_id
    folder.mkdir(parents=True)
    times = [frame_to_us(frame, FPS) for frame in frames]
    _parquet(folder / "boxes.parquet", _boxes(times, frames, seen))
    _parquet(folder / "frames.parquet", {"time_us": times, "frame": frames,
                                         "trusted": [True] * len(frames)})  # fmt: skip
    end = seconds * 1_000_000
    _parquet(folder / "stretches.parquet", {"start_us": [0], "end_us": [end], "kind": ["shot"],
                                            "label": ["shot"], "level": [1]})  # fmt: skip
    kinds = {kind: {"sha256": bytes_digest(read_bytes(folder / f"{kind}.parquet", kind))}
             for kind in ("boxes", "frames", "stretches")}  # fmt: skip
    told = {**_facts(video_id, end), "kinds": kinds}
    (folder / "video.json").write_bytes(orjson.dumps(told))
    names = ("boxes.parquet", "video.json", "frames.parquet", "stretches.parquet")
    sources = tuple(_source(root, f"videos/{video_id}/{name}") for name in names)
    table = true_table(times, frames, seen, _labels(seen), POINTER)
    rows = len(table.sample)
    table = _detected(table, seen)
    span = Span("shot", "shot", 0, end, sources[3].path, f"{sources[3].path}#0")
    books = (Books("read", "boxes", rows, rows, 0), Books("read", "stretches", 1, 1, 0))
    return VideoEvidence(_header(video_id, end, sources), table, (span,), (), books)


def _labels(seen: list[list[Instance]]) -> list[str]:
    return sorted({instance.label for instances in seen for instance in instances})


def _detected(table: Any, seen: list[list[Instance]]) -> Any:
    """The true table with what only a detector says: score, track, origin."""
    from dataclasses import replace

    track = np.array([LABELS.index(table.labels[code]) for code in table.label], dtype=np.int32)
    return replace(table, track=track, score=np.full(len(track), 0.9), box_origin="detector")


def _instances(video_id: str, frame: int) -> list[Instance]:
    """The grasper is always there; the hook moves across and is away every ninth second."""
    phase = h64("observed sample", video_id) % 100 / 1000
    x = round(0.1 + phase + 0.002 * (frame % 200), 4)
    found = [Instance("grasper", (x, 0.3, round(x + 0.2, 4), 0.55), None, 0)]
    if frame // 25 % 9 != 8:
        y = round(0.2 + 0.001 * (frame % 300), 4)
        found.append(Instance("hook", (0.6, y, 0.75, round(y + 0.2, 4)), None, 1))
    return found


def _boxes(times: list[int], frames: list[int], seen: list[list[Instance]]) -> Mapping[str, list]:
    out: dict[str, list[Any]] = {name: [] for name in (
        "time_us", "frame", "kind", "label", "x1", "y1", "x2", "y2", "score", "track", "origin",
    )}  # fmt: skip
    for time_us, frame, instances in zip(times, frames, seen, strict=True):
        for one in instances:
            values = (time_us, frame, "instrument", one.label, *(one.box_xyxy or ()), 0.9,
                      LABELS.index(one.label), "detector")  # fmt: skip
            for name, value in zip(out, values, strict=True):
                out[name].append(value)
    return out


def _parquet(path: Place, columns: Mapping[str, list]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(dict(columns)), sink)
    path.write_bytes(sink.getvalue().to_pybytes())


def _facts(video_id: str, end: int) -> dict[str, Any]:
    classes = {label: {"kind": "instrument", "concept": label} for label in LABELS}
    return {
        "video_id": video_id,
        "dataset": "observed",
        "medium": {"kind": "absent", "path": None, "fps": [25, 1], "width": None, "height": None},
        "duration_us": end,
        "rate": [5, 1],
        "extractors": {"detect": {"facts": {"classes": classes}}},
        "metadata": {"procedure": "laparoscopic cholecystectomy", "specialty": "general surgery"},
    }


def _source(root: Place, name: str) -> Source:
    return Source(name, bytes_digest(read_bytes(root / name, name)))


def _header(video_id: str, end: int, sources: tuple[Source, ...]) -> Video:
    return Video(
        dataset="observed",
        video_id=video_id,
        procedure="laparoscopic cholecystectomy",
        specialty="general surgery",
        fps=FPS,
        period_us=period_us(RATE),
        duration_us=end,
        media=Media(MediaKind.ABSENT),
        split=None,
        split_group=f"observed/{video_id}",
        licence="that of the recordings",
        label_source="model",
        sources=sources,
        vocabulary=LABELS,
    )
