"""CVAT for images 1.1: ``annotations.xml``, and ``labels.json`` for the task's labels.

Every box has its id as an attribute, so it can be identified however far it was moved.  An image
with the tag ``not_reviewed`` counts as not reviewed.
"""

from __future__ import annotations

import zipfile
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree

import orjson

from surgqa.ontology.errors import SourceBroken, SourceUnreadable, SyntaxBroken
from surgqa.ontology.xml_text import Node, read_xml
from surgqa.transforms.labelling.export import cvat_rle
from surgqa.transforms.labelling.sheet import (
    ChangeReason,
    Reject,
    Returned,
    ReturnedBox,
    ReturnedFile,
    RoundSheet,
    SheetFrame,
    in_parts,
    in_pixels,
)

PICTURES = "images"
FILE, LABELS = "annotations.xml", "labels.json"
ID = "surgqa_id"
NOT_REVIEWED = "not_reviewed"
MASKED = False
HINT = (
    "make a CVAT task from images/ with the labels of labels.json (the raw view of the label "
    "editor), upload annotations.xml as 'CVAT 1.1', correct, and export 'CVAT for images 1.1'"
)
DECIMALS = 4
CORNERS = ("xtl", "ytl", "xbr", "ybr")
SHAPES = ("polygon", "polyline", "points", "cuboid", "mask", "ellipse", "skeleton")


def write(sheet: RoundSheet, folder: Path) -> None:
    """``annotations.xml`` and ``labels.json``."""
    root = ElementTree.Element("annotations")
    ElementTree.SubElement(root, "version").text = "1.1"
    _meta(root, sheet)
    for number, frame in enumerate(sheet.frames):
        _image(root, sheet, number, frame)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    head = '<?xml version="1.0" encoding="utf-8"?>\n'
    (folder / FILE).write_text(f"{head}{text}\n", encoding="utf-8")
    (folder / LABELS).write_bytes(orjson.dumps(_label_editor(sheet), option=orjson.OPT_INDENT_2))


def _meta(root: ElementTree.Element, sheet: RoundSheet) -> None:
    task = ElementTree.SubElement(ElementTree.SubElement(root, "meta"), "task")
    ElementTree.SubElement(task, "name").text = f"surgqa round {sheet.round}"
    ElementTree.SubElement(task, "size").text = str(len(sheet.frames))
    ElementTree.SubElement(task, "mode").text = "annotation"
    labels = ElementTree.SubElement(task, "labels")
    for one in sheet.labels:
        label = ElementTree.SubElement(labels, "label")
        ElementTree.SubElement(label, "name").text = one.name
        ElementTree.SubElement(label, "type").text = _shapes(sheet)
        attributes = ElementTree.SubElement(label, "attributes")
        attribute = ElementTree.SubElement(attributes, "attribute")
        for name, value in (("name", ID), ("mutable", "False"), ("input_type", "text")):
            ElementTree.SubElement(attribute, name).text = value
    tag = ElementTree.SubElement(labels, "label")
    ElementTree.SubElement(tag, "name").text = NOT_REVIEWED
    ElementTree.SubElement(tag, "type").text = "tag"


def _shapes(sheet: RoundSheet) -> str:
    """Return the shapes that may be drawn for a label: boxes, and other shapes in the sheet."""
    masked = any(one.mask for frame in sheet.frames for one in frame.boxes)
    return "any" if masked else "rectangle"


def _label_editor(sheet: RoundSheet) -> list[dict[str, object]]:
    attribute = {
        "name": ID, "input_type": "text", "mutable": False, "values": [""], "default_value": "",
    }  # fmt: skip
    boxes: list[dict[str, object]] = [
        {"name": one.name, "type": _shapes(sheet), "attributes": [attribute]}
        for one in sheet.labels
    ]
    return [*boxes, {"name": NOT_REVIEWED, "type": "tag", "attributes": []}]


