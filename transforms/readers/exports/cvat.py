"""CVAT's XML 1.1, "for images" and "for video": boxes, polygons, masks, tags and tracks.

CVAT writes all frames between keyframes; missing frames are interpolated. A track ends where it is
``outside``, or at the end of the task. An image with the tag ``not_reviewed`` counts as not
annotated.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import Any, NoReturn

import numpy as np

from surgqa.ontology.boxes import Box
from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.masks import encoded
from surgqa.ontology.xml_text import Node, read_xml
from surgqa.transforms.media import masks
from surgqa.transforms.readers.base.delimited import number, whole_number
from surgqa.transforms.readers.base.shapes import (
    MOST_FRAMES,
    AnnotatedFilm,
    AnnotatedPicture,
    ExportContent,
    Shape,
    ShapeKeyframe,
    around,
    attributes_of,
    scaled,
)

NOT_REVIEWED = "not_reviewed"
_NOT_SHAPES = ("attribute", "tag")
_ID = "surgqa_id"
Size = tuple[int, int]


def read_cvat(data: bytes, name: str) -> ExportContent:
    """Return all images, or the video, of one file; nothing for other XML.

    Raises:
        SourceBroken: the file is not XML, has a document type, or states no size of the video.
    """
    root = read_xml(data, name)
    if root.tag != "annotations":
        return ExportContent(name, (), known=False)
    labels = _labels(root)
    pictures = tuple(_picture(image, name) for image in root.all("image"))
    films = (_film(root, name),) if root.all("track") or _is_film(root) else ()
    seen = [shape.label for picture in pictures for shape in picture.shapes]
    seen += [track.attributes.get("label", "") for track in root.all("track")]
    return ExportContent(name, labels or tuple(dict.fromkeys(seen)), pictures, films)


def _labels(root: Node) -> tuple[str, ...]:
    for task in ("task", "job", "project"):
        node = root.find("meta", task, "labels")
        if node:
            names = [one.text_at("name") for one in node.all("label")]
            return tuple(one for one in names if one != NOT_REVIEWED)
    return ()


def _task(root: Node) -> Node:
    found = root.find("meta", "task") or root.find("meta", "job")
    return found or Node("task", {}, root.line)


def _is_film(root: Node) -> bool:
    return not root.all("image") and _task(root).text_at("mode") == "interpolation"


def _picture(image: Node, name: str) -> AnnotatedPicture:
    where = f"{name}:{image.line}"
    path = image.attributes.get("name", "").strip()
    size = _size(image.attributes.get("width", ""), image.attributes.get("height", ""))
    if not path or size is None:
        _refuse(name, image, "<image name width height>", str(image.attributes))
    tags = [tag for tag in image.all("tag") if tag.attributes.get("label") != NOT_REVIEWED]
    shapes = [_shape(one, name, size) for one in image.children if one.tag not in _NOT_SHAPES]
    shapes += [
        Shape(
            tag.attributes.get("label", ""), None, f"{name}:{tag.line}", attributes=_filled_in(tag)
        )
        for tag in tags
    ]
    reviewed = len(tags) == len(image.all("tag"))
    return AnnotatedPicture(path, where, tuple(shapes), size=size, reviewed=reviewed)


def _film(root: Node, name: str) -> AnnotatedFilm:
    task = _task(root)
    sizes = (task.find("original_size"), root.find("meta", "original_size"))
    node = next((one for one in sizes if one), None)
    size = _size(node.text_at("width"), node.text_at("height")) if node else None
    if size is None:
        _refuse(name, root, "<original_size> with width and height", "none")
    tracks = tuple(_track(track, name, size) for track in root.all("track"))
    shown = [key.frame for track in tracks for key in track]
    path = task.text_at("source") or root.text_at("meta", "source") or task.text_at("name")
    stem = PurePosixPath(name).stem
    return AnnotatedFilm(
        path or stem, f"{name}:{root.line}", _frames(task, shown), tracks, size=size
    )


def _frames(task: Node, shown: Sequence[int]) -> range:
    """Return the frames of the task, from the first to the last, by the task's step."""
    step_text = task.text_at("frame_filter").removeprefix("step=")
    step = max(whole_number(step_text) or 1, 1)
    first = whole_number(task.text_at("start_frame")) or 0
    last = whole_number(task.text_at("stop_frame"))
    count = whole_number(task.text_at("size"))
    if last is None and count is not None:
        last = first + (count - 1) * step
    if last is None or last < 0:
        last = max(shown, default=first)
    return range(first, last + 1, step)


