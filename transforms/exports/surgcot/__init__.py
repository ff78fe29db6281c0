"""``--as surgcot``: chains, and their questions as chat messages, in the format of SurgCoT."""

from surgqa.transforms.exports.formats import Format
from surgqa.transforms.exports.surgcot.rows import TAKING
from surgqa.transforms.exports.surgcot.write import talk

FORMAT = Format(
    name="surgcot",
    taking=TAKING,
    summary="chains, one a line; and Q, Q_dq and Q_dq_clue as messages, by split",
    talk=talk,
    each=True,
    whole=True,
    media=("clips", "none"),
)
