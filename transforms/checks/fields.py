"""Fields of a label's row against one another: box, score, mask, attributes, how it was linked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import orjson

from transforms.checks.proof.evidence import in_bounds, source_of
from transforms.checks.tables import evidence_file
from transforms.store.folder import OutputFolder

Problem = tuple[str, str]

SHOWN = 100
"""Rows of one table that are told of, at most."""

AT_ONCE = 10_000
"""Texts that are read at once."""

LONGEST_BITS = 40
"""Of a number in a mask: no picture has so many pixels."""

TRACK = {
    "events": "track_id is not null",
    "regions": "coalesce(regexp_full_match(track_id, '[0-9]+'), true)",
}
"""Table -> what the track of a label is; of a region the source's number, if any."""

_ROWS = """
select dataset || '/' || video_id as video, {id} as id from {source}
where not coalesce(case when label is null
  then track_id is null and x1 is null and y1 is null and x2 is null and y2 is null
    and score is null and box_origin is null and mask is null and attributes is null
  else {track}
    and (x1 is null) = (y1 is null) and (x1 is null) = (x2 is null) and (x1 is null) = (y2 is null)
    and (box_origin = 'none') = (x1 is null)
    and box_origin in ('manual', 'detector', 'interpolated', 'none')
    and case when box_origin = 'detector' then score between 0 and 1 else score = 1 end
  end, false)
order by all limit {limit}
"""
"""An instant that shows nothing has nothing else; a label has a score, of people 1, and all of a
box or nothing of it."""

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
"""What has a box was linked by its centre, what has none by its class, if not by the source."""

_TEXTS = """
select dataset || '/' || video_id as video, {id} as id, {column} from {source}
where {column} is not null
"""


def field_problems(folder: OutputFolder, scratch: Path) -> Iterator[Problem]:
    """What is wrong with fields of labelled rows (code, detail).

    Args:
        scratch: an existing folder for what does not fit into memory.

    Raises:
        OutputBroken: a table is missing or lacks a column.
    """
    with in_bounds(scratch) as con:
        at = {name: source_of(evidence_file(folder, name), scratch)
              for name in ("events", "regions", "tracks")}  # fmt: skip
        for name, track in TRACK.items():
            told = {"source": at[name], "id": f"{name[:-1]}_id", "limit": SHOWN}
            for video, row in con.execute(_ROWS.format(**told, track=track)).fetchall():
                what = "label, track, box, score and the rest do not fit one another"
                yield "evidence_malformed", f"{name} {row} of {video}: {what}"
            for column, fits in TEXTS.items():
                for video, row in _unfit(con, _TEXTS.format(**told, column=column), fits):
                    yield (
                        "evidence_malformed",
                        f"{name} {row} of {video}: its {column} cannot be read",
                    )
        for video, track, by in con.execute(_LINKED.format(**at, limit=SHOWN)).fetchall():
            yield "track_differs", f"{video} track {track}: not linked by {by}, its events say"


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
    """Whether a text is ``HEIGHTxWIDTH:counts`` whose runs fill a picture of this size."""
    found = re.fullmatch(r"(\d{1,6})x(\d{1,6}):([0-o]+)", text, re.ASCII)
    if found is None:
        return False
    runs = run_lengths(found[3])
    size = int(found[1]) * int(found[2])
    return runs is not None and min(runs) >= 0 and sum(runs) == size


def run_lengths(counts: str) -> list[int] | None:
    """COCO's compressed run lengths, in pixels down the columns; None of a text that is none.

    A number is written in fives of bits, the lowest first, 32 added where more follow; from the
    fourth on it is the difference to the last but one (``rleFrString`` of the COCO API).
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
    """Whether a text is a JSON object with its keys in order, not empty."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    sorted_text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    return isinstance(value, dict) and bool(value) and sorted_text == text


TEXTS: dict[str, Callable[[str], bool]] = {"mask": is_mask, "attributes": is_attributes}
"""Column -> whether a text of it can be read."""
