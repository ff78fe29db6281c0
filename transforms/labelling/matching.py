"""Compare a returned file with its sheet, and decide for every box what happened to it.

A frame counts as reviewed only if all its boxes can be read.  With a missing box, the frame would
teach a detector that nothing is there.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from surgqa.ontology.boxes import iou
from surgqa.ontology.keys import digest
from surgqa.transforms.labelling.sheet import (
    ID_CHARS,
    Box,
    BoxLabel,
    ChangeReason,
    Drawn,
    Reject,
    Returned,
    ReturnedBox,
    ReturnedFile,
    RoundSheet,
    SheetFrame,
)

SAME_PLACE = 1e-4
"""A corner that moved by at most this share of the frame is unchanged; the tools write hundredths
of a pixel."""
MOST_OUTSIDE = 0.02
"""A box may leave the frame by this share of it and is clipped; beyond it, the box is rejected."""
SAME_LABEL_IOU, OTHER_LABEL_IOU = 0.3, 0.6
"""Minimum overlap of a box without id with an exported box of the same label, and of another."""


class Action(StrEnum):
    """The change that a person made to a box."""

    CONFIRMED = "confirmed"
    MOVED = "moved"
    RELABELLED = "relabelled"
    ADDED = "added"
    CLICKED = "clicked"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class Correction:
    """One box after review. A deleted box is unchanged, and a click is a box without area."""

    action: Action
    box: Drawn


@dataclass(frozen=True, slots=True)
class ReviewedFrame:
    """A reviewed frame; if it has no corrections, it shows no object."""

    frame: SheetFrame
    corrections: tuple[Correction, ...]


@dataclass(frozen=True, slots=True)
class FrameCounts:
    """Counts of the sheet's frames: exported = imported + not_reviewed + rejected."""

    exported: int
    imported: int
    not_reviewed: int
    rejected: int

    @property
    def balanced(self) -> bool:
        return self.exported == self.imported + self.not_reviewed + self.rejected


@dataclass(frozen=True, slots=True)
class BoxCounts:
    """Counts of the boxes of the sheet and of the file, by what happened to them.

    ``exported = confirmed + moved + relabelled + deleted + untouched`` are boxes of the sheet, and
    ``in_file = confirmed + moved + relabelled + added + clicked + left_out`` boxes of the file.
    Boxes are untouched or left out if their frame was not reviewed or was rejected.
    """

    exported: int
    in_file: int
    confirmed: int
    moved: int
    relabelled: int
    added: int
    clicked: int
    deleted: int
    untouched: int
    left_out: int

    @property
    def balanced(self) -> bool:
        kept = self.confirmed + self.moved + self.relabelled
        return (
            self.exported == kept + self.deleted + self.untouched
            and self.in_file == kept + self.added + self.clicked + self.left_out
        )


@dataclass(slots=True)
class MatchedFile:
    """A returned file, compared with the sheet of its round.

    Attributes:
        not_reviewed: frames of the sheet that nobody has reviewed.
    """

    reviewed: list[ReviewedFrame] = field(default_factory=list)
    not_reviewed: list[str] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    frames: FrameCounts = FrameCounts(0, 0, 0, 0)
    boxes: BoxCounts = BoxCounts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)


def match(sheet: RoundSheet, reading: ReturnedFile) -> MatchedFile:
    """Compare a returned file with the sheet of its round."""
    found = MatchedFile(rejects=list(reading.rejects))
    pictures = _one_each(sheet, reading.pictures, found.rejects)
    rejected = 0
    for frame in sheet.frames:
        picture = pictures.get(frame.file)
        if picture is None or not picture.reviewed:
            found.not_reviewed.append(frame.file)
            continue
        rejects, boxes = _checked(sheet, frame, picture)
        found.rejects += rejects
        if any(one.outcome == "frame" for one in rejects):
            rejected += 1
            continue
        found.reviewed.append(ReviewedFrame(frame, tuple(_paired(frame, boxes))))
    counts = len(sheet.frames), len(found.reviewed), len(found.not_reviewed)
    found.frames = FrameCounts(*counts, rejected)
    odd = (ChangeReason.BAD_ROW, ChangeReason.UNKNOWN_PICTURE)
    lost = sum(one.outcome == "box" and one.code in odd
               for one in reading.rejects)  # fmt: skip
    found.boxes = _box_counts(sheet, reading.pictures, lost, found.reviewed)
    return found


