"""``--as coco``, ``cvat``, ``fiftyone``, ``label-studio``: boxes and masks for labelling tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from surgqa.transforms.exports.marked import sheet_format
from surgqa.transforms.exports.writing import indented
from surgqa.transforms.labelling.export import coco, cvat, label_studio
from surgqa.transforms.labelling.sheet import Drawn, RoundSheet


def write_fiftyone(sheet: RoundSheet, to: Path) -> None:
    """Write ``labels.json``: name of an image without suffix -> boxes in fractions of it.

    ``fiftyone.Dataset.from_dir`` reads it as a ``fiftyone.types.FiftyOneImageDetectionDataset``.
    """
    names = {(one.kind, one.label): one.name for one in sheet.labels}
    found = {
        "classes": [one.name for one in sheet.labels],
        "labels": {Path(frame.file).stem: [_detection(one, names) for one in frame.boxes]
                   for frame in sheet.frames},
    }  # fmt: skip
    (to / "labels.json").write_bytes(indented(found))


def _detection(one: Drawn, names: dict[tuple[str, str], str]) -> dict[str, Any]:
    x1, y1, x2, y2 = one.box_xyxy
    return {
        "label": names[one.kind, one.label], "bounding_box": [x1, y1, x2 - x1, y2 - y1],
        "confidence": one.score, "attributes": {"surgqa_id": one.box_id, "kind": one.kind},
    }  # fmt: skip


FORMATS = (
    sheet_format("coco", "boxes and masks for COCO's tools", coco.write, coco.PICTURES),
    sheet_format("cvat", "boxes and masks for CVAT", cvat.write, cvat.PICTURES),
    sheet_format("fiftyone", "boxes for FiftyOne", write_fiftyone, "data"),
    sheet_format("label-studio", "boxes for Label Studio", label_studio.write,
                 label_studio.PICTURES),
)  # fmt: skip
