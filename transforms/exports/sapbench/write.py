"""Writes the export: samples, references, clips, statistics, images, counts and digests."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from surgqa.ontology.action_clips import VideoClips
from surgqa.ontology.errors import NothingSelected, SourceMissing
from surgqa.ontology.next_actions import display
from surgqa.transforms.exports import writing
from surgqa.transforms.exports.sapbench import rows as sapbench
from surgqa.transforms.exports.sapbench.messages import load_prompts
from surgqa.transforms.exports.sapbench.statistics import figures
from surgqa.transforms.exports.sapbench.taking import BENCHMARK, TASKS
from surgqa.transforms.inference.images import FrameImages, medium_of
from surgqa.transforms.inference.jobfile import Clocks, clocks_of
from surgqa.transforms.inference.jobs import jobs_of
from surgqa.transforms.inference.prompts import load_prompt
from surgqa.transforms.places import Place, below
from surgqa.transforms.store import OutputFolder

SAMPLES, REFERENCES, STATISTICS = "samples.jsonl", "references.jsonl", "statistics.json"
HEAD = ("dataset", "videos", "clips", *TASKS, "pictures")


def write(
    folder: OutputFolder, to: Path, media: Mapping[str, Place], prompts: Path | None = None
) -> Sequence[Sequence[object]]:
    """Write the items that ask for the next actions.

    Args:
        to: an existing, empty folder.
        media: for each dataset, the folder of its videos; rows of other datasets have no image.
        prompts: folder with the user's texts, which replace built-in ones.

    Returns:
        A table: the numbers of each dataset's items by task, and of images.

    Raises:
        SourceMissing: videos of a dataset are not in the folder given for it.
        UserError: there are no samples, or the texts cannot be used.
    """
    rows, others = _samples(folder)
    clips, asking = sapbench.clips_of(folder, rows), load_prompts(prompts)
    shown = _pictures(rows, clocks_of(folder), media, to)
    paths = (path if (path := sapbench.picture_path(row)) in shown else None for row in rows)
    samples = (sapbench.sample(row, asking, path) for row, path in zip(rows, paths, strict=True))
    references = map(sapbench.reference, rows)
    files = {
        SAMPLES: _file_entry(writing.write_lines(to / SAMPLES, samples)),
        REFERENCES: _file_entry(writing.write_lines(to / REFERENCES, references)),
        STATISTICS: _file_entry(writing.written(to / STATISTICS, [_statistics(clips)])),
        **{path: _file_entry(writing.written(below(to, path), [_table_of(videos)]))
           for name, videos in clips.items() for path in [f"clips/{name}.csv"]},
        **shown,
    }  # fmt: skip
    counts = _counts(rows, clips, shown)
    remarks = _remarks(counts, media)
    if others:
        remarks.append(f"{others} items are left out: a sample asks what comes after a clip")
    _describe(to, folder, counts, remarks, files)
    return [list(HEAD)] + [
        [name, *(one[key] for key in HEAD[1:-1]), _shown(name, one, media)]
        for name, one in counts.items()
    ]


def _samples(folder: OutputFolder) -> tuple[list[sapbench.Row], int]:
    """Return the rows that are samples, sorted, and the number of other rows."""
    every = list(sapbench.samples_of(folder, sapbench.COLUMNS))
    rows = sorted(
        (row for row in every if row["known"] and sapbench.task_of(row) in TASKS),
        key=sapbench.place_of,
    )
    if not rows:
        raise NothingSelected(
            f"{folder.path} has no samples", expected=f"items of {', '.join(TASKS)}",
            found=f"{len(every)} items of other tasks", where="data",
            fix="build with --benchmark sapbench and without --only; 'rejected/ask.jsonl' has "
            "the reasons why clips give no items",
        )  # fmt: skip
    return rows, len(every) - len(rows)


def _pictures(
    rows: Sequence[sapbench.Row], clocks: Clocks, media: Mapping[str, Place], to: Path
) -> dict[str, dict[str, Any]]:
    """Extract the image of each sample; images that cannot be decoded are left out."""
    wanted = [row for row in rows if row["dataset"] in media and row["media"]["path"]]
    cutter = FrameImages(media)
    try:
        cutter.check(set(map(medium_of, wanted)))
    except SourceMissing as error:
        error.fix = "name the folder of the videos with --root, or export without --root"
        raise
    files: dict[str, dict[str, Any]] = {}
    seen: set[str] = set()
    for row in wanted:
        path = sapbench.picture_path(row)
        if path in seen:
            continue
        seen.add(path)
        clock, period_us = clocks[row["dataset"], row["video_id"]]
        (job,) = jobs_of(row, load_prompt(), period_us, clock, period_us)
        picture = cutter.picture(job)
        if picture is not None:
            files[path] = _file_entry(writing.written(below(to, path), [png_of(picture)]))
    return files


def png_of(picture: np.ndarray) -> bytes:
    """Return an image, uint8 (H, W, 3) RGB, as PNG."""
    _, data = cv2.imencode(".png", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))
    return data.tobytes()


def _statistics(clips: Mapping[str, Sequence[VideoClips]]) -> bytes:
    every = [video for videos in clips.values() for video in videos]
    statistics = {
        "all": figures(every).to_dict(),
        "datasets": {name: figures(videos).to_dict() for name, videos in clips.items()},
    }
    return writing.indented(statistics) + b"\n"


def _table_of(videos: Sequence[VideoClips]) -> bytes:
    """Return a CSV table of clips, which a build can read as ``action_clips``."""
    out = io.StringIO(newline="")
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(("video", "start", "end", "action"))
    for video in videos:
        lines.writerows((video.video, c.start, c.end, display(c.action)) for c in video.clips)
    return out.getvalue().encode()


def _counts(
    rows: Sequence[sapbench.Row], clips: Mapping[str, Sequence[VideoClips]], shown: Iterable[str]
) -> dict[str, Counter[str]]:
    """Return the numbers of videos, clips, items by task, frames and images of each dataset."""
    out: dict[str, Counter[str]] = {}
    for name, videos in clips.items():
        mine = [row for row in rows if row["dataset"] == name]
        paths = {sapbench.picture_path(row) for row in mine}
        out[name] = Counter(
            videos=len(videos),
            clips=sum(len(video.clips) for video in videos),
            frames=len(paths),
            pictures=len(paths.intersection(shown)),
            clips_without_sample=sapbench.clips_without_sample(mine, videos),
        )
        out[name].update(map(sapbench.task_of, mine))
    return out


def _remarks(counts: Mapping[str, Counter[str]], media: Mapping[str, Place]) -> list[str]:
    out = []
    for name, one in counts.items():
        if one["clips_without_sample"]:
            out.append(f"{name}: {one['clips_without_sample']} clips border no sample and are not "
                       "in the table")  # fmt: skip
        if name not in media:
            out.append(f"{name}: samples have no picture; --root {name}=DIR cuts them")
        elif one["pictures"] < one["frames"]:
            lost = one["frames"] - one["pictures"]
            out.append(f"{name}: no whole picture was found for {lost} current frames")
    return out


def _shown(name: str, counts: Counter[str], media: Mapping[str, Place]) -> str:
    if name not in media:
        return f"none: add --root {name}=DIR"
    return f"{counts['pictures']} of {counts['frames']}"


def _describe(
    to: Path, folder: OutputFolder, counts: Mapping[str, Counter[str]], remarks: Sequence[str],
    files: dict[str, dict[str, Any]],
) -> None:  # fmt: skip
    manifest: dict[str, Any] = {
        "datasets": {name: dict(sorted(one.items())) for name, one in counts.items()},
        "remarks": list(remarks),
        "files": files,
    }
    text = writing.rendered("sapbench/readme.md.jinja", **manifest).encode()
    files["README.md"] = _file_entry(writing.written(to / "README.md", [text]))
    writing.write_record(folder, to, BENCHMARK, **manifest)


def _file_entry(file: writing.WrittenFile) -> dict[str, Any]:
    return {"bytes": file.size, "sha256": file.sha256}
