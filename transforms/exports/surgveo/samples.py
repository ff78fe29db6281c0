"""The samples of a finished dataset, and the choice of samples for each track."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import orjson

from surgqa.ontology.concepts import vocabulary
from surgqa.ontology.continuations import CONTINUATION, LENGTH_US, TRACKS, OperationTrack
from surgqa.ontology.errors import OutputBroken
from surgqa.ontology.times import us_to_frame
from surgqa.ontology.units import asked_us
from surgqa.transforms.exports.surgveo.continuations import VIDEOS, Continuation, chosen_videos
from surgqa.transforms.exports.taking import Taking
from surgqa.transforms.store import OutputFolder

BENCHMARK = "surgveo"
TASK = "future/continuation"

TAKING = Taking(
    "questions that are answered by a video of what comes next, and choices put at its picture",
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
    """A frame with its continuation, and the row that it comes from."""

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
        """Dataset and video id."""
        return self.row["dataset"], self.row["video_id"]

    @property
    def stage_name(self) -> str:
        """The display name of the stage."""
        return vocabulary(f"{self.track.kind}s")[self.cut.stage].display


@dataclass(frozen=True, slots=True)
class ChosenSamples:
    """The samples chosen for a track.

    Attributes:
        there: number of operations with a sample.
        wanted: number of operations that a track should have.
        samples: the samples, in the order of operations, then of stages.
    """

    track: str
    there: int
    wanted: int
    videos: tuple[str, ...]
    samples: tuple[ContinuationSample, ...]

    @property
    def note(self) -> str:
        """A remark on the choice; '' if there is none."""
        if self.there > self.wanted:
            return f"the {self.wanted} of {self.there} operations with most stages"
        if self.there < self.wanted:
            return f"fewer than {self.wanted} operations: all are taken"
        return ""


def samples_of(rows: Sequence[Row]) -> list[ContinuationSample]:
    """Return the samples among the rows, sorted by track, operation and stage.

    Rows are skipped if no stage of a track is under way at their query time.

    Raises:
        OutputBroken: a row does not describe its sample.
    """
    made = (row for row in rows if row["form"] == CONTINUATION)
    found = [_sample(row) for row in made if row["slots"]]
    return sorted(found, key=_order)


def chosen(samples: Sequence[ContinuationSample]) -> list[ChosenSamples]:
    """Return, for each track, the operations with the most stages (equals by id), or all if too
    few.
    """
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
    """Return the rows that fit, with answer value and slots parsed."""
    out = []
    for row in TAKING.rows(folder, COLUMNS):
        parsed = {name: orjson.loads(row[name] or "{}") for name in ("answer_value", "slots")}
        if row["form"] == CONTINUATION:
            parsed["slots"] = _cut_at(row, folder.evidence_of("facts", *_video(row)))
        out.append({**row, **parsed})
    begun = {_begun(row): row["slots"]["sample_id"] for row in out
             if row["form"] == CONTINUATION and row["slots"]}  # fmt: skip
    for row in out:
        if row["form"] != CONTINUATION:
            row["slots"]["sample_id"] = begun.get(_begun(row))
    return out


def _begun(row: Row) -> tuple[str, str, int]:
    """Return the start of a question; questions about a sample start at the sample's frame."""
    return *_video(row), row["start_us"]


def _video(row: Row) -> tuple[str, str]:
    return row["dataset"], row["video_id"]


def _cut_at(row: Row, facts: Sequence[Row]) -> dict[str, Any]:
    """Return the fields of a sample, from a track's stage under way at the query time; else {}."""
    at_us = asked_us(row) or 0
    for track in TRACKS.values():
        for one in facts:
            known = one["kind"] == track.kind and one["label"] in track.stages
            if known and one["s_us"] <= at_us < one["e_us"]:
                return {
                    "sample_id": row["item_id"], "track": track.name, "stage": one["label"],
                    "fps": str(track.fps), "frame": us_to_frame(at_us, track.fps),
                    "frames": us_to_frame(LENGTH_US, track.fps), "found_by": row["template_id"],
                    "interval": [one["s_us"], one["e_us"]],
                }  # fmt: skip
    return {}


def _order(one: ContinuationSample) -> tuple[str, str, int]:
    return one.cut.track, one.cut.video, one.track.stages.index(one.cut.stage)


def _sample(row: Row) -> ContinuationSample:
    slots = row["slots"]
    try:
        cut = Continuation(
            str(slots["sample_id"]),
            TRACKS[slots["track"]].name,
            f"{row['dataset']}/{row['video_id']}",
            str(slots["stage"]),
            Fraction(slots["fps"]),
            int(slots["frame"]),
            int(slots["frames"]),
            str(slots["found_by"]),
            (int(slots["interval"][0]), int(slots["interval"][1])),
        )
        if cut.stage not in TRACKS[cut.track].stages:
            raise KeyError(cut.stage)
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise OutputBroken(
            f"item {row['item_id']} does not describe its sample", found=str(error),
            expected="sample_id, track, stage, frame, frames, fps, found_by, interval",
            where="slots", fix="build the dataset again",
        ) from None  # fmt: skip
    return ContinuationSample(row, cut)