def _track(track: Node, name: str, size: Size) -> tuple[ShapeKeyframe, ...]:
    label, number_ = track.attributes.get("label", ""), track.attributes.get("id", "")
    keys: dict[int, ShapeKeyframe] = {}
    for one in track.children:
        if one.tag in _NOT_SHAPES:
            continue
        frame = whole_number(one.attributes.get("frame", ""))
        if frame is None or not 0 <= frame < MOST_FRAMES or frame in keys:
            _refuse(name, one, "a frame number, each once in a track", str(one.attributes))
        if one.attributes.get("outside") == "1":
            keys[frame] = ShapeKeyframe(frame, None, False)
            continue
        drawn = one.attributes.get("keyframe", "1") != "0"
        shape = _shape(one, name, size, label, number_, drawn)
        keys[frame] = ShapeKeyframe(frame, shape, True)
    if not keys:
        _refuse(name, track, "a track with at least one shape", "none")
    return tuple(keys[frame] for frame in sorted(keys))


def _shape(
    one: Node, name: str, size: Size, label: str = "", track: str = "", drawn: bool = True
) -> Shape:
    given = one.attributes
    more: dict[str, Any] = {"track": track, "drawn": drawn, "attributes": _filled_in(one)}
    label, where = label or given.get("label", ""), f"{name}:{one.line}"
    if (number(given.get("rotation", "0")) or 0) != 0:
        return Shape(label, None, where, f"it is turned by {given['rotation']} degrees", **more)
    box: Box | None = None
    if one.tag == "box":
        corners = [number(given.get(key, "")) for key in ("xtl", "ytl", "xbr", "ybr")]
        values = [value for value in corners if value is not None]
        if len(values) == 4:
            box = (values[0], values[1], values[2], values[3])
    elif one.tag == "polygon":
        pieces = given.get("points", "").replace(";", ",").split(",")
        flat = [value for value in map(number, pieces) if value is not None]
        box = around(flat) if len(flat) == len(pieces) else None
        more["outline"] = partial(masks.from_polygons, [flat], *size)
    elif one.tag == "mask":
        cells = [whole_number(given.get(key, "")) for key in ("left", "top", "width", "height")]
        place = [cell for cell in cells if cell is not None]
        if len(place) == 4 and min(place[2:]) > 0:
            left, top, width, height = place
            box = (left, top, left + width, top + height)
            more["outline"] = partial(_mask, given.get("rle", ""), left, top, width, height, *size)
    if box is None:
        return Shape(label, None, where, f"the {one.tag} cannot be read", **more)
    return Shape(label, scaled(box, *size), where, **more)


def _mask(
    text: str, left: int, top: int, width: int, height: int, whole_w: int, whole_h: int
) -> str | None:
    """Return a mask from CVAT's run lengths (by rows, inside the mask's box, first background)."""
    runs = [whole_number(part) for part in text.split(",")]
    lengths = [run for run in runs if run is not None and run >= 0]
    inside = left >= 0 and top >= 0 and left + width <= whole_w and top + height <= whole_h
    if len(lengths) != len(runs) or sum(lengths) != width * height or not inside:
        return None
    bits = np.repeat(np.arange(len(lengths)) % 2, lengths).astype(bool)
    mask = np.zeros((whole_h, whole_w), dtype=bool)
    mask[top : top + height, left : left + width] = bits.reshape(height, width)
    return encoded(mask)


def _filled_in(node: Node) -> dict[str, float | str]:
    """Return the attributes that people filled in, and whether the shape is occluded."""
    given: dict[str, Any] = {}
    for one in node.all("attribute"):
        text = one.text.strip()
        value = number(text)
        plain = {"true": 1.0, "false": 0.0}.get(text.casefold(), text)
        given[one.attributes.get("name", "")] = plain if value is None else value
    if node.attributes.get("occluded") in ("0", "1"):
        given.setdefault("occluded", float(node.attributes["occluded"]))
    return attributes_of(given, (_ID,))


def _size(width: str, height: str) -> Size | None:
    sides = whole_number(width), whole_number(height)
    return (sides[0], sides[1]) if sides[0] and sides[1] and min(sides[0], sides[1]) > 0 else None


def _refuse(name: str, node: Node, expected: str, found: str) -> NoReturn:
    raise SourceBroken(
        f"{name} is not valid XML of CVAT",
        expected=expected,
        found=found,
        where=f"{name}:{node.line}",
        fix="export the task again as 'CVAT for images 1.1' or 'CVAT for video 1.1'",
    )
