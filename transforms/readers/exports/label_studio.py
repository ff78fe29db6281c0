"""Label Studio's JSON: rectangles and polygons on pictures, rectangles over a video.

Coordinates are percent of the image. A task counts as annotated if it has an annotation that was
not cancelled; if there are several, the last one counts. Frames of a video are counted from 1.
Between keyframes a rectangle is interpolated. A rectangle lasts to the end of the video, unless a
keyframe with ``enabled: false`` ends it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any, NoReturn
from urllib.parse import unquote

from surgqa.ontology.errors import SourceBroken
from surgqa.ontology.guarded import as_id
from surgqa.transforms.media import masks
from surgqa.transforms.readers.base.shapes import (
    MOST_FRAMES,
    AnnotatedFilm,
    AnnotatedPicture,
    ExportContent,
    Shape,
    ShapeKeyframe,
    around,
    numbers,
)

UPLOADED = re.compile(r"^[0-9a-f]{8}-")
"""Prefix that Label Studio adds to the name of an uploaded file."""
VIDEO = "videorectangle"
_LABELS = ("rectanglelabels", "polygonlabels", "labels", "brushlabels", "keypointlabels",
           "ellipselabels", "timelinelabels")  # fmt: skip
_WITHOUT_PLACE = ("choices", "textarea", "rating", "number", "datetime", "taxonomy", "labels",
                  "rectangle", "polygon")  # fmt: skip
"""Types of results that are ignored: answers about a whole image, and a region without its label,
which another result repeats with the label."""


def is_label_studio(tree: Any) -> bool:
    """Return whether a JSON file's content looks like Label Studio's tasks."""
    return isinstance(tree, list) and any(
        isinstance(task, Mapping) and isinstance(task.get("data"), Mapping) for task in tree
    )


def read_label_studio(tree: Any, name: str) -> ExportContent:
    """Return all annotated images and videos.

    Raises:
        SourceBroken: a task has no image or video.
    """
    pictures: list[AnnotatedPicture] = []
    films: list[AnnotatedFilm] = []
    left_out: dict[str, tuple[tuple[str, str, str], ...]] = {}
    for number, task in enumerate(tree):
        where = f"{name} [{number}]"
        path, film = _path(task, name, where)
        results = _results(task)
        if results is None:
            continue
        regions = [(entry, f"{where} result[{n}]") for n, entry in enumerate(results)
                   if entry.get("type") not in _WITHOUT_PLACE]  # fmt: skip
        names = {as_id(entry.get("id")): _label(entry) for entry in results if _label(entry)}
        if film:
            films.append(_film(path, where, regions, names))
            others = [(_label(entry), f"{entry.get('type')} is not a rectangle", place)
                      for entry, place in regions if entry.get("type") != VIDEO]  # fmt: skip
            left_out[path] = tuple(others)
        else:
            shapes = tuple(_shape(entry, names, place) for entry, place in regions)
            pictures.append(AnnotatedPicture(path, where, shapes, size=_size(results)))
    used = {shape.label for picture in pictures for shape in picture.shapes}
    used |= {key.shape.label for film in films for t in film.tracks for key in t if key.shape}
    return ExportContent(name, tuple(sorted(used)), tuple(pictures), tuple(films), left_out)


def _path(task: Any, name: str, where: str) -> tuple[str, bool]:
    """Return the image or video of a task, and whether it is a video."""
    data = task.get("data") if isinstance(task, Mapping) else None
    for key in ("image", "video", "img", "picture"):
        value = data.get(key) if isinstance(data, Mapping) else None
        if isinstance(value, str) and value.strip():
            path = unquote(value).split("?d=")[-1].split("://")[-1]
            folder, slash, file = path.replace("\\", "/").rpartition("/")
            return f"{folder}{slash}{UPLOADED.sub('', file)}", key == "video"
    return _refuse(name, where, "data with image or video", repr(data))


def _results(task: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    """Return the results of the last annotation, None if no annotation was submitted."""
    given = task.get("annotations")
    done = [one for one in given if isinstance(one, Mapping) and not one.get("was_cancelled")
            ] if isinstance(given, list) else []  # fmt: skip
    if not done:
        return None
    results = done[-1].get("result")
    entries = results if isinstance(results, list) else []
    return [entry for entry in entries if isinstance(entry, Mapping)]


def _label(entry: Mapping[str, Any]) -> str:
    value = entry.get("value")
    for key in _LABELS:
        names = value.get(key) if isinstance(value, Mapping) else None
        if isinstance(names, list) and names:
            return str(names[0])
    return ""


def _size(results: list[Mapping[str, Any]]) -> tuple[int, int] | None:
    for entry in results:
        sides = numbers([entry.get("original_width"), entry.get("original_height")], 2)
        if sides and min(sides) >= 1:
            return int(sides[0]), int(sides[1])
    return None


def _shape(entry: Mapping[str, Any], names: Mapping[Any, str], where: str) -> Shape:
    label = _label(entry) or names.get(as_id(entry.get("id")), "")
    value = entry.get("value") if isinstance(entry.get("value"), Mapping) else {}
    assert isinstance(value, Mapping)
    kind, score = str(entry.get("type")), numbers([entry.get("score")], 1)
    more: dict[str, Any] = {"score": score[0] if score else 1.0}
    if kind == "polygonlabels":
        points = value.get("points")
        flat = [v for point in points if isinstance(point, list) for v in point] if isinstance(
            points, list) else []  # fmt: skip
        shares = [v / 100 for v in numbers(flat, len(flat)) or []]
        size = _size([entry])
        if size:
            pixels = [v * size[place % 2] for place, v in enumerate(shares)]
            more["outline"] = partial(masks.from_polygons, [pixels], *size)
        box = around(shares)
        return Shape(label, box, where, "" if box else "its polygon has no three points", **more)
    if kind != "rectanglelabels":
        return Shape(label, None, where, f"a region of type {kind} is not a box", **more)
    return _rectangle(label, value, where, more)


def _rectangle(label: str, value: Mapping[str, Any], where: str, more: dict[str, Any]) -> Shape:
    sides = numbers([value.get(key) for key in ("x", "y", "width", "height")], 4)
    if sides is None:
        return Shape(label, None, where, "its place is not four numbers", **more)
    if value.get("rotation"):
        return Shape(label, None, where, f"it is turned by {value['rotation']} degrees", **more)
    x, y, w, h = (side / 100 for side in sides)
    return Shape(label, (x, y, x + w, y + h), where, **more)


def _film(
    path: str, where: str, regions: list[tuple[Mapping[str, Any], str]], names: Mapping[Any, str]
) -> AnnotatedFilm:
    tracks, count, rate = [], 0, None
    for number, (entry, place) in enumerate(regions):
        if entry.get("type") != VIDEO:
            continue
        value = entry.get("value")
        sequence = value.get("sequence") if isinstance(value, Mapping) else None
        if not isinstance(value, Mapping) or not isinstance(sequence, list) or not sequence:
            _refuse(place.split(" ")[0], place, "a sequence of keyframes", repr(sequence))
        label = _label(entry) or names.get(as_id(entry.get("id")), "")
        tracks.append(_track(sequence, label, str(entry.get("id", number)), place))
        count_length = numbers([value.get("framesCount"), value.get("duration")], 2)
        if count_length and count_length[0] >= 1 and count_length[1] > 0:
            count = max(count, int(count_length[0]))
            rate = (
                Fraction(int(count_length[0])) / Fraction(str(count_length[1]))
            ).limit_denominator(1001)
    last = max((track[-1].frame for track in tracks), default=0)
    return AnnotatedFilm(path, where, range(max(count, last + 1)), tuple(tracks), rate)


def _track(sequence: list[Any], label: str, track: str, where: str) -> tuple[ShapeKeyframe, ...]:
    keys: dict[int, ShapeKeyframe] = {}
    for number, one in enumerate(sequence):
        place = f"{where} sequence[{number}]"
        frame = one.get("frame") if isinstance(one, Mapping) else None
        if type(frame) is not int or not 1 <= frame < MOST_FRAMES or frame - 1 in keys:
            _refuse(where.split(" ")[0], place, "a frame number from 1, each once", repr(frame))
        shape = _rectangle(label, one, place, {"track": track})
        keys[frame - 1] = ShapeKeyframe(frame - 1, shape, one.get("enabled", True) is not False)
    return tuple(keys[frame] for frame in sorted(keys))


def _refuse(name: str, where: str, expected: str, found: str) -> NoReturn:
    raise SourceBroken(
        f"{name} is not a valid JSON export of Label Studio",
        expected=expected,
        found=found,
        where=where,
        fix="export the project as 'JSON' (not 'JSON-MIN')",
    )
