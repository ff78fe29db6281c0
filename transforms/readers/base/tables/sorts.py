"""Words of ``surgqa.yaml`` and ``files.yaml``: what a table holds, roles of columns, keys."""

from __future__ import annotations

from collections.abc import Mapping

FILE = "surgqa.yaml"
"""The mapping that a user writes next to the data."""
EVENTS, SEGMENTS, BOXES, RATINGS, LABELS = "events", "segments", "boxes", "ratings", "labels"
FRAMES, END = "frames", "end"
MASKS, SHAPES, QUESTIONS = PICTURED = ("masks", "shapes", "questions")
"""Sorts of tables that have one file for each image."""
COCO = "coco"
HOLDS = (EVENTS, SEGMENTS, BOXES, RATINGS, LABELS, FRAMES, END, *PICTURED, COCO)

AREA_KINDS = ("finding", "landmark", "structure")
"""Kinds whose label at an instant is a region of the image."""
SPAN_KINDS = (
    "phase", "step", "gesture", "action", "next_action", "condition", "event", "motion",
    *AREA_KINDS,
)  # fmt: skip
LABEL_KINDS = (*SPAN_KINDS, "count", "experience", "rating")
INSTANT_KINDS = ("instrument", *SPAN_KINDS)

CORNERS = (("x1", "y1", "x2", "y2"), ("x", "y", "w", "h"), ("cx", "cy", "w", "h"))
_AT = ("video", "at", "picture", "rater", "subject")
_BOX = ("x1", "y1", "x2", "y2", "x", "y", "w", "h", "cx", "cy",
        "picture_width", "picture_height", "track", "score")  # fmt: skip
ROLES: Mapping[str, tuple[str, ...]] = {
    EVENTS: (*_AT, "track", *INSTANT_KINDS, "verb", "target"),
    SEGMENTS: (*_AT, "start", "end", "value", *SPAN_KINDS),
    BOXES: (*_AT, *_BOX, "instrument", *AREA_KINDS, "verb", "target"),
    RATINGS: ("video", "rater", "rating", "value"),
    LABELS: ("video", "rater", "value", *LABEL_KINDS),
    FRAMES: INSTANT_KINDS,
    END: ("at",),
    COCO: ("instrument", "action", "phase", "step"),
    SHAPES: ("instrument", *AREA_KINDS, "verb", "target"),
}
"""Sort of table -> roles that its columns may have."""

TABLE_KEYS = ("holds", "file", "header", "columns", "flags", "time", "every", "picture", "box",
         "scale", "separator", "cells", "list", "pointer", "total", "line_end",
         "agrees", "unless", "one_row", "during", "values", "beside", "apart",
         "parts", "unparted", "inside", "first_line", "unsure",
         "colours", "instances", "count")  # fmt: skip
SHARED_KEYS = ("rate", "media", "videos", "tables", "needs")
TOP_KEYS = ("procedure", "specialty", "licence", *SHARED_KEYS, "labels")
DATASET_KEYS = ("version", "unit", "procedure", "group", "probe", "names", "spelled", "usual_rate",
                *SHARED_KEYS)  # fmt: skip
REGISTRY_KEYS = ("video_ids", "patterns", "splits", "known_bad")
"""Keys of ``files.yaml`` that :mod:`transforms.registry` reads."""
ANY, ALL = "any", "all"
_VIDEOS = ("file", "header", "columns", "picture", "optional")
VIDEO_ROLES = ("video", "patient", "rate", "duration", "frames")
BOX_UNITS = ("pixels", "shares", "percent")
