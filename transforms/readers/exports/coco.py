"""COCO as tools export it: ``images``, ``annotations`` and ``categories`` in one JSON file.

Boxes, polygons and run lengths are read. Tracks come from ``track_id`` of the annotation or of its
``attributes``. ``videos`` is read if images name their video (as in COCO for video).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import partial
from typing import Any, NoReturn

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.guarded import as_id
from surgqa.transforms.media import masks
from surgqa.transforms.readers.base.shapes import (
    AnnotatedPicture,
    ExportContent,
    Shape,
    around,
    attributes_of,
    numbers,
    scaled,
)

NAMES = (
    "id", "image_id", "category_id", "bbox", "segmentation", "area", "iscrowd", "score",
    "track_id", "surgqa_id", "attributes", "instance_id", "video_id", "image_name",
)  # fmt: skip
"""Fields of an annotation that are not attributes."""


def is_coco(tree: Any) -> bool:
    """Return whether a JSON file's content looks like COCO."""
    return isinstance(tree, Mapping) and "images" in tree and "annotations" in tree


def read_coco(tree: Any, name: str) -> ExportContent:
    """Return all images with their shapes.

    Raises:
        SourceBroken: the file is not COCO, or an annotation belongs to no image.
    """
    for key in ("images", "annotations", "categories"):
        if not isinstance(tree.get(key), list) or not all(
            isinstance(entry, Mapping) for entry in tree[key]
        ):
            _refuse(name, key, f"a list of objects named {key}", type(tree.get(key)).__name__)
    labels = {as_id(entry.get("id")): str(entry.get("name")) for entry in tree["categories"]}
    entries = tree["videos"] if isinstance(tree.get("videos"), list) else []
    videos = {as_id(v.get("id")): str(v.get("name") or v.get("file_name"))
              for v in entries if isinstance(v, Mapping)}  # fmt: skip
    images: dict[Any, tuple[int, Mapping[str, Any]]] = {}
    for number, image in enumerate(tree["images"]):
        key = image.get("id")
        if not isinstance(key, (int, str)) or key in images:
            _refuse(name, f"images[{number}]", "an id of its own for every image", repr(key))
        images[key] = number, image
    shapes: dict[Any, list[Shape]] = defaultdict(list)
    for number, entry in enumerate(tree["annotations"]):
        key, where = entry.get("image_id"), f"annotations[{number}]"
        if not isinstance(key, (int, str)) or key not in images:
            _refuse(name, where, "the id of an image", repr(key))
        label = labels.get(as_id(entry.get("category_id")), f"category {entry.get('category_id')}")
        shapes[key].append(_shape(entry, label, _size(images[key][1]), f"{name} {where}"))
    pictures = tuple(
        _picture(image, f"{name} images[{number}]", tuple(shapes[key]), videos)
        for key, (number, image) in images.items()
    )
    return ExportContent(name, tuple(labels.values()), pictures)


def _picture(
    image: Mapping[str, Any], where: str, shapes: tuple[Shape, ...], videos: Mapping[Any, str]
) -> AnnotatedPicture:
    path = image.get("file_name")
    if not isinstance(path, str) or not path.strip():
        _refuse(where.split(" ")[0], where.split(" ")[1], "a file_name", repr(path))
    frame = next((image[key] for key in ("frame_id", "frame_index", "frame_number")
                  if type(image.get(key)) is int and 0 <= image[key] < 10**9), None)  # fmt: skip
    video = videos.get(as_id(image.get("video_id")), "")
    return AnnotatedPicture(str(path), where, shapes, video, frame if video else None, _size(image))


def _size(image: Mapping[str, Any]) -> tuple[int, int] | None:
    sides = numbers([image.get("width"), image.get("height")], 2)
    return (int(sides[0]), int(sides[1])) if sides and min(sides) >= 1 else None


def _shape(entry: Mapping[str, Any], label: str, size: tuple[int, int] | None, where: str) -> Shape:
    own = entry.get("attributes")
    drawn_by_hand = not isinstance(own, Mapping) or own.get("keyframe") is not False
    track = entry.get("track_id", entry.get("instance_id"))
    if track is None and isinstance(own, Mapping):
        track = own.get("track_id")
    score = numbers([entry.get("score")], 1)
    more: dict[str, Any] = {
        "track": "" if track is None else str(track),
        "drawn": drawn_by_hand,
        "score": score[0] if score else 1.0,
        "attributes": attributes_of(own, ("track_id", "keyframe")) | attributes_of(
            {key: value for key, value in entry.items() if key not in NAMES}),
    }  # fmt: skip
    if size is None:
        return Shape(label, None, where, "its image has no width and height", **more)
    drawn = entry.get("segmentation") or None
    if drawn is not None:
        more["outline"] = partial(masks.from_coco, drawn, *size)
    corners = numbers(entry.get("bbox"), 4)
    if corners:
        x, y, w, h = corners
        return Shape(label, scaled((x, y, x + w, y + h), *size), where, **more)
    if isinstance(drawn, list) and drawn and all(isinstance(one, list) for one in drawn):
        flat = [value for one in drawn for value in one]
        points = around(numbers(flat, len(flat)) or [])
        if points:
            return Shape(label, scaled(points, *size), where, **more)
    problem = "" if drawn is not None else f"bbox {entry.get('bbox')!r} is not four numbers"
    return Shape(label, None, where, problem, **more)


def _refuse(name: str, place: str, expected: str, found: str) -> NoReturn:
    raise SourceBroken(
        f"{name} is not valid COCO",
        expected=expected,
        found=found,
        where=f"{name} {place}",
        fix="export the file again, or remove this entry",
    )
