"""``--as sapbench``: questions about the next surgical action, in the format of SAP-Bench."""

from functools import partial

from surgqa.transforms.exports.formats import Format
from surgqa.transforms.exports.sapbench.messages import MANNERS, asking
from surgqa.transforms.exports.sapbench.taking import TAKING
from surgqa.transforms.exports.sapbench.write import write

FORMAT = Format(
    name="sapbench",
    taking=TAKING,
    summary="samples for models, references, action clips and the picture of each sample",
    write=write,
    with_prompts=lambda folder: partial(write, prompts=folder),
    asking=asking,
    manners=MANNERS,
)
