"""Segments and anchors in the format that the benchmark's authors publish."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from ontology.times import SECOND_US

SECOND_DECIMALS = 3
OPTIONAL = ("action", "tool", "tissue")


def published(anchors: pa.Table, utterances: pa.Table) -> dict[str, Any]:
    """``segments`` with start, end and text; ``anchors`` that refer to them.

    Times are seconds, rounded to milliseconds.  ``segment_id`` is the index of the segment in the
    list, from 0.  Keys of empty slots are left out; ``phase`` is null if none is known.  Anchors
    without a normalised term are not published.

    Raises:
        KeyError: an anchor's utterance is not among the utterances.
    """
    said = utterances.to_pylist()
    places = {row["utterance_id"]: index for index, row in enumerate(said)}
    return {
        "segments": [
            {**_times(row, "start", "end"), "text": row["text"]} for row in said
        ],
        "anchors": [
            _anchor(row, places[row["segment_id"]])
            for row in anchors.to_pylist()
            if row["normalized_terms"]
        ],
    }  # fmt: skip


def _anchor(row: dict[str, Any], segment: int) -> dict[str, Any]:
    return {
        "segment_id": segment,
        "time_range": list(_times(row, "start", "end").values()),
        "raw_caption": row["raw_caption"],
        "normalized_terms": row["normalized_terms"],
        "phase": row["phase"],
        **{key: row[key] for key in OPTIONAL if row[key] is not None},
    }


def _times(row: dict[str, Any], start: str, end: str) -> dict[str, float]:
    """Start and end in seconds, from whole milliseconds so that every digit is exact."""
    step = SECOND_US // 10**SECOND_DECIMALS
    return {
        name: (row[f"{name}_us"] + step // 2) // step / 10**SECOND_DECIMALS for name in (start, end)
    }
