"""``--as cvat``: boxes and masks as CVAT for images 1.1."""

from surgqa.transforms.exports.marked import sheet_format
from surgqa.transforms.labelling.export.cvat import PICTURES, write

FORMAT = sheet_format("cvat", "boxes and masks for CVAT", write, PICTURES)
