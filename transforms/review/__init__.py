"""Expert review: a blinded sample of a finished output, and decisions that builds honour.

Raters answer and judge questions without seeing which option is right.  What they decide
together becomes a layer; nothing that was built is changed.
"""

from transforms.review.draw import FORMATS, sample_of, write_sheets
from transforms.review.layer import Decision, Review, read_layer
from transforms.review.take_in import record_of, sheets_of, take_in, write_layer

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