def _image(root: ElementTree.Element, sheet: RoundSheet, number: int, frame: SheetFrame) -> None:
    image = ElementTree.SubElement(
        root, "image", id=str(number), name=frame.file, width=str(frame.width),
        height=str(frame.height),
    )  # fmt: skip
    for one in frame.boxes:
        corners = [f"{v:.{DECIMALS}f}" for v in in_pixels(one.box_xyxy, frame)]
        what = {"label": sheet.name(one.kind, one.label), "source": "auto", "occluded": "0"}
        places = dict(zip(CORNERS, corners, strict=True))
        box = ElementTree.SubElement(image, "box", {**what, **places, "z_order": "0"})
        ElementTree.SubElement(box, "attribute", name=ID).text = one.box_id
        if one.mask is not None:
            run = cvat_rle(one.mask, frame.width, frame.height)
            ElementTree.SubElement(image, "mask", {**what, **run, "z_order": "0"})


def read(path: Path) -> ReturnedFile:
    """The frames of an XML file, of a ZIP from CVAT, or of a folder with the content of either.

    Raises:
        SourceBroken: not CVAT's XML.
    """
    name, data = _bytes(path)
    root = read_xml(data, name)
    if root.tag != "annotations" or root.all("track"):
        raise SourceBroken(
            f"{name} is not an export of 'CVAT for images'",
            expected="<annotations> with <image> entries",
            found="tracks of a video task" if root.all("track") else f"<{root.tag}>",
            where=name, fix="export the task again as 'CVAT for images 1.1'",
        )  # fmt: skip
    reading = ReturnedFile()
    for number, image in enumerate(root.all("image")):
        _returned(image, f"{name}: image {image.attributes.get('id', number)}", reading)
    return reading


def _bytes(path: Path) -> tuple[str, bytes]:
    if path.is_dir():
        path = path / FILE
    if path.suffix.lower() != ".zip":
        try:
            return path.name, path.read_bytes()
        except OSError as error:
            raise SourceUnreadable(
                f"{path.name} cannot be read", found=error.strerror, where=str(path)
            ) from None
    try:
        with zipfile.ZipFile(path) as box:
            return f"{path.name}/{FILE}", box.read(FILE)
    except (zipfile.BadZipFile, KeyError) as error:
        raise SyntaxBroken(
            f"{path.name} is not a ZIP that CVAT made", expected=f"{FILE} in it",
            found=str(error), where=str(path),
        ) from None  # fmt: skip


def _returned(image: Node, where: str, reading: ReturnedFile) -> None:
    file = PurePosixPath(image.attributes.get("name", "").replace("\\", "/")).name
    size = _size(image)
    if not file or size is None:
        reading.rejects.append(
            Reject(file, ChangeReason.BAD_ROW, "an image without a name or size", where, "picture")
        )
        return
    tags = {tag.attributes.get("label") for tag in image.all("tag")}
    boxes = [_marked(box, size, f"{where}, box {n}") for n, box in enumerate(image.all("box"))]
    boxes += [
        ReturnedBox(
            shape.attributes.get("label", ""), None, None, f"{where}, {shape.tag}", f"a {shape.tag}"
        )
        for shape in image.children
        if shape.tag in SHAPES
    ]
    reading.pictures.append(Returned(file, size, NOT_REVIEWED not in tags, tuple(boxes), where))


def _size(image: Node) -> tuple[int, int] | None:
    try:
        return int(image.attributes.get("width", "")), int(image.attributes.get("height", ""))
    except ValueError:
        return None


def _marked(box: Node, size: tuple[int, int], where: str) -> ReturnedBox:
    ids = {one.attributes.get("name"): one.text.strip() for one in box.all("attribute")}
    given, box_id = box.attributes, ids.get(ID) or None
    label = given.get("label", "")
    try:
        turned = float(given.get("rotation", "0"))
        corners = [float(given.get(name, "")) for name in CORNERS]
    except ValueError:
        return ReturnedBox(label, None, box_id, where, "a corner that is not a number")
    if turned:
        return ReturnedBox(label, None, box_id, where, f"a box turned by {turned:g} degrees")
    return ReturnedBox(label, in_parts(corners, *size), box_id, where)
