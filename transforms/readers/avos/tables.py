"""Read the rows of each video from AVOS's tables (the release, or the authors' working files)."""

from __future__ import annotations

import re

from surgqa.ontology.files import read_text
from surgqa.transforms.readers.base import DelimitedLine, read_delimited
from surgqa.transforms.readers.base.lines import Grouped, grouped

WORKING = "MULTITASK_FILES/TSM_FILES/annotations"
STILLS = ("images", "data/new_annotations/train", "data/new_annotations/test")
SEGMENTS = "open_surgery_temporal_annotations_Jan16.csv"
BOXES = "open_surgery_bboxes_Jan16.csv"
VIDEOS = f"{WORKING}/videos.csv"
CORNERS = ("x1", "y1", "x2", "y2")
YOLO = ("bovie", "forceps", "needledriver", "hand")
STILL = re.compile(r"(?:.*[\\/])?((.+)-(\d{1,9}))\.(?:jpg|jpeg|png)", re.IGNORECASE)
"""Matches a still image: path, stem, video and frame; a video's id may contain dashes."""


def segments(data: bytes, name: str) -> Grouped:
    """Return the rows of actions, each with a label and its start and end in seconds."""
    needed = ("video_id", "start_seconds", "end_seconds", "label")
    return grouped(read_delimited(data, name, needed), lambda row: row["videoid"], "a video's id")


def videos(data: bytes, name: str) -> Grouped:
    """Return the rows with each video's length in seconds (0 if it is unknown) and quality."""
    needed = ("video_id", "duration_seconds", "quality")
    return grouped(read_delimited(data, name, needed), lambda row: row["videoid"], "a video's id")


def boxes(data: bytes, name: str) -> Grouped:
    """Return the rows of boxes in still images; the working files have no header line."""
    first = read_text(data, name).partition("\n")[0].casefold()
    header = ("image_name", *CORNERS, "class")
    table = read_delimited(data, name, header, header=None if "x1" in first else header)
    return grouped(table, video_of, "a still such as AbCdEfGhIjK-000004999.jpg")


def video_of(row: DelimitedLine) -> str | None:
    """Return the video from which a still image was taken."""
    match = STILL.fullmatch(row["imagename"])
    return match[2] if match else None


FILES = (
    (segments, (SEGMENTS,)),
    (segments, (f"{WORKING}/v0.5.0-anns-smoothed.csv",)),
    (boxes, (BOXES,)),
    (boxes, (f"{STILLS[1]}/train_data_emmett_annotations.csv",
             f"{STILLS[2]}/test_data_emmett_annotations.csv")),
    (videos, (VIDEOS,)),
)  # fmt: skip
"""Parsers and their files; the release has priority over the working files."""
