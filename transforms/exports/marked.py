"""Collects the boxes and masks of an output's evidence, as the input of labelling tools.

There is one image for each annotated time with a box or a mask, or at which nothing is in view.
Labels without a box or mask are left out and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from surgqa.ontology.keys import digest
from surgqa.ontology.masks import rle_of
from surgqa.ontology.records import MediaKind
from surgqa.transforms.exports.formats import Format
from surgqa.transforms.exports.regions import CORNERS
from surgqa.transforms.exports.taking import Taking
from surgqa.transforms.labelling.sheet import Drawn, RoundSheet, SheetFrame, file_name, named
from surgqa.transforms.media.cutting import PICTURE, CutSource, Outcome, Request
from surgqa.transforms.media.masks import box_of
from surgqa.transforms.store import OutputFolder

Row = Mapping[str, Any]
NO_PICTURE, NO_PLACE, NO_SIZE = "no_picture", "no_place", "no_size"
TABLES = (("events", "event_id"), ("regions", "region_id"))
TAKING = Taking("boxes and masks of the evidence, for any questions", lambda row: True)


def sheet_format(name: str, summary: str, write: Callable[[RoundSheet, Path], None],
                 pictures: str = "images") -> Format:  # fmt: skip
    """Return a format for a labelling tool.

    Args:
        write: function that writes the tool's files into a folder.
        pictures: name of the folder for images in the export.
    """
    return Format(name=name, taking=TAKING, summary=summary, sheet=write, pictures=pictures,
                  media=("frames", "none"), questions=False)  # fmt: skip


@dataclass(slots=True)
class MarkedInstant:
    """An annotated time: the image to extract, and the boxes and masks on it.

    Attributes:
        request: request for the image; None if there are only annotations and no video.
        size: (width, height) in pixels, from the description of the video or from masks.
        without: labels that have neither box nor mask.
    """

    video: Row
    time_us: int
    frame: int
    request: Request | None
    size: tuple[int, int] | None
    boxes: list[Drawn] = field(default_factory=list)
    without: list[str] = field(default_factory=list)


def shown_of(folder: OutputFolder) -> Iterator[MarkedInstant]:
    """Yield all annotated times that give an image, sorted by video and time."""
    for video in folder.evidence("videos").to_pylist():
        found: dict[int, MarkedInstant] = {}
        for table, name in TABLES:
            for row in folder.evidence_of(table, video["dataset"], video["video_id"]):
                mine = found.setdefault(row["time_us"], _empty(video, row))
                _take(mine, row, row.get("kind") or "instrument", row[name])
        yield from (found[time_us] for time_us in sorted(found))


def _empty(video: Row, row: Row) -> MarkedInstant:
    known = video["width"] and video["height"]
    return MarkedInstant(video, row["time_us"], row["frame"], _request(video, row["time_us"]),
                 (video["width"], video["height"]) if known else None)  # fmt: skip


def _request(video: Row, time_us: int) -> Request | None:
    if video["media_path"] is None or video["media_kind"] == MediaKind.ABSENT:
        return None
    framed = video["media_kind"] == MediaKind.FRAMES
    rate = (video["fps_num"], video["fps_den"]) if framed else (None, None)
    recording = CutSource(video["dataset"], video["media_path"], video["media_kind"], *rate,
                          video["first_picture"] or 0, video["media_sha256"])  # fmt: skip
    return Request(recording, PICTURE, time_us, time_us)


def _take(mine: MarkedInstant, row: Row, kind: str, row_id: str) -> None:
    if row["label"] is None:
        return
    mask = row["mask"]
    if mask and mine.size is None:
        height, width = rle_of(mask)["size"]
        mine.size = width, height
    box = tuple(row[name] for name in CORNERS)
    if None in box:
        box = box_of(mask) or ()
    if not box:
        mine.without.append(row["label"])
        return
    box_id = digest("box", row["dataset"], row["video_id"], kind, row_id)[:16]
    mine.boxes.append(Drawn(box_id, kind, row["label"], box, row["score"], mask=mask))


def sheet_of(
    shown: list[MarkedInstant], outcome: Outcome | None
) -> tuple[RoundSheet, dict[str, str], list[dict[str, Any]]]:
    """Return the images with their boxes, the path of each image, and what was left out.

    Args:
        outcome: result of extracting the images; None if no images are wanted.
    """
    frames, files, left = [], dict[str, str](), []
    for one in shown:
        cut = _cut(one, outcome)
        size = (cut["width"], cut["height"]) if "file" in cut else one.size
        code, why = _lacks(one, cut, size, outcome is not None)
        if code:
            left.append({"dataset": one.video["dataset"], "video_id": one.video["video_id"],
                         "time_us": one.time_us, "code": code, "reason": why})  # fmt: skip
        if (one.without and not one.boxes) or size is None or (outcome is not None and
                                                               "file" not in cut):  # fmt: skip
            continue
        name = picture_name(one)
        if "file" in cut:
            files[name] = cut["file"]
        frames.append(SheetFrame(name, one.video["video_id"], one.time_us, one.frame, *size,
                            tuple(one.boxes), medium=""))  # fmt: skip
    labels = named(sorted({(box.kind, box.label) for frame in frames for box in frame.boxes}))
    return RoundSheet(0, labels, tuple(frames)), files, left


def _cut(one: MarkedInstant, outcome: Outcome | None) -> Mapping[str, Any]:
    if outcome is None:
        return {}
    return outcome[one.request.key] if one.request else {"why": "it has annotations only"}


def _lacks(
    one: MarkedInstant, cut: Row, size: tuple[int, int] | None, wanted: bool
) -> tuple[str, str]:
    """Return (code, reason) if an image or a label is left out, otherwise two empty strings."""
    if wanted and "file" not in cut:
        return NO_PICTURE, str(cut.get("why"))
    if size is None:
        return NO_SIZE, "the size of its pictures is not known; name their folder"
    if one.without:
        return NO_PLACE, f"annotated without box or mask: {', '.join(sorted(one.without))}"
    return "", ""


def picture_name(one: MarkedInstant) -> str:
    """Return the file name of an image, which does not contain the name of the video."""
    name = file_name(one.frame, one.video["dataset"], one.video["video_id"])
    return Path(name).with_suffix(".jpg").name


Video = tuple[str, str]
"""Dataset and video id."""


def splits_of(folder: OutputFolder) -> dict[Video, str | None]:
    """Return the split of each video that has questions."""
    rows = folder.rows(None, ["dataset", "video_id", "split"])
    return {(row["dataset"], row["video_id"]): row["split"] for row in rows}


def frame_lines(
    shown: list[MarkedInstant], sheet: RoundSheet, splits: Mapping[Video, str | None]
) -> Iterator[dict[str, Any]]:
    """Yield the video, the time and the split of each image of the sheet."""
    known = {picture_name(one): one.video for one in shown}
    for frame in sheet.frames:
        video = known[frame.file]["dataset"], frame.video_id
        line = {"file": frame.file, "dataset": video[0], "video_id": frame.video_id}
        at = {"time_us": frame.time_us, "frame": frame.frame, "split": splits.get(video)}
        yield line | at
