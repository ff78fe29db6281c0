"""``--as unified``: the evidence in SurgCoT's unified JSON, one file for each video."""

from transforms.exports.formats import Format
from transforms.exports.unified.write import write

FORMAT = Format(
    name="unified",
    benchmark="surgcot",
    summary="the evidence that chains rest on, one JSON file for each video; no questions",
    write=write,
)

__all__ = ["FORMAT"]
