"""The samples of a finished dataset, and which of them a track takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import orjson

from ontology.concepts import vocabulary
from ontology.continuations import CONTINUATION, TRACKS, Track
from ontology.errors import OutputBroken
from transforms.exports.taking import Taking
from transforms.store import OutputFolder
from transforms.windows.continuations import Continuation, ContinuationLimits, chosen_videos

BENCHMARK = "surgveo"
TASK = "future/continuation"

TAKING = Taking(
    "continuations, with the questions that are put at the same pictures",
    lambda row: row["form"] == CONTINUATION,
    BENCHMARK,
)

COLUMNS = [
    "item_id", "task", "form", "dataset", "video_id", "split", "split_group", "procedure",
    "specialty", "media", "query_us", "question", "options", "answer_key", "answer_value", "slots",
    "label_source", "licence",
]  # fmt: skip
"""All that is read of a row of ``data/``."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sample:
    """A frame with its continuation, and the row it is told in."""

    row: Row
    cut: Continuation

    @property
    def sample_id(self) -> str:
        return self.cut.sample_id

    @property
    def track(self) -> Track:
        return TRACKS[self.cut.track]

    @property
    def video(self) -> tuple[str, str]:
        """Dataset and video id."""
        return self.row["dataset"], self.row["video_id"]

    @property
    def stage_name(self) -> str:
        """The stage in words."""
        return vocabulary(f"{self.track.kind}s")[self.cut.stage].display


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a track takes.

    Attributes:
        there: operations with a sample.
        wanted: operations that a track is to have.
        samples: in the order of operations, then of stages.
    """

    track: str
    there: int
    wanted: int
    videos: tuple[str, ...]
    samples: tuple[Sample, ...]

    @property
    def note(self) -> str:
        """What is to be said of the choice; '' where there is nothing."""
        if self.there > self.wanted:
            return f"the {self.wanted} of {self.there} operations with most stages"
        if self.there < self.wanted:
            return f"fewer than {self.wanted} operations: all are taken"
        return ""


def samples_of(rows: Sequence[Row]) -> list[Sample]:
    """The samples among the rows, by track, operation and stage.

    Raises:
        OutputBroken: a row does not say what its sample is.
    """
    found = [_sample(row) for row in rows if row["form"] == CONTINUATION]
    return sorted(found, key=_order)


def chosen(samples: Sequence[Sample], limits: ContinuationLimits | None = None) -> list[Chosen]:
    """Each track's operations with the most stages, ties by id; all where there are too few."""
    wanted = (limits or ContinuationLimits()).videos
    out = []
    for track in sorted({one.cut.track for one in samples}):
        mine = [one for one in samples if one.cut.track == track]
        stages: dict[str, set[str]] = {}
        for one in mine:
            stages.setdefault(one.cut.video, set()).add(one.cut.stage)
        videos = chosen_videos(stages, min(wanted, len(stages)))
        taken = tuple(one for one in mine if one.cut.video in videos)
        out.append(Chosen(track, len(stages), wanted, tuple(sorted(videos)), taken))
    return out


def read_rows(folder: OutputFolder) -> list[dict[str, Any]]:
    """The rows that are taken, answer value and slots parsed."""
    out = []
    for row in TAKING.rows(folder, COLUMNS):
        parsed = {name: orjson.loads(row[name] or "{}") for name in ("answer_value", "slots")}
        out.append({**row, **parsed})
    return out


def _order(one: Sample) -> tuple[str, str, int]:
    return one.cut.track, one.cut.video, one.track.stages.index(one.cut.stage)


def _sample(row: Row) -> Sample:
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
            f"item {row['item_id']} does not say what its sample is", found=str(error),
            expected="sample_id, track, stage, frame, frames, fps, found_by, interval",
            where="slots", fix="build the dataset again",
        ) from None  # fmt: skip
    return Sample(row, cut)
