"""``--as surgveo``: samples, prompts and references for video models, and blinded score sheets."""

from functools import partial

from transforms.exports.formats import Format
from transforms.exports.surgveo.write import write

FORMAT = Format(
    name="surgveo",
    benchmark="surgveo",
    summary="samples with both prompts; with --root pictures and references, cut to the frame",
    write=write,
    with_prompts=lambda folder: partial(write, prompts=folder),
)

__all__ = ["FORMAT"]
