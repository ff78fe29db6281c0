"""Parse one exported file of a labelling tool, in any supported format."""

from __future__ import annotations

from typing import Any

import orjson

from surgqa.ontology.json_text import BOM, read_tree
from surgqa.transforms.readers.base.shapes import ExportContent
from surgqa.transforms.readers.exports.coco import is_coco, read_coco
from surgqa.transforms.readers.exports.cvat import read_cvat
from surgqa.transforms.readers.exports.label_studio import is_label_studio, read_label_studio


def read_export(data: bytes, name: str) -> ExportContent:
    """Read a file of COCO, Label Studio or CVAT; another format gives an empty export.

    Raises:
        SourceBroken: the file is neither JSON nor XML, or cannot be understood.
    """
    if name.lower().endswith(".xml"):
        return read_cvat(data, name)
    tree = _json(data, name)
    if is_coco(tree):
        return read_coco(tree, name)
    if is_label_studio(tree):
        return read_label_studio(tree, name)
    return ExportContent(name, (), known=False)


def _json(data: bytes, name: str) -> Any:
    """Parse JSON, with line and column in the error if it is malformed."""
    try:
        return orjson.loads(data.removeprefix(BOM))
    except orjson.JSONDecodeError:
        return read_tree(data, name)
