"""Convert masks to boxes, the kind of evidence that questions use."""

from __future__ import annotations

import pyarrow as pa

from surgqa.ontology.concepts import vocabulary
from surgqa.ontology.observed import BOXES

TISSUE, INSTRUMENT = "tissue", "instrument"


def boxes_from_masks(masks: pa.Table) -> pa.Table:
    """Return the tight box of every mask, with the mask's object as its track.

    Args:
        masks: schema MASKS, one video.

    Returns:
        A table with the schema BOXES, sorted as that schema states; its ``origin`` is ``mask``.
        The kind is ``tissue`` for labels that the ontology lists as targets, else ``instrument``.
    """
    targets = vocabulary("targets")
    labels = masks["label"].to_pylist()
    kinds = [TISSUE if label in targets else INSTRUMENT for label in labels]
    columns = {
        **{name: masks[name] for name in ("time_us", "frame", "label", "score")},
        **{name: masks[name] for name in ("x1", "y1", "x2", "y2")},
        "kind": pa.array(kinds, pa.string()),
        "track": masks["object"],
        "origin": pa.array(["mask"] * len(labels), pa.string()),
    }
    arrays = [columns.get(field.name, pa.nulls(len(labels), field.type)) for field in BOXES]
    order = ("time_us", "kind", "label", "x1", "y1", "x2", "y2", "track")
    table = pa.Table.from_arrays([_whole(a) for a in arrays], schema=BOXES)
    return table.sort_by([(name, "ascending") for name in order])


def _whole(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
