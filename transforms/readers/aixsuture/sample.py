"""Write a small sample of AIxSuture in its real layout; all students and scores are made up."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from surgqa.ontology.keys import h64
from surgqa.ontology.records import (
    Books,
    Clock,
    Code,
    Rejected,
    Source,
    VideoEvidence,
    VideoLabel,
)
from surgqa.transforms.readers.base import Truth
from surgqa.transforms.readers.base.sample import put, true_video
from surgqa.transforms.readers.base.workbook import workbook

ITEMS = ("RESPECT", "MOTION", "INSTRUMENT", "SUTURE", "FLOW", "KNOWLEDGE", "PERFORMANCE",
         "FINAL_QUALITY")  # fmt: skip
# Student, time, video.
VIDEOS = ((17, "PRE", "Q11Z"), (17, "POST", "B20C"), (4, "PRE", "M33L"), (4, "POST", "A07K"))


def write(root: Path, *, procedures: int = 2, variant: int = 0) -> Truth:
    """Write the files of the sample; return the evidence that a reader must find in them.

    Args:
        root: an existing folder.
        procedures: number of students, 1 or 2; a larger number counts as 2.
        variant: odd ones write the challenge's table, which has neither group nor time, and a
            table of lengths; others differ in scores; some have a wrong sum, a rater with two
            rows for a video, or scores written as 3.0.
    """
    root = Path(root)
    challenge = variant % 2 == 1
    name = "OSATS_MICCAI_trainset.xlsx" if challenge else "OSATS.xlsx"
    head = ["STUDENT", *([] if challenge else ["GROUP", "TIME"]), "SUTURES", "VIDEO",
            "INVESTIGATOR", *(f"OSATS_{item}" for item in ITEMS), "GLOBA_RATING_SCORE"]  # fmt: skip
    if challenge:
        head = [cell.replace("FINAL_QUALITY", "FINALQUALITY") for cell in head]
    rows: list[list[Any]] = [head]
    videos: dict[str, list[dict[str, Any]]] = {}
    for student, time, video in VIDEOS[: 2 * procedures]:
        for row in _rows(student, time, video, variant):
            about = [] if challenge else ["HMD", f"{time}-TEST"]
            rows.append([student, *about, row["sutures"], video, row["rater"], *row["items"],
                         row["sum"]])  # fmt: skip
            videos.setdefault(video, []).append({**row, "where": f"{name}:{len(rows)}"})
    data = workbook(rows)
    sources = [put(root, name, data)]
    lengths = {video: 298_031_055 + h64("sample", video) % 20_000_000 for video in videos}
    if challenge:
        sources.append(_write_lengths(root, lengths))
    truths = [_truth(video, videos[video], sources, lengths[video] if challenge else 0)
              for video in sorted(videos)]  # fmt: skip
    return Truth(tuple(truths))


def _rows(student: int, time: str, video: str, variant: int) -> list[dict[str, Any]]:
    rows = []
    for rater in "ABC":
        base = 1 + (time == "POST") + (student == 4)
        items = [min(5, base + h64("sample", video, rater, item, variant) % 3) for item in ITEMS]
        wrong = variant % 3 == 2 and rater == "B"
        rows.append(
            {"student": student, "time": time, "rater": rater, "items": items, "wrong": wrong,
             "sum": sum(items) + wrong, "sutures": 2 + 3 * (time == "POST"), "again": False}
        )  # fmt: skip
    if variant % 4 > 1:
        rows.append({**rows[0], "again": True})
    return rows


def _write_lengths(root: Path, lengths: dict[str, int]) -> Source:
    files = {}
    for video, length in lengths.items():
        seconds = length / 1_000_000
        frames = length * 29973 // 1_000_000_000
        files[f"{video}.mp4"] = {
            "width": 1920, "height": 1080, "fps": frames / seconds, "duration": seconds
        }  # fmt: skip
    text = json.dumps({"summary": {"count": len(files)}, "files": files}, indent=2)
    return put(root, "video_meta_full.json", text)


def _truth(
    video_id: str, rows: list[dict[str, Any]], sources: list[Source], length: int
) -> VideoEvidence:
    frames = length * 29973 // 1_000_000_000
    fps = Fraction(frames * 1_000_000, length) if length else Fraction(1)
    video = true_video(
        "aixsuture", video_id, "open suturing on a practice pad", "general surgery",
        "CC BY-NC-ND 4.0", sources, fps=fps, period_us=int(1_000_000 / fps + Fraction(1, 2)),
        duration_us=length or 1_000_000, split_group=f"aixsuture/student{rows[0]['student']}",
        clock=Clock.TIME if length else Clock.WHOLE,
    )  # fmt: skip
    labels, rejected = _labels(video.key, rows, sources[0].path, with_time=not length)
    again = sum(row["again"] for row in rows)
    books = Books("read", "rating rows", len(rows), len(rows) - again, again)
    return VideoEvidence(video, None, (), rejected, (books,), labels)


def _labels(
    key: str, rows: list[dict[str, Any]], name: str, with_time: bool
) -> tuple[tuple[VideoLabel, ...], tuple[Rejected, ...]]:
    first = rows[0]
    labels = [VideoLabel("count", "sutures", float(first["sutures"]), "", name, first["where"])]
    if with_time:
        word = "before_course" if first["time"] == "PRE" else "after_course"
        labels.append(VideoLabel("experience", word, None, "", name, first["where"]))
    rejected = []
    for row in rows:
        if row["again"]:
            rejected.append(Rejected("read", key, Code.DUPLICATE_FRAME, "", row["where"]))
            continue
        scores = {f"osats_{item.lower()}": score
                  for item, score in zip(ITEMS, row["items"], strict=True)}  # fmt: skip
        if row["wrong"]:
            rejected.append(
                Rejected("read", key, Code.CONTRADICTION, "", row["where"], outcome="repaired")
            )
        else:
            scores["osats_global_rating"] = row["sum"]
        labels += [VideoLabel("rating", label, float(score), row["rater"], name, row["where"])
                   for label, score in scores.items()]  # fmt: skip
    ordered = sorted(labels, key=lambda label: (label.kind, label.label, label.rater))
    return tuple(ordered), tuple(rejected)