def _one_each(
    sheet: RoundSheet, pictures: Iterable[Returned], rejects: list[Reject]
) -> dict[str, Returned]:
    known = {frame.file for frame in sheet.frames}
    found: dict[str, Returned] = {}
    for one in pictures:
        if one.file not in known:
            reason = f"no frame of round {sheet.round} has this picture"
            rejects.append(
                Reject(one.file, ChangeReason.UNKNOWN_PICTURE, reason, one.where, "picture")
            )
        elif one.file in found:
            reason = f"listed before, at {found[one.file].where}; the first is taken"
            rejects.append(
                Reject(one.file, ChangeReason.DUPLICATE_PICTURE, reason, one.where, "picture")
            )
        else:
            found[one.file] = one
    return found


def _checked(
    sheet: RoundSheet, frame: SheetFrame, picture: Returned
) -> tuple[list[Reject], list[tuple[ReturnedBox, BoxLabel, Box]]]:
    """Return rejections of one frame, and its boxes with their labels, clipped to the frame."""
    rejects: list[Reject] = []
    if picture.size is not None and picture.size != (frame.width, frame.height):
        wide, high = picture.size
        reason = f"{wide} x {high} pixels, exported with {frame.width} x {frame.height}"
        return [Reject(frame.file, ChangeReason.CHANGED_SIZE, reason, picture.where, "frame")], []
    names = {one.name: one for one in sheet.labels}
    boxes: list[tuple[ReturnedBox, BoxLabel, Box]] = []
    for one in picture.boxes:
        problem, box = _box(one, names)
        if problem is not None:
            rejects.append(Reject(frame.file, *problem[:2], one.where, problem[2]))
        if box is None:
            continue
        label = names[one.name]
        if any(label == other and (box == there or one.clicked and first.clicked)
               for first, other, there in boxes):  # fmt: skip
            how = "clicked" if one.clicked else "in the same place"
            reason = f"the same {one.name} {how} twice"
            rejects.append(Reject(frame.file, ChangeReason.DUPLICATE_BOX, reason, one.where, "box"))
            continue
        boxes.append((one, label, box))
    return rejects, boxes


def _box(
    one: ReturnedBox, names: dict[str, BoxLabel]
) -> tuple[tuple[ChangeReason, str, str] | None, Box | None]:
    """Return the problem with a box, and the box itself if it can be kept."""
    if one.box_xyxy is None:
        return (ChangeReason.BAD_SHAPE, one.note, "frame"), None
    if one.name not in names:
        known = ", ".join(names)
        return (ChangeReason.UNKNOWN_LABEL, f"{one.name!r} is none of {known}", "frame"), None
    if not all(map(math.isfinite, one.box_xyxy)):
        return (ChangeReason.BAD_BOX, "a corner that is not a number", "frame"), None
    x1, y1, x2, y2 = one.box_xyxy
    if not one.clicked and (x2 <= x1 or y2 <= y1):
        return (ChangeReason.BAD_BOX, "a box without area", "frame"), None
    over = max(-x1, -y1, x2 - 1, y2 - 1)
    if over <= 0:
        return None, one.box_xyxy
    if over > MOST_OUTSIDE:
        return (ChangeReason.OUTSIDE, f"leaves the frame by {over:.1%} of its size", "frame"), None
    x1, y1, x2, y2 = (min(max(side, 0.0), 1.0) for side in one.box_xyxy)
    box = (x1, y1, x2, y2)
    if not one.clicked and (box[2] <= box[0] or box[3] <= box[1]):
        return (ChangeReason.OUTSIDE, "lies outside the frame", "frame"), None
    if over <= SAME_PLACE:  # a corner on the border that the tool rounded
        return None, box
    return (ChangeReason.CLIPPED, f"left the frame by {over:.2%} of its size", "repaired"), box


