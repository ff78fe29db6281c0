"""``--as medstreambench``: rows in the format of MedStreamBench."""

from surgqa.transforms.exports.formats import Format
from surgqa.transforms.exports.medstream.taking import TAKING
from surgqa.transforms.exports.medstream.write import write

FORMAT = Format(
    name="medstreambench",
    taking=TAKING,
    summary="one JSON Lines file a dataset, with answers; and the same for models, without",
    write=write,
)
