"""YOLO text files: one line for each box, ``class cx cy w h`` in [0, 1], or a class and a polygon.

A file without lines states that its image shows nothing. Classes are numbers from 0, in the order
of ``names`` in ``data.yaml`` or of the lines of ``classes.txt``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from surgqa.ontology.errors import SourceBroken, SyntaxBroken, UserError
from surgqa.ontology.files import read_text
from surgqa.ontology.yaml import read_yaml
from surgqa.transforms.media import masks
from surgqa.transforms.readers.base.delimited import number, whole_number
from surgqa.transforms.readers.base.patterns import without_suffix
from surgqa.transforms.readers.base.shapes import AnnotatedPicture, Shape, around

CLASS_FILES = ("data.yaml", "data.yml", "dataset.yaml", "classes.txt", "obj.names")
"""Files that may list the names of the classes; the first that exists is read."""
PLACES = ("labels/*.txt", "labels/*/*.txt", "labels/*/*/*.txt", "obj_train_data/*.txt", "*.txt")
"""Default places of label files; the first pattern that matches a file is used."""


def class_names(data: bytes, name: str) -> tuple[str, ...]:
    """Return the names of the classes by number.

    Raises:
        SourceBroken, UserError: the file contains no names of classes.
    """
    text = read_text(data, name)
    if not name.endswith((".yaml", ".yml")):
        return tuple(line.strip() for line in text.split("\n") if line.strip())
    tree = read_yaml(text, name).data
    names = tree.get("names") if isinstance(tree, Mapping) else None
    if isinstance(names, list):
        return tuple(map(str, names))
    if isinstance(names, Mapping) and sorted(map(str, names), key=_order) == [
        str(n) for n in range(len(names))
    ]:
        by_number = {int(key): str(value) for key, value in names.items()}
        return tuple(by_number[n] for n in range(len(by_number)))
    raise SourceBroken(
        f"{name} contains no names of classes",
        expected="names: {0: …, 1: …} or names: […]",
        found=repr(names),
        where=f"{name}:1",
        fix="write the classes there, or classes: [...] in surgqa.yaml",
    )


def _order(text: str) -> tuple[int, str]:
    return len(text), text


def read_yolo(
    data: bytes, name: str, names: Sequence[str], size: tuple[int, int] | None = None
) -> AnnotatedPicture:
    """Return the image of one label file.

    Args:
        names: names of the classes, by number.
        size: size of the image in pixels, which masks need.

    Raises:
        SourceBroken: the file is not text.
    """
    try:
        text = read_text(data, name)
    except UserError as error:
        raise SyntaxBroken(error.summary, found=error.found, where=f"{name}:1",
                           fix=error.fix) from None  # fmt: skip
    shapes = [
        _shape(line.split(), names, f"{name}:{place}", size)
        for place, line in enumerate(text.split("\n"), 1)
        if line.strip()
    ]
    return AnnotatedPicture(without_suffix(name), name, tuple(shapes), size=size)


def _shape(
    parts: Sequence[str], names: Sequence[str], where: str, size: tuple[int, int] | None
) -> Shape:
    code = whole_number(parts[0])
    known = code is not None and 0 <= code < len(names)
    label = names[code] if known and code is not None else f"class {parts[0]}"
    values_or_none = [number(part) for part in parts[1:]]
    values = [value for value in values_or_none if value is not None]
    if len(values) == len(values_or_none) and len(values) in (4, 5):
        cx, cy, w, h = values[:4]
        score = values[4] if len(values) == 5 else 1.0
        box = (cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2)
        return Shape(label, box, where, score=score)
    if len(values) == len(values_or_none) and len(values) % 2 == 0:
        box_around = around(values)
        if box_around and size:
            width, height = size
            flat = [v * (height if place % 2 else width) for place, v in enumerate(values)]
            outline = partial(masks.from_polygons, [flat], width, height)
            return Shape(label, box_around, where, outline=outline)
        if box_around:
            return Shape(label, box_around, where)
    return Shape(label, None, where, f"a line of {len(parts)} values is neither box nor polygon")


def has_polygons(data: bytes) -> bool:
    """Return whether a line has more numbers than a box, so that it is a polygon."""
    return any(len(line.split()) > 6 for line in data.splitlines())
