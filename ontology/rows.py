"""The row of ``data/`` and the tables of ``evidence/``: one fixed Arrow schema each.

All keys are always present.  Values whose structure depends on the task are canonical JSON in a
text column, so that all shards have the same types.
"""

from __future__ import annotations

import pyarrow as pa

SCHEMA_VERSION = "surgqa/row-v2"

_MEDIA = pa.struct(
    [
        ("path", pa.string()),
        ("kind", pa.string()),
        ("fps_num", pa.int64()),
        ("fps_den", pa.int64()),
        ("width", pa.int32()),
        ("height", pa.int32()),
        ("first", pa.int64()),
    ]
)
_OPTION = pa.struct(
    [
        ("key", pa.string()),
        ("text", pa.string()),
        ("value", pa.string()),
        ("is_answer", pa.bool_()),
        ("kind", pa.string()),
        ("margin", pa.float64()),
    ]
)
_POINTER = pa.struct(
    [("kind", pa.string()), ("id", pa.string()), ("start_us", pa.int64()), ("end_us", pa.int64())]
)
_CHECK = pa.struct([("name", pa.string()), ("measured", pa.float64()), ("limit", pa.string())])
_ROUND = pa.struct(
    [
        ("round_index", pa.int32()),
        ("current_us", pa.int64()),
        ("start_us", pa.int64()),
        ("end_us", pa.int64()),
        ("expected_output", pa.string()),
        ("accepted_outputs", pa.list_(pa.string())),
        ("answerable", pa.bool_()),
    ]
)
_STRETCH = pa.struct([("kind", pa.string()), ("start_us", pa.int64()), ("end_us", pa.int64())])

ITEM = pa.schema(
    [
        ("item_id", pa.string()),
        ("benchmark", pa.string()),
        ("task", pa.string()),
        ("form", pa.string()),
        ("template_id", pa.string()),
        ("template_version", pa.int32()),
        ("dataset", pa.string()),
        ("video_id", pa.string()),
        ("split", pa.string()),
        ("split_group", pa.string()),
        ("procedure", pa.string()),
        ("specialty", pa.string()),
        ("window_id", pa.string()),
        ("start_us", pa.int64()),
        ("end_us", pa.int64()),
        ("resolution_us", pa.int64()),
        ("media", _MEDIA),
        ("question", pa.string()),
        ("answer", pa.string()),
        ("unit", pa.string()),
        ("rule", pa.string()),
        ("rule_args", pa.string()),
        ("options", pa.list_(_OPTION)),
        ("answer_key", pa.string()),
        ("block", pa.string()),
        ("answer_value", pa.string()),
        ("slots", pa.string()),
        ("evidence", pa.list_(_POINTER)),
        ("reasoning", pa.list_(pa.string())),
        ("knowledge", pa.string()),
        ("clue", pa.string()),
        ("context", pa.string()),
        ("rubric", pa.string()),
        ("chain_id", pa.string()),
        ("stage", pa.int8()),
        ("temporal_mode", pa.string()),
        ("task_mode", pa.string()),
        ("query_us", pa.int64()),
        ("rounds", pa.list_(_ROUND)),
        ("checks", pa.list_(_CHECK)),
        ("pair", pa.string()),
        ("level", pa.int8()),
        ("certain", pa.string()),
        ("label_source", pa.string()),
        ("licence", pa.string()),
    ]
)

VIDEOS = pa.schema(
    [
        ("dataset", pa.string()),
        ("video_id", pa.string()),
        ("procedure", pa.string()),
        ("specialty", pa.string()),
        ("fps_num", pa.int64()),
        ("fps_den", pa.int64()),
        ("period_us", pa.int64()),
        ("duration_us", pa.int64()),
        ("split_group", pa.string()),
        ("media_kind", pa.string()),
        ("media_path", pa.string()),
        ("width", pa.int32()),
        ("height", pa.int32()),
        ("first_picture", pa.int64()),
        ("licence", pa.string()),
        ("label_source", pa.string()),
        ("vocabulary", pa.list_(pa.string())),
        ("clock", pa.string()),
        ("sources", pa.list_(pa.struct([("path", pa.string()), ("sha256", pa.string())]))),
        ("annotated", pa.list_(pa.struct([("kind", pa.string()), ("label", pa.string())]))),
        ("unseen", pa.list_(_STRETCH)),
    ]
)
"""``annotated``: classes of instruments and of each kind of region that were annotated at instants.
A class without a row is therefore known to be absent.  A null label stands for the whole kind.
``unseen``: gaps in which nobody annotated a kind that is otherwise recorded throughout."""

