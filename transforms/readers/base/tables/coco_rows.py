"""COCO files of many videos, row by row: convert a label file to the contents of each image.

A file lists images of many videos (``CASE021/02865.jpg``). Its annotations are either instances of
instruments, with boxes, masks and actions, or one row for each image with its phase and step.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from surgqa.ontology.boxes import Box
from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.json_text import read_json
from surgqa.ontology.published import Unfit
from surgqa.ontology.records import Clock, Code, Source
from surgqa.transforms.media.masks import area_of, box_of, from_coco
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.whole_frames import FrameRow, WholeFrames, found_box
from surgqa.transforms.readers.base.words import AllWords, fitting

SOURCE_DIGITS = 9
"""File names of so many digits count the frames of the source recording."""
_PICTURE = re.compile(r"(?:.*/)?([^/]+)/(\d{1,9})\.\w{3,4}")
_KINDS = {"instrument": "categories", "action": "action{}_categories",
          "phase": "phase{}_categories", "step": "step{}_categories"}  # fmt: skip
Labels = Mapping[int, str | tuple[Code, str]]
"""Source id -> concept; for an id without a concept, rejection code and reason."""


@dataclass(frozen=True, slots=True)
class CocoPicture:
    """One image of a case; ``rows`` are its annotations with their places in the file."""

    number: int
    digits: int
    width: int
    height: int
    rows: list[tuple[int, Mapping[str, Any]]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class CocoFile:
    """One label file: names by kind and id, and the images of each video.

    Attributes:
        where: place of the first picture of each video.
    """

    names: Mapping[str, Mapping[int, str]]
    cases: Mapping[str, list[CocoPicture]]
    where: Mapping[str, str]

    def part(self, source: Source, video_id: str, words: AllWords, instances: bool) -> Part:
        """Return the part of the file that is about one video."""
        kinds = {
            kind: {i: words[kind].concept(name) for i, name in self.names[kind].items()}
            for kind in _KINDS if kind in words
        }  # fmt: skip
        return Part(int(instances), video_id, source, kinds, self.cases[video_id])


@dataclass(frozen=True, slots=True)
class Part:
    """The contents of one file about one video; ``place``: 1 for instances, 0 for phases."""

    place: int
    video_id: str
    source: Source
    kinds: Mapping[str, Labels]
    pictures: list[CocoPicture]


class PictureLabels(NamedTuple):
    """What a row says of its image: phase and step ('' for none), and actions of the instrument."""

    phase: str
    step: str
    actions: tuple[str, ...] = ()


def coco_file(data: bytes, name: str) -> CocoFile:
    """Parse a label file.

    Raises:
        SourceBroken: the file is not JSON, or an image or annotation belongs to no video.
    """
    tree = read_json(data, name).data
    kinds = {kind: _names(tree, key, name) for kind, key in _KINDS.items()}
    cases: dict[str, list[CocoPicture]] = {}
    first: dict[str, str] = {}
    by_id: dict[Any, CocoPicture] = {}
    for place, entry in enumerate(_entries(tree, "images", name)):
        match = _PICTURE.fullmatch(str(entry.get("file_name")))
        width, height = (_side(entry.get(side)) for side in ("width", "height"))
        if match is None or not width or not height:
            raise broken(f"{name} images[{place}]", "CASE001/00001.jpg with its size", entry)
        picture = CocoPicture(int(match[2]), len(match[2]), width, height)
        if by_id.setdefault(repr(entry.get("id")), picture) is not picture:
            raise broken(f"{name} images[{place}]", "an id that no other image has", entry)
        cases.setdefault(match[1], []).append(picture)
        first.setdefault(match[1], f"{name} images[{place}]")
    for place, entry in enumerate(_entries(tree, "annotations", name)):
        owner = by_id.get(repr(entry.get("image_id")))
        if owner is None:
            raise broken(f"{name} annotations[{place}]", "the id of an image", entry)
        owner.rows.append((place, entry))
    return CocoFile(kinds, cases, first)


def _side(value: Any) -> int:
    return value if type(value) is int and value > 0 else 0


def _entries(tree: Mapping[str, Any], key: str, name: str) -> list[Mapping[str, Any]]:
    found = tree.get(key)
    if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
        raise broken(f"{name} {key}", "a list of objects", found)
    return found


def _names(tree: Mapping[str, Any], key: str, name: str) -> dict[int, str]:
    """Return the names of one kind of label by id; ``{}`` in the key may be a plural s."""
    key = next((k for k in (key.format("s"), key.format("")) if k in tree), "")
    names: dict[int, str] = {}
    for place, entry in enumerate(_entries(tree, key, name) if key else ()):
        number, label = entry.get("id"), entry.get("name")
        if type(number) is not int or not isinstance(label, str) or number in names:
            raise broken(f"{name} {key}[{place}]", "an id of its own and a name", entry)
        names[number] = label
    return names


def broken(where: str, expected: str, found: Any) -> SourceBroken:
    return SourceBroken(
        f"{where} has an invalid value", expected=expected, found=f"{found!r:.80}", where=where,
        fix="download the file again from the release",
    )  # fmt: skip


def seconds_of(parts: Sequence[Part]) -> tuple[dict[int, int], Clock]:
    """Return the second of each image number; and ``Clock.ORDER`` if it is only a rank.

    Image numbers are seconds, unless they count frames of the recordings, whose rates differ and
    drift. In that case, the file of phases (``parts[0]``) lists one image a second, so the rank of
    an image in this list is its time. Without this file, only the order of the images is known.
    """
    numbers = sorted({picture.number for picture in parts[0].pictures})
    if all(p.digits < SOURCE_DIGITS for part in parts for p in part.pictures):
        return {p.number: p.number for part in parts for p in part.pictures}, Clock.TIME
    clock = Clock.ORDER if parts[0].place else Clock.TIME
    return {number: rank for rank, number in enumerate(numbers)}, clock


def whole_pictures(
    part: Part, seconds: Mapping[int, int], workflow: bool, ledger: Ledger
) -> WholeFrames:
    """Return the images of a file by second, with all of their rows; invalid rows are rejected.

    Args:
        workflow: whether phase and step are taken from this file.
    """
    frames = WholeFrames(ledger)
    for picture in sorted(part.pictures, key=lambda picture: picture.number):
        second = seconds.get(picture.number, -1)
        again = second in frames.frames
        for place, entry in picture.rows:
            at, where = (part.place, place), where_of(part, place)
            if second < 0:
                ledger.reject(
                    at,
                    Code.BAD_TIME,
                    "the file of phases does not list this picture, so its second is unknown",
                    where,
                )
            elif again:
                reason = "another picture has the same number"
                ledger.reject(at, Code.DUPLICATE_FRAME, reason, where)
            else:
                read = partial(_labels, part, picture, place, entry, workflow, ledger)
                frames.add(second, at, where, read)
        if second >= 0:
            frames.open(second)
    return frames


def where_of(part: Part, place: int) -> str:
    return f"{part.source.path} annotations[{place}]"


def _labels(
    part: Part, picture: CocoPicture, place: int, entry: Mapping[str, Any], workflow: bool,
    ledger: Ledger,
) -> FrameRow:  # fmt: skip
    phase = _concept(part, entry, "phase") if workflow else ""
    step = _concept(part, entry, "step") if workflow else ""
    if not part.place:
        return FrameRow(frame_labels=PictureLabels(phase, step))
    ids = {repr(entry[key]) for key in ("category_id", "instruments") if key in entry}
    if len(ids) > 1:
        raise Unfit(Code.CONTRADICTION, f"two instruments in one row: {', '.join(sorted(ids))}")
    number = entry.get("category_id", entry.get("instruments"))
    instrument = _mapped("instrument", part.kinds["instrument"], number)
    actions_listed = entry.get("actions", []) if "action" in part.kinds else []
    if not isinstance(actions_listed, list):
        raise Unfit(Code.BAD_VALUE, f"actions are {actions_listed!r:.40} and not a list of ids")
    actions = tuple(sorted({_mapped("action", part.kinds["action"], n) for n in actions_listed}))
    mask = _mask(part, picture, place, entry.get("segmentation"), ledger)
    box, is_cut = _box(entry.get("bbox"), picture)
    return FrameRow(
        instrument, box or box_of(mask), is_cut, mask=mask,
        attributes={"area": area_of(mask)} if mask else {},
        frame_labels=PictureLabels(phase, step, actions),
    )  # fmt: skip


def _concept(part: Part, entry: Mapping[str, Any], kind: str) -> str:
    """Return the concept of an image's phase or step; '' if none is given."""
    value = entry.get(f"{kind}s", entry.get(kind, -1))
    absent = value == -1 or value is None or kind not in part.kinds
    return "" if absent else _mapped(kind, part.kinds[kind], value)


