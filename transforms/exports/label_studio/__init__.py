"""``--as label-studio``: boxes as predictions of Label Studio's tasks."""

from surgqa.transforms.exports.marked import sheet_format
from surgqa.transforms.labelling.export.label_studio import PICTURES, write

FORMAT = sheet_format("label-studio", "boxes for Label Studio", write, PICTURES)
