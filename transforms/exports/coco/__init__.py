"""``--as coco``: boxes and masks as COCO object detection."""

from surgqa.transforms.exports.marked import sheet_format
from surgqa.transforms.labelling.export.coco import PICTURES, write

FORMAT = sheet_format("coco", "boxes and masks for COCO's tools", write, PICTURES)