def _paired(frame: SheetFrame, boxes: list[tuple[ReturnedBox, BoxLabel, Box]]) -> list[Correction]:
    """Return every box of the frame and of the file, as a correction."""
    partner = _partners(frame, boxes)
    taken = set(partner.values())
    found = []
    for n, (marked, label, box) in enumerate(boxes):
        if n in partner:
            found.append(_kept(frame.boxes[partner[n]], label, box))
        else:
            action = Action.CLICKED if marked.clicked else Action.ADDED
            found.append(Correction(action, _new(frame, label, box)))
    found += [
        Correction(Action.DELETED, one) for n, one in enumerate(frame.boxes) if n not in taken
    ]
    return sorted(found, key=lambda c: (c.box.kind, c.box.label, c.box.box_xyxy, c.action))


def _kept(old: Drawn, label: BoxLabel, box: Box) -> Correction:
    same_place = max(abs(a - b) for a, b in zip(old.box_xyxy, box, strict=True))
    if (old.kind, old.label) != (label.kind, label.label):
        # A track belongs to one instrument; linking finds the track of the new label.
        new = Drawn(old.box_id, label.kind, label.label, box, 1.0)
        return Correction(Action.RELABELLED, new)
    moved = same_place > SAME_PLACE
    where = box if moved else old.box_xyxy
    stays = Drawn(old.box_id, old.kind, old.label, where, 1.0, old.track, old.visibility, old.state)
    return Correction(Action.MOVED if moved else Action.CONFIRMED, stays)


def _new(frame: SheetFrame, label: BoxLabel, box: Box) -> Drawn:
    name = digest("box", "added", frame.file, label.kind, label.label, *map(repr, box))
    return Drawn(name[:ID_CHARS], label.kind, label.label, box, 1.0)


def _partners(frame: SheetFrame, boxes: list[tuple[ReturnedBox, BoxLabel, Box]]) -> dict[int, int]:
    """Return, for each box in the file, the index of its exported box; a click has none.

    Boxes are matched by id if the tool kept the id (of several copies, the first). Otherwise they
    are matched by position: the best overlap first, and equal labels before different labels.
    """
    ids = {one.box_id: n for n, one in enumerate(frame.boxes)}
    partner: dict[int, int] = {}
    for n, (marked, _, _) in enumerate(boxes):
        old = None if marked.clicked else ids.get(marked.box_id or "")
        if old is not None and old not in partner.values():
            partner[n] = old
    if not frame.boxes:
        return partner
    exported = np.array([one.box_xyxy for one in frame.boxes])
    pairs = []
    for n, (marked, label, box) in enumerate(boxes):
        overlaps = [] if marked.clicked else iou(exported, np.array(box)).tolist()
        for old, over in enumerate(overlaps):
            drawn = frame.boxes[old]
            same = (drawn.kind, drawn.label) == (label.kind, label.label)
            limit = SAME_LABEL_IOU if same else OTHER_LABEL_IOU
            if over >= limit:
                pairs.append((not same, -over, n, old))
    for _, _, n, old in sorted(pairs):
        if n not in partner and old not in partner.values():
            partner[n] = old
    return partner


def _box_counts(
    sheet: RoundSheet, pictures: Iterable[Returned], lost: int, reviewed: Iterable[ReviewedFrame]
) -> BoxCounts:
    frames = list(reviewed)
    found = Counter(c.action for one in frames for c in one.corrections)
    on_sheet = sum(len(one.boxes) for one in sheet.frames)
    in_file = lost + sum(len(one.boxes) for one in pictures)
    untouched = on_sheet - sum(len(one.frame.boxes) for one in frames)
    left_out = in_file - (found.total() - found[Action.DELETED])
    actions = {str(action): found[action] for action in Action}
    return BoxCounts(on_sheet, in_file, **actions, untouched=untouched, left_out=left_out)
