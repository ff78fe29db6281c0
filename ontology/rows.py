"""The row of ``data/`` and the tables of ``evidence/``: one fixed Arrow schema each.

All keys are always present.  Values whose structure depends on the task are canonical JSON in a
text column, so that all shards have the same types.
"""

from __future__ import annotations

import pyarrow as pa

SCHEMA_VERSION = "surgqa/row-v3"

TEXT, TRUTH, FLOAT = pa.string(), pa.bool_(), pa.float64()
INT, INT8, INT32 = pa.int64(), pa.int8(), pa.int32()


def _columns(*typed: tuple[pa.DataType, str]) -> list[pa.Field]:
    """Return fields in order, from pairs of a type and names such as ``start_us end_us``."""
    return [pa.field(name, kind) for kind, names in typed for name in names.split()]


def _list(*typed: tuple[pa.DataType, str]) -> pa.DataType:
    """Return the type of a list of structs, from pairs as for :func:`_columns`."""
    return pa.list_(pa.struct(_columns(*typed)))


def _table(*typed: tuple[pa.DataType, str]) -> pa.Schema:
    """Return the schema of a table, from pairs as for :func:`_columns`."""
    return pa.schema(_columns(*typed))


_MEDIA = pa.struct(
    _columns(
        (TEXT, "path kind"),
        (INT, "fps_num fps_den"),
        (INT32, "width height"),
        (INT, "first"),
        (TEXT, "sha256"),
    )
)
_OPTIONS = _list((TEXT, "key text value"), (TRUTH, "is_answer"), (TEXT, "kind"), (FLOAT, "margin"))
_POINTERS = _list((TEXT, "kind id"), (INT, "start_us end_us"))
_CHECKS = _list((TEXT, "name"), (FLOAT, "measured"), (TEXT, "limit"))
_ROUNDS = _list(
    (INT32, "round_index"), (INT, "current_us start_us end_us"), (TEXT, "expected_output"),
    (pa.list_(TEXT), "accepted_outputs"), (TRUTH, "answerable"),
)  # fmt: skip

ITEM = _table(
    (TEXT, "item_id benchmark task form template_id"),
    (INT32, "template_version"),
    (TEXT, "dataset video_id split split_group procedure specialty window_id"),
    (INT, "start_us end_us resolution_us"),
    (_MEDIA, "media"),
    (TEXT, "question answer unit rule rule_args"),
    (_OPTIONS, "options"),
    (TEXT, "answer_key block answer_value slots"),
    (_POINTERS, "evidence"),
    (pa.list_(TEXT), "reasoning"),
    (TEXT, "knowledge clue context rubric chain_id"),
    (INT8, "stage"),
    (TEXT, "temporal_mode task_mode"),
    (INT, "query_us"),
    (_ROUNDS, "rounds"),
    (_CHECKS, "checks"),
    (TEXT, "pair"),
    (INT8, "level"),
    (TEXT, "certain label_source licence"),
)

VIDEOS = _table(
    (TEXT, "dataset video_id procedure specialty"),
    (INT, "fps_num fps_den period_us duration_us"),
    (TEXT, "split_group media_kind media_path"),
    (INT32, "width height"),
    (INT, "first_picture"),
    (TEXT, "media_sha256"),
    (TEXT, "licence label_source"),
    (pa.list_(TEXT), "vocabulary"),
    (TEXT, "clock"),
    (_list((TEXT, "path sha256")), "sources"),
    (_list((TEXT, "kind label")), "annotated"),
    (_list((TEXT, "kind"), (INT, "start_us end_us")), "unseen"),
)
"""``annotated``: classes of instruments and of each kind of region that were annotated at instants.
A class without a row is therefore known to be absent.  A null label stands for the whole kind.
``unseen``: gaps in which nobody annotated a kind that is otherwise recorded throughout."""

