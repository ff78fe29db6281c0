"""Finds the samples of a dataset, and chooses samples for each track of the benchmark.

A sample is a frame of an operation and its continuation, the seconds of video that follow. A track
is a type of operation.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import orjson

from surgqa.ontology.concepts import vocabulary
from surgqa.ontology.continuations import CONTINUATION, LENGTH_US, TRACKS, OperationTrack
from surgqa.ontology.errors import NothingSelected
from surgqa.ontology.times import SECOND_US, frame_to_us, us_to_frame
from surgqa.ontology.units import asked_us
from surgqa.transforms.exports.taking import Taking
from surgqa.transforms.media.film import media_of
from surgqa.transforms.store import OutputFolder

Interval = tuple[int, int]
"""Half-open [start_us, end_us)."""
HIDDEN = (("event", "out_of_body"), ("condition", "outside_the_patient"))
"""Kind and label of intervals in which the operation is not visible."""


VIDEOS = 3
"""Number of operations in a track."""


@dataclass(frozen=True, slots=True)
class Continuation:
    """One sample: its stage, frames and source.

    Attributes:
        stage: id of the stage of the operation.
        fps: exact frame rate.
        frame: number (from 0) of the frame that a model gets, which is also the first frame of the
            reference.
        frames: number of frames of the reference.
        found_by: id of the template that the sample comes from.
        interval: start and end of the stage.
    """

    sample_id: str
    track: str
    video: str
    stage: str
    fps: Fraction
    frame: int
    frames: int
    found_by: str
    interval: Interval

    @property
    def start_us(self) -> int:
        return frame_to_us(self.frame, self.fps)

    @property
    def end_us(self) -> int:
        return frame_to_us(self.frame + self.frames, self.fps)


def without(interval: Interval, hidden: Sequence[Interval]) -> list[Interval]:
    """Return the parts of an interval outside of all hidden intervals, ascending."""
    pieces, at = [], interval[0]
    for start, end in sorted(hidden):
        if min(start, interval[1]) > at:
            pieces.append((at, min(start, interval[1])))
        at = max(at, end)
    return [*pieces, (at, interval[1])] if at < interval[1] else pieces


def chosen_videos(stages: Mapping[str, Collection[str]], count: int = 3) -> list[str]:
    """Return the ``count`` videos with the most different stages (of equals, the first by id).

    Args:
        stages: for each video, its stages.

    Raises:
        UserError: there are fewer videos than ``count``.
    """
    if len(stages) < count:
        raise NothingSelected(
            "too few operations for a track", expected=f"{count} operations with stages",
            found=", ".join(sorted(stages)) or "none", fix="ask for fewer, or give more videos",
        )  # fmt: skip
    return sorted(stages, key=lambda one: (-len(set(stages[one])), one))[:count]


def fits(frame: int, interval: Interval, fps: Fraction) -> bool:
    """Return whether the continuation of a frame is completely inside an interval."""
    start = frame * SECOND_US / fps
    return start >= max(0, interval[0]) and start + LENGTH_US <= interval[1]


BENCHMARK = "surgveo"
TASK = "future/continuation"

TAKING = Taking(
    "questions whose answer is a video of the next seconds, and questions with options about it",
    lambda row: row["form"] == CONTINUATION or (row["unit"], row["form"]) == ("now", "choice"),
    BENCHMARK,
    leads=lambda row: row["form"] == CONTINUATION,
)

COLUMNS = [
    "item_id", "template_id", "task", "form", "start_us", "end_us",
    "dataset", "video_id", "split", "split_group", "procedure",
    "specialty", "media", "query_us", "question", "options", "answer_key", "answer_value", "slots",
    "label_source", "licence",
]  # fmt: skip
"""All columns that are read from a row of ``data/``."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ContinuationSample:
    """A sample, and the row that it comes from."""

    row: Row
    cut: Continuation

    @property
    def sample_id(self) -> str:
        return self.cut.sample_id

    @property
    def track(self) -> OperationTrack:
        return TRACKS[self.cut.track]

    @property
    def video(self) -> tuple[str, str]:
        """(dataset, video id)."""
        return self.row["dataset"], self.row["video_id"]

    @property
    def stage_name(self) -> str:
        """The display name of the stage."""
        return vocabulary(f"{self.track.kind}s")[self.cut.stage].display


