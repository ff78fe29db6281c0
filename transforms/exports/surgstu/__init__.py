"""``--as surgstu``: clips, their questions and their annotations, in the format of SurgSTU.

Settings such as ``--set times=fraction`` change how answers are written.
"""

from surgqa.transforms.exports.formats import Format, adjusted
from surgqa.transforms.exports.surgstu.styles import SETTINGS
from surgqa.transforms.exports.surgstu.write import TAKING, write_with

FORMAT = adjusted(
    Format(
        name="surgstu",
        taking=TAKING,
        summary="questions about clips with event tuples, candidate lists and prompts",
        media=("clips", "none"),
        settings=SETTINGS,
        with_settings=write_with,
    ),
    (),
)
