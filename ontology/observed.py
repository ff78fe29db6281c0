"""Evidence from observing a video: one Arrow table for each kind, with fixed schemas.

Times are microseconds from the video's first frame.  Boxes are in [0, 1] of width and height.
Numbers that a model computed are rounded before they are stored (see
``transforms.evidence.base.rounding``).  Comments in each schema state the order of its rows.  A
table contains one video; the store adds the names of the dataset and the video.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from surgqa.ontology.errors import StoreBroken

OWN = "observed"
"""Dataset name for videos that belong to no known dataset."""

MASKING = 10
"""Version of the rules that mask names, dates and numbers in speech.

``video.json`` and an output's manifest record the version that was used.  Speech that was masked by
an older version, or not at all, is neither read nor shown.
"""

FRAMES = pa.schema(
    [
        ("time_us", pa.int64()),  # rows ascend by time
        ("frame", pa.int64()),  # index in presentation order, from 0; a folder's file number
        ("trusted", pa.bool_()),  # decoded from undamaged data; if false, all measures are null
        ("luma", pa.float64()),  # mean of grey, [0, 1]
        ("contrast", pa.float64()),  # standard deviation of grey, [0, 1]
        ("sharpness", pa.float64()),  # variance of the Laplacian at 320 x 180
        ("dark_share", pa.float64()),  # pixels that are nearly black, [0, 1]
        ("inside", pa.float64()),  # similarity to images of the inside of a body, [0, 1]
        ("overlay_share", pa.float64()),  # pixels under text or drawn overlays, [0, 1]
        ("dhash", pa.uint64()),  # 64-bit difference hash
        ("thumb", pa.binary()),  # grey thumbnail, 64 x 36 bytes; dropped from the store
        ("histogram", pa.binary()),  # hue-saturation histogram; dropped from the store
        ("luma_step", pa.float64()),  # mean absolute grey change since the previous sample, or null
        ("colour_step", pa.float64()),  # histogram distance to the previous sample, or null
    ]
)

BOXES = pa.schema(
    [
        ("time_us", pa.int64()),  # rows sorted by (time, kind, label, box)
        ("frame", pa.int64()),
        ("kind", pa.string()),  # instrument or tissue
        ("label", pa.string()),  # concept id
        ("x1", pa.float64()),
        ("y1", pa.float64()),
        ("x2", pa.float64()),
        ("y2", pa.float64()),
        ("score", pa.float64()),
        ("visibility", pa.string()),  # full, partial, occluded; null if the model gives none
        ("state", pa.string()),  # intact, clipped, divided, bleeding, or null
        ("appearance", pa.binary()),  # descriptor for linking; dropped from the store
        ("track", pa.int32()),  # number from 0 by first appearance; null until linked
        ("origin", pa.string()),  # detector, mask, interpolated, manual
    ]
)

MASKS = pa.schema(
    [
        ("time_us", pa.int64()),  # rows sorted by (time, object)
        ("frame", pa.int64()),
        ("object", pa.int32()),  # track of the box that was the prompt, or its own number
        ("label", pa.string()),
        ("score", pa.float64()),
        ("height", pa.int32()),
        ("width", pa.int32()),
        ("counts", pa.list_(pa.int32())),  # run lengths, row by row, background first
        ("polygon", pa.binary()),  # outline as WKB, in pixels
        ("area", pa.float64()),  # share of the frame
        ("x1", pa.float64()),
        ("y1", pa.float64()),
        ("x2", pa.float64()),
        ("y2", pa.float64()),
    ]
)

_WORD = pa.struct(
    [
        ("start_us", pa.int64()),
        ("end_us", pa.int64()),
        ("text", pa.string()),
        ("probability", pa.float64()),
    ]
)

UTTERANCES = pa.schema(
    [
        ("utterance_id", pa.string()),
        ("start_us", pa.int64()),  # rows ascend by start
        ("end_us", pa.int64()),
        ("text", pa.string()),  # cleaned and de-identified
        ("raw_text", pa.string()),  # as heard, de-identified
        ("language", pa.string()),
        ("confidence", pa.float64()),  # mean word probability
        ("no_speech", pa.float64()),
        ("words", pa.list_(_WORD)),
        ("flags", pa.list_(pa.string())),  # weak, repeated, masked, ...
    ]
)

_MATCH = pa.struct(
    [
        ("kind", pa.string()),
        ("concept", pa.string()),
        ("heard", pa.string()),
        ("score", pa.float64()),
        ("start_us", pa.int64()),
        ("end_us", pa.int64()),
        ("flag", pa.string()),  # null, weak, ambiguous or negated
    ]
)

ANCHORS = pa.schema(
    [
        ("anchor_id", pa.string()),
        ("segment_id", pa.string()),  # the utterance
        ("start_us", pa.int64()),  # rows ascend by start
        ("end_us", pa.int64()),
        ("raw_caption", pa.string()),
        ("normalized_terms", pa.list_(pa.string())),
        ("phase", pa.string()),
        ("action", pa.string()),
        ("tool", pa.string()),
        ("tissue", pa.string()),
        ("intent", pa.bool_()),  # announces what comes next
        ("matches", pa.list_(_MATCH)),
        ("flags", pa.list_(pa.string())),
    ]
)

HAPPENINGS = pa.schema(
    [
        ("happening_id", pa.string()),
        ("time_us", pa.int64()),  # rows sorted by (time, kind, subject)
        ("end_us", pa.int64()),
        ("kind", pa.string()),  # cut, illumination, contact, onset, tissue_state, approach, ...
        ("label", pa.string()),
        ("track", pa.int32()),
        ("other_track", pa.int32()),
        ("x1", pa.float64()),
        ("y1", pa.float64()),
        ("x2", pa.float64()),
        ("y2", pa.float64()),
        ("value", pa.float64()),  # the measured value that led to it
        ("unit", pa.string()),
        ("resolution_us", pa.int64()),
        ("source", pa.string()),  # the rule that found it
    ]
)

STRETCHES = pa.schema(
    [
        ("start_us", pa.int64()),  # rows sorted by (start, kind, label)
        ("end_us", pa.int64()),
        ("kind", pa.string()),  # shot, segment, phase_anchor, dark, outside, ...
        ("label", pa.string()),
        ("level", pa.int32()),  # depth in a hierarchy, from 0
        ("score", pa.float64()),
        ("source", pa.string()),
    ]
)

DECISIONS = pa.schema(
    [
        ("rule", pa.string()),  # rows sorted by (rule, subject)
        ("subject", pa.string()),  # video, pair of videos, interval or frame
        ("measured", pa.float64()),
        ("threshold", pa.float64()),
        ("unit", pa.string()),
        ("passed", pa.bool_()),
        ("reason", pa.string()),
    ]
)

KINDS: Mapping[str, pa.Schema] = {
    "frames": FRAMES,
    "boxes": BOXES,
    "masks": MASKS,
    "utterances": UTTERANCES,
    "anchors": ANCHORS,
    "happenings": HAPPENINGS,
    "stretches": STRETCHES,
    "decisions": DECISIONS,
}
"""Kinds of observed evidence; each is one file per video in the store."""

TRANSIENT = ("thumb", "histogram", "appearance")
"""Columns that later rules need, but that are not written to the store."""


def require_masked(facts: Mapping[str, Any], where: str) -> None:
    """Refuse a video whose speech was not masked by the current rules.

    Raises:
        SourceBroken: the speech was not masked, or by older rules; the message says how to mask it.
    """
    found = facts.get("masking", 0)
    if "speech" in facts.get("extractors", ()) and found < MASKING:
        raise StoreBroken(
            f"the speech of {where} is not masked by the rules of this version",
            expected=f"masking {MASKING}", found=f"masking {found or 'by no version'}",
            where=f"{where}:1",
            fix="run the same 'surgqa observe' again, which only masks the stored speech",
        )  # fmt: skip
