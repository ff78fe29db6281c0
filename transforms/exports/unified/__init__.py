"""``--as unified``: the evidence in SurgCoT's unified JSON format, one file for each video."""

from surgqa.transforms.exports.formats import Format
from surgqa.transforms.exports.taking import Taking
from surgqa.transforms.exports.unified.write import write

FORMAT = Format(
    name="unified",
    taking=Taking("the evidence of any output", lambda _: True),
    summary="the evidence that chains rest on, one JSON file for each video; no questions",
    write=write,
    questions=False,
)
