"""Loads the raw rows, which readers wrote, into a database with limited memory."""

from __future__ import annotations

from pathlib import Path

import duckdb

from surgqa.transforms.checks.bounds import bounded, database, source_of
from surgqa.transforms.checks.facts.known import CLIP_OF, put_known
from surgqa.transforms.store.folder import OutputFolder

HELD = ("facts", "holes", "looked", "samples", "instants")
"""Tables of ``evidence/`` that are derived again."""

RAW = ("videos", "events", "segments", "regions", "labels", "moments")
"""Raw tables of ``evidence/`` that they are derived from."""


def connect(folder: OutputFolder, scratch: Path) -> duckdb.DuckDBPyConnection:
    """Return a database with the raw rows; ``v`` numbers the videos, ``n`` a table's rows.

    Args:
        scratch: an existing folder for data that does not fit into memory.
    """
    settings = bounded(scratch) | {"preserve_insertion_order": False}
    file = database(folder.path / "evidence", scratch / "facts.duckdb")
    con = duckdb.connect(file, config=settings)
    for name in (*RAW, *HELD):
        path = folder.path / "evidence" / f"{name}.parquet"
        source = source_of(path, scratch, ", file_row_number = true")
        con.execute(f"create view {name}_file as from {source}")
    keys = " union ".join(f"select dataset, video_id from {name}_file"
                          for name in ("videos", *HELD))  # fmt: skip
    con.execute(
        "create table names as select row_number() over (order by dataset, video_id)::int as v, *, "
        f"dataset || '/' || video_id as video from ({keys} except {OBSERVED})"
    )
    for name, columns in COLUMNS.items():
        con.execute(f"create table r_{name} as select v, file_row_number as n, {columns} "
                    f"from {name}_file join names using (dataset, video_id)")  # fmt: skip
    con.execute(USED)
    put_known(con)
    return con


_KIND = "case kind " + " ".join(f"when '{a}' then '{b}'" for a, b in CLIP_OF.items())

OBSERVED = "select dataset, video_id from videos_file where label_source = 'model'"
"""Videos annotated by a model. The gaps of these videos depend on what the model may have missed,
which was computed from data outside ``evidence/``. So their facts are not derived again."""

COLUMNS = {
    "videos": "period_us as period, duration_us as duration, dataset, vocabulary, annotated, "
              "unseen",
    "events": "event_id as id, time_us as t, label, track_id as track, x1, y1, x2, y2, pairs",
    "segments": f"segment_id as id, kind as said_as, {_KIND} else kind end as kind, label, "
                "start_us as a, end_us as b, value, rater, subject, sampled_us as sampled, origin",
    "regions": "region_id as id, kind, time_us as t, label, x1, y1, x2, y2",
    "labels": f"label_id as id, kind, {_KIND} else kind end as sought_as, label, value, rater",
    "moments": "moment_id as id, case kind when 'action' then 'interaction' else kind end as kind, "
               'label, start_us as a, end_us as b, resolution_us as fine, tool, verb, target, '
               '"group", value, origin',
}  # fmt: skip
"""Table -> the columns read from it. An action in ``moments`` becomes the kind "interaction"."""

USED = """
create table used as
select distinct kind from r_segments union select kind from r_labels
union select sought_as from r_labels union select kind from r_moments
"""
