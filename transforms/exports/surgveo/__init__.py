"""``--as surgveo``: samples for models that generate videos, in the format of SurgVeo."""

from functools import partial

from surgqa.transforms.exports.formats import Format
from surgqa.transforms.exports.surgveo.samples import TAKING
from surgqa.transforms.exports.surgveo.write import write
from surgqa.transforms.inference.prompts import Wording

FORMAT = Format(
    name="surgveo",
    taking=TAKING,
    summary="samples with both prompts; with --root pictures and references, cut to the frame",
    write=write,
    with_prompts=lambda folder: partial(write, prompts=folder),
    # The prompts do not allow 'unanswerable', because labels also answer what a frame hides.
    asking=lambda _manner, _texts: Wording(protocol=False),
)
