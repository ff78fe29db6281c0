"""Checks that the fields of a row of evidence agree, such as its label, box, score and mask."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import orjson

from surgqa.transforms.checks.proof.evidence import in_bounds
from surgqa.transforms.checks.tables import SHOWN, Problem, sources_at
from surgqa.transforms.store.folder import OutputFolder

AT_ONCE = 10_000
"""Number of texts that are read from the database at once."""

LONGEST_BITS = 40
"""Maximum number of bits of a number in a mask; no image has so many pixels."""

TRACK = {
    "events": "track_id is not null",
    "regions": "coalesce(regexp_full_match(track_id, '[0-9]+'), true)",
}
"""Table -> SQL condition on the track id of a labelled row."""

_ROWS = """
select dataset || '/' || video_id as video, {id} as id from {source}
where not coalesce(case when label is null
  then track_id is null and x1 is null and y1 is null and x2 is null and y2 is null
    and score is null and box_origin is null and mask is null and attributes is null
  else {track}
    and (x1 is null) = (y1 is null) and (x1 is null) = (x2 is null) and (x1 is null) = (y2 is null)
    and (box_origin = 'none') = (x1 is null)
    and box_origin in ('manual', 'detector', 'mask', 'interpolated', 'none')
    and case when box_origin in ('manual', 'none') then score = 1 else score between 0 and 1 end
  end, false)
order by all limit {limit}
"""
"""Rows that break a rule: a row without a label has no box, score or mask; a labelled row has a
score (1 unless a model gave it) and either all four sides of a box or none."""

_LINKED = """
select t.dataset || '/' || t.video_id as video, t.track_id, t.linked_by
from {tracks} t join (
  select dataset, video_id, track_id, bool_and(x1 is not null) as boxed,
    bool_and(x1 is null) as bare
  from {events} where label is not null group by all) e using (dataset, video_id, track_id)
where case t.linked_by when 'source' then false when 'nearest_centroid' then not boxed
  when 'class' then not bare else true end
order by all limit {limit}
"""
"""Tracks with a wrong ``linked_by``: events with boxes are linked by centre, others by class."""

_TEXTS = """
select dataset || '/' || video_id as video, {id} as id, {column} from {source}
where {column} is not null
"""


def field_problems(folder: OutputFolder, scratch: Path) -> Iterator[Problem]:
    """Yield (code, detail) for each labelled row whose fields are wrong.

    Args:
        scratch: an existing folder for data that does not fit into memory.

    Raises:
        OutputBroken: a table is missing or lacks a column.
    """
    with in_bounds(scratch) as con:
        at = sources_at(folder, scratch, ("events", "regions", "tracks"))
        for name, track in TRACK.items():
            values = {"source": at[name], "id": f"{name[:-1]}_id", "limit": SHOWN}
            for video, row in con.execute(_ROWS.format(**values, track=track)).fetchall():
                what = "label, track, box, score and other fields do not agree"
                yield "evidence_malformed", f"{name} {row} of {video}: {what}"
            for column, fits in TEXTS.items():
                for video, row in _unfit(con, _TEXTS.format(**values, column=column), fits):
                    yield (
                        "evidence_malformed",
                        f"{name} {row} of {video}: its {column} cannot be read",
                    )
        for video, track, by in con.execute(_LINKED.format(**at, limit=SHOWN)).fetchall():
            yield "track_differs", f"{video} track {track}: linked_by {by} contradicts its events"


def _unfit(
    con: duckdb.DuckDBPyConnection, query: str, fits: Callable[[str], bool]
) -> Iterator[tuple[str, str]]:
    con.execute(query)
    found = 0
    while found < SHOWN and (rows := con.fetchmany(AT_ONCE)):
        for video, row, text in rows:
            if not fits(text):
                found += 1
                yield video, row


def is_mask(text: str) -> bool:
    """Return whether a text is ``HEIGHTxWIDTH:counts`` with as many pixels as such an image."""
    found = re.fullmatch(r"(\d{1,6})x(\d{1,6}):([0-o]+)", text, re.ASCII)
    if found is None:
        return False
    runs = run_lengths(found[3])
    size = int(found[1]) * int(found[2])
    return runs is not None and min(runs) >= 0 and sum(runs) == size


def run_lengths(counts: str) -> list[int] | None:
    """Return a mask's run lengths in pixels from COCO's compressed text; None if it is invalid.

    Pixels run column by column. Each number is written in groups of five bits, lowest group first;
    32 is added to a group if another follows. From the fourth number on, the text contains the
    difference to the number two places before (COCO's ``rleFrString``).
    """
    out: list[int] = []
    value = shift = 0
    for letter in counts:
        bits = ord(letter) - 48
        value |= (bits & 31) << shift
        shift += 5
        if shift > LONGEST_BITS:
            return None
        if bits & 32:
            continue
        value -= (1 << shift) if bits & 16 else 0
        out.append(value + (out[-2] if len(out) > 2 else 0))
        value = shift = 0
    return out if shift == 0 else None


def is_attributes(text: str) -> bool:
    """Return whether a text is a non-empty JSON object with sorted keys."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    sorted_text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    return isinstance(value, dict) and bool(value) and sorted_text == text


TEXTS: dict[str, Callable[[str], bool]] = {"mask": is_mask, "attributes": is_attributes}
"""Column -> function that returns whether a text of the column is valid."""
