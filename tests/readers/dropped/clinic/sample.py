"""Writes a miniature of the clinic's files; everything in it is made up."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.records import Books, Media, MediaKind, Source, Video, VideoEvidence
from surgqa.transforms.readers.base import SampleTruth
from surgqa.transforms.readers.base.sample import Instance, true_table
from surgqa.transforms.readers.base.scene import FULL_SECONDS, seconds_of

TOOLS = ("bipolar", "clipper", "grasper", "hook", "irrigator", "scissors")


def write(root: Path, *, procedures: int = 2, seconds: int = FULL_SECONDS) -> SampleTruth:
    """Lay out the sample and say what is in it."""
    (Path(root) / "labels").mkdir()
    found = []
    for video_id in ("case1", "case2", "case3")[:procedures]:
        lines = ["second,instrument,verb,target,x,y,width,height"]
        frames, seen = [], []
        for second in seconds_of(video_id, seconds):
            frames.append(second.number)
            seen.append([])
            if not second.seen:
                lines.append(f"{second.number},,,,,,,")
            for one in second.seen:
                verb, target = one.action or ("null_verb", "null_target")
                x, y, w, h = one.box_xywh
                lines.append(f"{second.number},{one.instrument},{verb},{target},{x},{y},{w},{h}")
                box = (max(x, 0.0), max(y, 0.0), min(x + w, 1.0), min(y + h, 1.0))
                seen[-1].append(Instance(one.instrument, box, ((verb, target),), len(lines)))
        text = "\n".join(lines) + "\n"
        path = f"labels/{video_id}.csv"
        (Path(root) / path).write_text(text, encoding="utf-8")
        found.append(_truth(video_id, Source(path, bytes_digest(text.encode())), frames, seen,
                            len(lines) - 1))  # fmt: skip
    return SampleTruth(tuple(found))


def _truth(
    video_id: str, source: Source, frames: list[int], seen: list[list[Instance]], rows: int
) -> VideoEvidence:
    times = [frame * 1_000_000 for frame in frames]
    table = true_table(times, frames, seen, TOOLS, "second {frame}, line {row}")
    video = Video("clinic", video_id, "laparoscopic cholecystectomy", "general surgery",
                  Fraction(1), 1_000_000, times[-1] + 1_000_000, Media(MediaKind.ABSENT),
                  f"clinic/{video_id}", "CC0-1.0", "original_annotation", (source,),
                  TOOLS)  # fmt: skip
    return VideoEvidence(video, table, (), (), (Books("read", "rows", rows, rows, 0),))
