"""A sheet: frames for people to review, and the returned corrections, independent of any tool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import numpy as np
import pyarrow.compute as pc

from surgqa.ontology.in_view import in_view
from surgqa.ontology.keys import digest
from surgqa.ontology.masks import from_rows
from surgqa.ontology.records import IDLE
from surgqa.transforms.labelling.choose import ChosenFrame
from surgqa.transforms.labelling.signs import NamedTissues
from surgqa.transforms.labelling.view import StoreView

Box = tuple[float, float, float, float]
"""x1, y1, x2, y2 in [0, 1] of width and height."""

SUFFIX = ".png"
ID_CHARS = 16


@dataclass(frozen=True, slots=True)
class Drawn:
    """A box on a sheet.

    Attributes:
        box_id: digest of the box's content; the same in every format and every export.
        visibility, state, track: values that the model gave the box; they stay if the annotator
            keeps the box.
        mask: COCO's compressed run lengths after ``HEIGHTxWIDTH:``; None for a box without a mask.
    """

    box_id: str
    kind: str
    label: str
    box_xyxy: Box
    score: float | None
    track: int | None = None
    visibility: str | None = None
    state: str | None = None
    mask: str | None = None


@dataclass(frozen=True, slots=True)
class SheetFrame:
    """A frame on a sheet.

    Attributes:
        file: name of the image; it contains neither the video's name nor the patient's.
        medium: SHA-256 of the video's content that was shown; '' if nobody reviews the frame.
        width, height: pixels.
        asked: names of tissues that speech names and that have no box: a person should click on
            them.
    """

    file: str
    video_id: str
    time_us: int
    frame: int
    width: int
    height: int
    boxes: tuple[Drawn, ...]
    asked: tuple[str, ...] = ()
    medium: str = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class BoxLabel:
    """A label of boxes: its display name, and its concept."""

    name: str
    kind: str
    label: str


@dataclass(frozen=True, slots=True)
class RoundSheet:
    """The frames of one round.

    Attributes:
        labels: labels of boxes, in the order of their numbers.
    """

    round: int
    labels: tuple[BoxLabel, ...]
    frames: tuple[SheetFrame, ...]

    def name(self, kind: str, label: str) -> str:
        """Return the display name of a concept."""
        return next(one.name for one in self.labels if (one.kind, one.label) == (kind, label))

    def number(self, kind: str, label: str) -> int:
        """Return the number of a concept, from 0."""
        return [(one.kind, one.label) for one in self.labels].index((kind, label))


@dataclass(frozen=True, slots=True)
class ReturnedBox:
    """A box as a tool returned it.

    Attributes:
        name: the label's name in the tool.
        box_xyxy: shares of the frame, unchecked; None if the shape is not an upright box.
        box_id: the id of the exported box, or None.
        where: position in the file.
        note: the problem with the shape, if there is no box.
        clicked: True for a point, where both corners of ``box_xyxy`` are equal. A model should
            outline the object there.
    """

    name: str
    box_xyxy: Box | None
    box_id: str | None
    where: str
    note: str = ""
    clicked: bool = False


@dataclass(frozen=True, slots=True)
class Returned:
    """A frame as a tool returned it.

    Attributes:
        size: (width, height) as stated in the file, or None.
        reviewed: True if a person has reviewed the frame.
    """

    file: str
    size: tuple[int, int] | None
    reviewed: bool
    boxes: tuple[ReturnedBox, ...]
    where: str


class ChangeReason(StrEnum):
    """The closed list of reasons for changing or rejecting returned entries."""

    UNKNOWN_LABEL = "unknown_label"
    BAD_BOX = "bad_box"
    OUTSIDE = "outside"
    CLIPPED = "clipped"
    BAD_SHAPE = "bad_shape"
    BAD_ROW = "bad_row"
    DUPLICATE_BOX = "duplicate_box"
    DUPLICATE_PICTURE = "duplicate_picture"
    UNKNOWN_PICTURE = "unknown_picture"
    CHANGED_SIZE = "changed_size"


@dataclass(frozen=True, slots=True)
class Reject:
    """An entry that was changed or rejected.

    Attributes:
        file: the image.
        where: position in the imported file.
        outcome: ``frame`` (the whole frame is left out, because a frame with a missing box would
            teach that nothing is there), ``box`` (only this box), ``picture`` (an image without a
            frame) or ``repaired`` (kept after a change).
    """

    file: str
    code: ChangeReason
    reason: str
    where: str
    outcome: str


@dataclass(slots=True)
class ReturnedFile:
    """The content of one returned file."""

    pictures: list[Returned] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)

    def reject(self, code: ChangeReason, reason: str, where: str, outcome: str) -> None:
        """Add an entry that belongs to no image; see :class:`Reject`."""
        self.rejects.append(Reject("", code, reason, where, outcome))


def file_name(frame: int, *video: str) -> str:
    """File name of a frame's image, with a digest of what identifies the video, not its name."""
    return f"{digest('label', *video)[:12]}_{frame:08d}{SUFFIX}"