EVENTS = pa.schema(
    [
        ("dataset", pa.string()),
        ("video_id", pa.string()),
        ("event_id", pa.string()),
        ("time_us", pa.int64()),
        ("frame", pa.int64()),
        ("label", pa.string()),
        ("track_id", pa.string()),
        ("x1", pa.float64()),
        ("y1", pa.float64()),
        ("x2", pa.float64()),
        ("y2", pa.float64()),
        ("pairs", pa.list_(pa.struct([("verb", pa.string()), ("target", pa.string())]))),
        ("score", pa.float64()),
        ("box_origin", pa.string()),
        ("mask", pa.string()),
        ("attributes", pa.string()),
        ("source_path", pa.string()),
        ("source_sha256", pa.string()),
        ("pointer", pa.string()),
    ]
)
"""One row per (instant, instance); an instant without instruments has one row whose
``label`` is null.  ``pairs`` null means not annotated."""

TRACKS = pa.schema(
    [
        ("dataset", pa.string()),
        ("video_id", pa.string()),
        ("track_id", pa.string()),
        ("label", pa.string()),
        ("first_us", pa.int64()),
        ("last_us", pa.int64()),
        ("samples", pa.int64()),
        ("linked_by", pa.string()),
    ]
)

SEGMENTS = pa.schema(
    [
        ("dataset", pa.string()),
        ("video_id", pa.string()),
        ("segment_id", pa.string()),
        ("kind", pa.string()),
        ("label", pa.string()),
        ("start_us", pa.int64()),
        ("end_us", pa.int64()),
        ("value", pa.float64()),
        ("rater", pa.string()),
        ("subject", pa.string()),
        ("sampled_us", pa.int64()),
        ("origin", pa.string()),
        ("source_path", pa.string()),
        ("pointer", pa.string()),
    ]
)
"""Labelled intervals (``kind`` phase, step, …), and the windows of questions (``clip``).

``sampled_us``: time between the labelled instants that make up the interval; 0 if it was labelled
as an interval.  ``origin``: the rule that derived it from other labels; null for an annotation."""

REGIONS = pa.schema(
    [
        ("dataset", pa.string()),
        ("video_id", pa.string()),
        ("region_id", pa.string()),
        ("kind", pa.string()),
        ("time_us", pa.int64()),
        ("frame", pa.int64()),
        ("label", pa.string()),
        ("track_id", pa.string()),
        ("x1", pa.float64()),
        ("y1", pa.float64()),
        ("x2", pa.float64()),
        ("y2", pa.float64()),
        ("score", pa.float64()),
        ("box_origin", pa.string()),
        ("mask", pa.string()),
        ("attributes", pa.string()),
        ("source_path", pa.string()),
        ("pointer", pa.string()),
    ]
)
"""Lesions, landmarks and structures: one row per (kind, instant, instance).  An annotated instant
without instances has one row whose ``label`` is null."""

LABELS = pa.schema(
    [
        ("dataset", pa.string()),
        ("video_id", pa.string()),
        ("label_id", pa.string()),
        ("kind", pa.string()),
        ("label", pa.string()),
        ("value", pa.float64()),
        ("rater", pa.string()),
        ("source_path", pa.string()),
        ("pointer", pa.string()),
    ]
)
"""Labels of a whole video or still image."""