EVENTS = _table(
    (TEXT, "dataset video_id event_id"),
    (INT, "time_us frame"),
    (TEXT, "label track_id"),
    (FLOAT, "x1 y1 x2 y2"),
    (_list((TEXT, "verb target")), "pairs"),
    (FLOAT, "score"),
    (TEXT, "box_origin mask attributes source_path source_sha256 pointer"),
)
"""One row per (instant, instance); an instant without instruments has one row whose
``label`` is null.  ``pairs`` null means not annotated."""

TRACKS = _table(
    (TEXT, "dataset video_id track_id label"),
    (INT, "first_us last_us samples"),
    (TEXT, "linked_by"),
)

SEGMENTS = _table(
    (TEXT, "dataset video_id segment_id kind label"),
    (INT, "start_us end_us"),
    (FLOAT, "value"),
    (TEXT, "rater subject"),
    (INT, "sampled_us"),
    (TEXT, "origin source_path pointer"),
)
"""Labelled intervals (``kind`` phase, step, …), and the windows of questions (``clip``).

``sampled_us``: time between the labelled instants that make up the interval; 0 if it was labelled
as an interval.  ``origin``: the rule that derived it from other labels; null for an annotation."""

REGIONS = _table(
    (TEXT, "dataset video_id region_id kind"),
    (INT, "time_us frame"),
    (TEXT, "label track_id"),
    (FLOAT, "x1 y1 x2 y2 score"),
    (TEXT, "box_origin mask attributes source_path pointer"),
)
"""Lesions, landmarks and structures: one row per (kind, instant, instance).  An annotated instant
without instances has one row whose ``label`` is null."""

LABELS = _table(
    (TEXT, "dataset video_id label_id kind label"),
    (FLOAT, "value"),
    (TEXT, "rater source_path pointer"),
)
"""Labels of a whole video or still image."""

MOMENTS = _table(
    (TEXT, "dataset video_id moment_id kind label"),
    (INT, "start_us end_us resolution_us"),
    (TEXT, "tool verb target"),
    (FLOAT, "x1 y1 x2 y2"),
    (TEXT, "group"),
    (FLOAT, "value"),
    (TEXT, "text origin source_path pointer"),
)
"""Actions, cues, states of tissues, anomalies, speech (:data:`ontology.moments.MOMENTS`)."""

FACTS = _table(
    (TEXT, "dataset video_id fact_id kind label subject track verb target rater origin"),
    (INT, "s0_us s_us s1_us e0_us e_us e1_us x0_us x1_us grp s_mark e_mark s_gap e_gap"),
    (INT, "t0_us t1_us"),
    (TRUTH, "sure"),
    (FLOAT, "value_lo value_hi"),
    (_list((TEXT, "kind id")), "marks"),
)
"""Facts about a video: one row is one thing that is true from a start to an end.

The true start lies in [``s0_us``, ``s1_us``] and is printed as ``s_us``; the end likewise.  Times
are half-open.  Facts that may be parts of one longer fact share ``grp``; it would last from
``x0_us`` to ``x1_us``.  If one fact begins where another ends, its ``s_mark`` is the other's
``e_mark``. Starts and ends between the same two labelled instants share ``s_gap`` or ``e_gap``; -1
stands for none. The object of the fact is certainly in view from ``t0_us`` to ``t1_us``. ``marks``
are the rows from which the fact was made."""

HOLES = _table(
    (TEXT, "dataset video_id kind label subject"),
    (INT, "u0_us u1_us floor_us"),
)
"""Intervals that may contain unlisted facts shorter than ``floor_us`` (null: of any length)."""

LOOKED = _table(
    (TEXT, "dataset video_id kind field"),
    (pa.list_(TEXT), "ids"),
)
"""``field`` null: the kind was annotated, except in its holes.  Otherwise, ``ids`` are values of
the field that were annotated.  Outside the holes, each is absent unless a fact states it."""

SAMPLES = _table(
    (TEXT, "dataset video_id track"),
    (INT, "time_us"),
    (FLOAT, "x1 y1 x2 y2"),
)
"""Boxes of instances at instants; ``track`` is the instance."""

INSTANTS = _table(
    (TEXT, "dataset video_id"),
    (INT, "time_us"),
)
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