def labels_of(view: StoreView, known: Sequence[Mapping[str, str]] = ()) -> tuple[BoxLabel, ...]:
    """Return the labels that boxes may have: the labels of the project first, then new labels.

    New labels are first the instruments and targets that may be visible in the videos' procedures,
    in the ontology's order, so that people can draw classes that no detector knows yet. Then come
    the labels of the store's boxes. If the procedure of a video is unknown, all labels of the
    ontology are used.
    """
    found = [(one["kind"], one["label"]) for one in known]
    seen: set[tuple[str, str]] = set()
    for video_id in view.videos():
        boxes = view.table(video_id, "boxes")
        seen.update(zip(boxes["kind"].to_pylist(), boxes["label"].to_pylist(), strict=True))
    said = {view.facts(v).get("metadata", {}).get("procedure") for v in view.videos()}
    terms = [("instrument", name) for name in in_view(said, "instruments")]
    terms += [("tissue", name) for name in in_view(said, "targets") if name != IDLE[1]]
    return named([*found, *terms, *sorted(seen)])


def named(found: Iterable[tuple[str, str]]) -> tuple[BoxLabel, ...]:
    """Return names for (kind, label) pairs, in their order.

    The kind is added to a name that labels of two kinds share.
    """
    ordered = dict.fromkeys(found)
    twice = {label for label, n in Counter(label for _, label in ordered).items() if n > 1}
    return tuple(
        BoxLabel(
            f"{kind}_{label}" if label in twice and kind != "instrument" else label, kind, label
        )
        for kind, label in ordered
    )


def drawn(view: StoreView, video_id: str, time_us: int) -> tuple[Drawn, ...]:
    """The observed boxes of one instant, in the store's order, with the masks of their tracks."""
    rows = _at(view, video_id, "boxes", time_us)
    masks = {(row["object"], row["label"]): row for row in _at(view, video_id, "masks", time_us)}
    met: Counter[tuple] = Counter()
    boxes = []
    for row in rows:
        box = (row["x1"], row["y1"], row["x2"], row["y2"])
        what = (view.dataset, video_id, time_us, row["kind"], row["label"], *map(repr, box))
        met[what] += 1
        name = digest("box", *what, met[what])[:ID_CHARS]
        mask = masks.get((row["track"], row["label"]))
        boxes.append(Drawn(
            name, row["kind"], row["label"], box, row["score"], row["track"], row["visibility"],
            row["state"], mask and from_rows(mask["counts"], mask["height"], mask["width"]),
        ))  # fmt: skip
    return tuple(boxes)


def _at(view: StoreView, video_id: str, kind: str, time_us: int) -> list[dict[str, Any]]:
    """Return the rows of one kind of evidence at one instant."""
    table = view.table(video_id, kind)
    return table.filter(pc.equal(table["time_us"], time_us)).to_pylist() if table.num_rows else []


def make_sheet(
    view: StoreView, number: int, choices: Iterable[ChosenFrame], labels: Sequence[BoxLabel]
) -> RoundSheet:
    """The chosen frames with their boxes, by file name; images are decoded to get their sizes."""
    frames = []
    for one in sorted(choices, key=lambda one: (one.video_id, one.time_us)):
        height, width, _ = view.picture(one.video_id, one.time_us).shape
        medium = view.medium(one.video_id)
        boxes = drawn(view, one.video_id, one.time_us)
        named = NamedTissues(view.table(one.video_id, "anchors")).at(one.time_us)
        missing = named - {box.label for box in boxes}
        asked = [o.name for o in labels if o.kind == "tissue" and o.label in missing]
        frames.append(SheetFrame(
            file_name(one.frame, view.dataset, one.video_id, medium), one.video_id, one.time_us,
            one.frame, width, height, boxes, tuple(asked), medium=medium,
        ))  # fmt: skip
    return RoundSheet(number, tuple(labels), tuple(sorted(frames, key=lambda one: one.file)))


def without_masks(sheet: RoundSheet) -> RoundSheet:
    """Return the sheet without masks."""
    frames = [replace(frame, boxes=tuple(replace(one, mask=None) for one in frame.boxes))
              for frame in sheet.frames]  # fmt: skip
    return replace(sheet, frames=tuple(frames))


def in_pixels(box: Box, frame: SheetFrame) -> Box:
    """Return a box's corners in pixels."""
    x1, y1, x2, y2 = box
    return x1 * frame.width, y1 * frame.height, x2 * frame.width, y2 * frame.height


def in_parts(box_px: Sequence[float], width: float, height: float) -> Box:
    """Return a box's corners in [0, 1] of the frame's width and height."""
    scale = np.array([width, height, width, height], dtype=np.float64)
    x1, y1, x2, y2 = (float(v) for v in np.asarray(box_px, dtype=np.float64) / scale)
    return x1, y1, x2, y2
