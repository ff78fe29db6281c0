"""``--as unified``: all evidence in SurgCoT's unified JSON format, one file for each video."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from surgqa.transforms.exports.formats import Format
from surgqa.transforms.exports.taking import Taking
from surgqa.transforms.exports.unified.tree import Tables, file_of, lines
from surgqa.transforms.exports.writing import write_record, written
from surgqa.transforms.places import Place
from surgqa.transforms.store import OutputFolder

HEAD = ("dataset", "videos", "moments", "left out")
TIMED = "time"
"""Value of ``clock`` of videos in which times are known, and not only the order of frames."""


def write(folder: OutputFolder, to: Path, media: Mapping[str, Place]) -> Sequence[Sequence[object]]:
    """Write the evidence of every video.

    Moments that the format cannot represent are counted: states of an unknown tissue, anomalies
    without a box or between two frames, and all moments of videos without known times.

    Args:
        to: an existing, empty folder.
        media: ignored.

    Returns:
        A table: the numbers of videos and moments of each dataset, and of moments left out.
    """
    files: dict[str, str] = {}
    counts: dict[str, Counter[str]] = {}
    left: dict[str, Counter[str]] = {}
    for video in folder.evidence("videos").to_pylist():
        dataset, video_id = video["dataset"], video["video_id"]
        moments = folder.evidence_of("moments", dataset, video_id)
        count, lost = (one.setdefault(dataset, Counter()) for one in (counts, left))
        if video["clock"] != TIMED:
            lost["of videos without a clock"] += len(moments)
            continue
        tree, out = file_of(_tables(folder, video, moments))
        lost.update(out)
        count.update({"videos": 1, "moments": len(moments) - sum(out.values())})
        path = f"{dataset}/{video_id}.json"
        files[path] = written(to / path, [lines(tree), b"\n"]).sha256
    left_out = {name: dict(lost) for name, lost in left.items() if lost}
    write_record(folder, to, "unified", left_out=left_out, files=files)
    return [list(HEAD)] + [
        [name, count["videos"], count["moments"], sum(left[name].values())]
        for name, count in sorted(counts.items())
    ]


def _tables(folder: OutputFolder, video: Mapping[str, Any], moments: Sequence[Any]) -> Tables:
    one = video["dataset"], video["video_id"]
    rest = {kind: folder.evidence_of(kind, *one) for kind in ("events", "segments", "labels")}
    return Tables(video, moments, **rest)


FORMAT = Format(
    name="unified",
    taking=Taking("the evidence of any output", lambda _: True),
    summary="all evidence, one JSON file for each video; no questions",
    write=write,
    questions=False,
)
