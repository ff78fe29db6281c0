"""Expert review: a blinded sample of a finished output, and decisions for later builds.

Raters answer and judge questions without seeing the correct option. Each rater fills in a sheet: a
file with one row for each question. The raters' joint decisions become a layer, which is a file
that later builds apply. The output itself is not changed.
"""

from surgqa.transforms.review.layer import Decision, Review, read_layer
from surgqa.transforms.review.sample import FORMATS, sample_of, write_sheets
from surgqa.transforms.review.take_in import record_of, sheets_of, take_in, write_layer

__all__ = [
    "FORMATS",
    "Decision",
    "Review",
    "read_layer",
    "record_of",
    "sample_of",
    "sheets_of",
    "take_in",
    "write_layer",
    "write_sheets",
]
