"""``--as surgveo``: samples, prompts and references for video models, and blinded score sheets."""

from functools import partial

from transforms.exports.formats import Format
from transforms.exports.surgveo.samples import TAKING
from transforms.exports.surgveo.write import write
from transforms.inference.prompts import Wording

FORMAT = Format(
    name="surgveo",
    taking=TAKING,
    summary="samples with both prompts; with --root pictures and references, cut to the frame",
    write=write,
    with_prompts=lambda folder: partial(write, prompts=folder),
    # Questions have no note that allows 'unanswerable': labels answer even what a frame hides.
    asking=lambda _manner, _texts: Wording(protocol=False),
)
