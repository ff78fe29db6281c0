"""What every reader builds on: the contract and the helpers it may import.

Readers import from here and from ``ontology``; they never import one another.
"""

from transforms.readers.base.contract import Reader
from transforms.readers.base.groups import split_group
from transforms.readers.base.json_text import JsonText, read_json
from transforms.readers.base.labels import Categories, categories
from transforms.readers.base.ledger import Ledger
from transforms.readers.base.media import frames_media, image_size
from transforms.readers.base.sample import Truth
from transforms.readers.base.table import (
    InstrumentRows,
    instants_of,
    instrument_table,
    merge_rows,
    spans_of,
)
from transforms.readers.base.triplet_map import triplet_ids

__all__ = [
    "Categories",
    "InstrumentRows",
    "JsonText",
    "Ledger",
    "Reader",
    "Truth",
    "categories",
    "frames_media",
    "image_size",
    "instants_of",
    "instrument_table",
    "merge_rows",
    "read_json",
    "spans_of",
    "split_group",
    "triplet_ids",
]