def _mapped(kind: str, labels: Labels, number: Any) -> str:
    if type(number) is not int:
        raise Unfit(Code.BAD_VALUE, f"{kind} {number!r:.40} is not a whole number")
    unlisted = (Code.UNKNOWN_LABEL, f"{kind} id {number} is not in the list of names")
    return fitting(labels.get(number, unlisted))


def concepts(labels: Labels) -> tuple[str, ...]:
    """Return the concepts of one kind of label, sorted."""
    return tuple(sorted({entry for entry in labels.values() if isinstance(entry, str)}))


def _mask(part: Part, picture: CocoPicture, place: int, entry: Any, ledger: Ledger) -> str:
    if not entry:
        return ""
    size = entry.get("size") if isinstance(entry, dict) else None
    fits = size is None or size == [picture.height, picture.width]
    mask = from_coco(entry, picture.width, picture.height) if fits else None
    if mask is None:
        reason = "the mask is not one of this picture's size: left out, the box is kept"
        ledger.repair((part.place, place), Code.BAD_MASK, reason, where_of(part, place))
    return mask or ""


def _box(bbox: Any, picture: CocoPicture) -> tuple[Box | None, bool]:
    """Return the box of ``[x, y, width, height]`` (all 0: none), and whether it was cut."""
    if bbox is None or bbox == [0, 0, 0, 0]:
        return None, False
    numbers = [n for n in bbox if type(n) in (int, float)] if isinstance(bbox, list) else []
    if len(numbers) != 4 or len(bbox) != 4:
        raise Unfit(Code.BAD_BOX, f"the box {bbox!r:.60} is not four numbers")
    x, y, w, h = numbers
    if w <= 0 or h <= 0:
        raise Unfit(Code.BAD_BOX, f"the box {bbox!r:.60} has no area in the picture")
    return found_box((x, y, x + w, y + h), picture.width, picture.height)
