"""The reader contract and the helpers that readers may import.

Readers import from this package and from ``ontology``; readers never import one another.

Terms of this package:

- Ledger: the record of rejected and repaired rows of one video, with reasons.
- Place: a position in a source file, such as a line, a key or a frame number.
- Known frame: a frame of which every row was understood, so that absence can be concluded.
- Plan: the parsed description of a dataset's or a user's tables.
- Role: what a column of a table means, such as ``start`` or ``label``.
"""

from surgqa.ontology.boxes import clipped_box, pixel_box
from surgqa.ontology.json_text import JsonText, read_json
from surgqa.transforms.media.found import MediaRecord, frames_media, image_size, still
from surgqa.transforms.readers.base.contract import Reader
from surgqa.transforms.readers.base.delimited import (
    BLANKS,
    Delimited,
    DelimitedLine,
    number,
    read_delimited,
    whole_number,
)
from surgqa.transforms.readers.base.groups import split_group
from surgqa.transforms.readers.base.intervals import Claimed, checked_spans, sorted_spans
from surgqa.transforms.readers.base.ledger import Ledger
from surgqa.transforms.readers.base.objects import PlacedThings, Thing, table_of_things
from surgqa.transforms.readers.base.shared import parsed_once
from surgqa.transforms.readers.base.sheets import read_sheet
from surgqa.transforms.readers.base.table import instants_of, spans_of
from surgqa.transforms.readers.base.triplets import triplet_ids
from surgqa.transforms.readers.base.words import concept_of

__all__ = [
    "BLANKS", "Claimed", "Delimited", "JsonText", "Ledger", "Reader", "MediaRecord",
    "DelimitedLine", "PlacedThings", "Thing", "checked_spans", "clipped_box", "concept_of",
    "frames_media", "image_size", "instants_of", "number", "parsed_once", "pixel_box",
    "read_delimited", "read_json", "read_sheet", "sorted_spans", "spans_of", "split_group",
    "still", "table_of_things", "triplet_ids", "whole_number",
]  # fmt: skip