@dataclass(frozen=True, slots=True)
class ChosenSamples:
    """The samples that were chosen for a track.

    Attributes:
        there: number of operations that have samples.
        wanted: number of operations that a track should have.
        samples: the samples, sorted by operation and stage.
    """

    track: str
    there: int
    wanted: int
    videos: tuple[str, ...]
    samples: tuple[ContinuationSample, ...]

    @property
    def note(self) -> str:
        """A remark about the choice, or ''."""
        if self.there > self.wanted:
            return f"the {self.wanted} of {self.there} operations with most stages"
        if self.there < self.wanted:
            return f"fewer than {self.wanted} operations: all are taken"
        return ""


def samples_of(rows: Sequence[Row]) -> list[ContinuationSample]:
    """Return the samples in rows of :func:`read_rows`, sorted by track, operation and stage.

    Rows without a stage of a track at their query time are skipped.
    """
    found = [ContinuationSample(row, row["cut"]) for row in rows if row["cut"]]
    return sorted(found, key=lambda one: (one.cut.track, one.cut.video,
                                          one.track.stages.index(one.cut.stage)))  # fmt: skip


def chosen(samples: Sequence[ContinuationSample]) -> list[ChosenSamples]:
    """Return the samples of the operations with the most stages, for each track."""
    out = []
    for track in sorted({one.cut.track for one in samples}):
        mine = [one for one in samples if one.cut.track == track]
        stages: dict[str, set[str]] = {}
        for one in mine:
            stages.setdefault(one.cut.video, set()).add(one.cut.stage)
        videos = chosen_videos(stages, min(VIDEOS, len(stages)))
        taken = tuple(one for one in mine if one.cut.video in videos)
        out.append(ChosenSamples(track, len(stages), VIDEOS, tuple(sorted(videos)), taken))
    return out


def read_rows(folder: OutputFolder) -> list[dict[str, Any]]:
    """Return the rows that the format can represent, with the keys ``cut`` and ``sample_id``.

    ``cut`` is the :class:`Continuation` that a row asks for, or None. ``sample_id`` is the id of
    the sample whose frame the row is about. JSON columns are parsed.
    """
    out, begun = [], dict[tuple[str, str, int], str]()
    for row in TAKING.rows(folder, COLUMNS):
        row |= {name: orjson.loads(row[name] or "{}") for name in ("answer_value", "slots")}
        video = row["dataset"], row["video_id"]
        row["cut"] = None
        if row["form"] == CONTINUATION:
            row["cut"] = _cut_at(row, folder.evidence_of("facts", *video))
            if row["cut"]:
                begun[*video, row["start_us"]] = row["item_id"]
        out.append(row)
    for row in out:
        row["sample_id"] = begun.get((row["dataset"], row["video_id"], row["start_us"]))
    return out


def _cut_at(row: Row, facts: Sequence[Row]) -> Continuation | None:
    """Return the sample at a row's query time, None if no stage of a track contains this time."""
    at_us = asked_us(row) or 0
    for track in TRACKS.values():
        for one in facts:
            known = one["kind"] == track.kind and one["label"] in track.stages
            if known and one["s_us"] <= at_us < one["e_us"]:
                fps = _rate(row["media"], track)
                return Continuation(
                    row["item_id"], track.name, f"{row['dataset']}/{row['video_id']}",
                    one["label"], fps, us_to_frame(at_us, fps), us_to_frame(LENGTH_US, fps),
                    row["template_id"], (one["s_us"], one["e_us"]),
                )  # fmt: skip
    return None


def _rate(media: Row, track: OperationTrack) -> Fraction:
    """Return the stated rate of a video whose size is known; otherwise that of the track.

    A row without a size states the rate of the labels, because no video was read.
    """
    rate = media_of(media)[1] if media["width"] else None
    return rate or track.fps
