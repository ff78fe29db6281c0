"""``--as hub``: Parquet files that contain the images and clips, and a card for dataset hubs."""

from surgqa.transforms.exports.formats import Format
from surgqa.transforms.exports.hub.write import talk
from surgqa.transforms.exports.talking import TAKING

FORMAT = Format(
    name="hub", taking=TAKING, talk=talk,
    summary="Parquet for datasets.load_dataset, media inside, by benchmark and split; a card",
)  # fmt: skip