MOMENTS = pa.schema(
    [
        ("dataset", pa.string()),
        ("video_id", pa.string()),
        ("moment_id", pa.string()),
        ("kind", pa.string()),
        ("label", pa.string()),
        ("start_us", pa.int64()),
        ("end_us", pa.int64()),
        ("resolution_us", pa.int64()),
        ("tool", pa.string()),
        ("verb", pa.string()),
        ("target", pa.string()),
        ("x1", pa.float64()),
        ("y1", pa.float64()),
        ("x2", pa.float64()),
        ("y2", pa.float64()),
        ("group", pa.string()),
        ("value", pa.float64()),
        ("text", pa.string()),
        ("origin", pa.string()),
        ("source_path", pa.string()),
        ("pointer", pa.string()),
    ]
)
"""Actions, cues, states of tissues, anomalies, speech (:data:`ontology.moments.MOMENTS`)."""

_BOUNDS = ("s0_us", "s_us", "s1_us", "e0_us", "e_us", "e1_us", "x0_us", "x1_us")

FACTS = pa.schema(
    [
        ("dataset", pa.string()),
        ("video_id", pa.string()),
        ("fact_id", pa.string()),
        *((name, pa.string()) for name in ("kind", "label", "subject", "track", "verb", "target")),
        ("rater", pa.string()),
        ("origin", pa.string()),
        *((name, pa.int64()) for name in _BOUNDS),
        *((name, pa.int64()) for name in ("grp", "s_mark", "e_mark", "s_gap", "e_gap")),
        ("t0_us", pa.int64()),
        ("t1_us", pa.int64()),
        ("sure", pa.bool_()),
        ("value_lo", pa.float64()),
        ("value_hi", pa.float64()),
        ("marks", pa.list_(pa.struct([("kind", pa.string()), ("id", pa.string())]))),
    ]
)
"""Facts about a video: one row is one thing that is true from a start to an end.

The true start lies in [``s0_us``, ``s1_us``] and is printed as ``s_us``; the end likewise.  Times
are half-open.  Facts that may be one and the same share ``grp`` and reach from ``x0_us`` to
``x1_us``.  Two facts with a common border share the number ``s_mark`` or ``e_mark``. Borders
between the same two labelled instants share ``s_gap`` or ``e_gap``; -1 stands for none. The
instance certainly exists from ``t0_us`` to ``t1_us``. ``marks`` are the rows from which the fact
was made."""

HOLES = pa.schema(
    [
        ("dataset", pa.string()),
        ("video_id", pa.string()),
        *((name, pa.string()) for name in ("kind", "label", "subject")),
        *((name, pa.int64()) for name in ("u0_us", "u1_us", "floor_us")),
    ]
)
"""Intervals that may contain unlisted facts shorter than ``floor_us`` (null: of any length)."""

LOOKED = pa.schema(
    [
        ("dataset", pa.string()),
        ("video_id", pa.string()),
        ("kind", pa.string()),
        ("field", pa.string()),
        ("ids", pa.list_(pa.string())),
    ]
)
"""``field`` null: the kind was annotated, except in its holes.  Otherwise, ``ids`` are values of
the field that were annotated.  Outside the holes, each is absent unless a fact states it."""

SAMPLES = pa.schema(
    [
        ("dataset", pa.string()),
        ("video_id", pa.string()),
        ("track", pa.string()),
        ("time_us", pa.int64()),
        *((name, pa.float64()) for name in ("x1", "y1", "x2", "y2")),
    ]
)
"""Boxes of instances at instants; ``track`` is the instance."""

INSTANTS = pa.schema([("dataset", pa.string()), ("video_id", pa.string()), ("time_us", pa.int64())])
"""Instants at which instruments were annotated."""

EVIDENCE_TABLES = {
    "videos": VIDEOS,
    "events": EVENTS,
    "tracks": TRACKS,
    "segments": SEGMENTS,
    "regions": REGIONS,
    "labels": LABELS,
    "moments": MOMENTS,
    "facts": FACTS,
    "holes": HOLES,
    "looked": LOOKED,
    "samples": SAMPLES,
    "instants": INSTANTS,
}
