"""Checks that events and moments are valid, and that tracks agree with the events."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from surgqa.transforms.checks.proof.evidence import in_bounds
from surgqa.transforms.checks.tables import SHOWN, Problem, require_order, sources_at
from surgqa.transforms.store.folder import OutputFolder

_BOX = """
when x1 is not null and not (0 <= x1 and x1 < x2 and x2 <= 1 and 0 <= y1 and y1 < y2 and y2 <= 1)
then 'box [' || concat_ws(', ', x1, y1, x2, y2) || '] is not inside the frame'
"""

_EVENTS = """
select video, 'event ' || event_id || ': ' || why from (
  select dataset || '/' || video_id as video, event_id, case
    when not list_contains(coalesce(vocabulary, []), label)
      then 'class ''' || label || ''' is not in the video''s vocabulary'
    when not (0 <= time_us and time_us < duration_us)
      then 'time ' || time_us || ' is outside the video'
    when coalesce(track_id, '') = '' then 'no track'
    when len(pairs) = 0 or pairs <> list_sort(pairs)
      then 'pairs ' || pairs::varchar || ' are empty or not sorted'
    {box} end as why
  from {events} e join {videos} v using (dataset, video_id) where label is not null)
where why is not null order by all limit {limit}
"""

_EMPTY = """
select dataset || '/' || video_id as video, 'time ' || time_us || ': '
  || count(*) || ' rows, of which one states that no instrument is in view'
from {events} group by dataset, video_id, time_us
having count(label) < count(*) and count(*) > 1 order by all limit {limit}
"""

_MOMENTS = """
select video, 'moment ' || moment_id || ': ' || why from (
  select dataset || '/' || video_id as video, moment_id, case
    when count(*) over (partition by dataset, video_id, moment_id) > 1 then 'its id repeats'
    when not (0 <= start_us and start_us <= end_us and end_us <= duration_us)
      or resolution_us < 0
      then 'times [' || concat_ws(', ', start_us, end_us, resolution_us) || '] in '
        || duration_us || ' us'
    {box} end as why
  from {moments} m join {videos} v using (dataset, video_id))
where why is not null order by all limit {limit}
"""

_TRACKS = """
with found as (
  select dataset, video_id, track_id, min(label) as label, min(time_us) as first_us,
    max(time_us) as last_us, count(*) as samples, count(distinct label) as labels,
    count(distinct time_us) as times
  from {events} where label is not null group by all),
told as (select {key}, ({facts}) as kept from {tracks}),
seen as (select {key}, ({facts}) as real, labels, times < samples as twice from found)
select coalesce(t.dataset, s.dataset) || '/' || coalesce(t.video_id, s.video_id) as video,
  'track ' || coalesce(t.track_id, s.track_id, '') || ': '
  || case when coalesce(twice, false) then 'two samples at one instant, ' else '' end
  || 'kept ' || coalesce(kept::varchar, 'None') || ', events say '
  || coalesce(real::varchar, 'None')
from told t full join seen s using (dataset, video_id, track_id)
where twice or labels > 1 or kept is distinct from real order by all limit {limit}
"""

_SOURCES = """
select distinct e.dataset || '/' || e.video_id as video, e.source_path || ' ' || e.source_sha256
from {events} e where not exists (
  from (select dataset, video_id, unnest(sources, recursive := true) from {videos}) s
  where s.dataset = e.dataset and s.video_id = e.video_id and s.path = e.source_path
    and s.sha256 = e.source_sha256)
order by all limit {limit}
"""

QUERIES = (
    ("event_malformed", _EVENTS), ("event_malformed", _EMPTY), ("moment_malformed", _MOMENTS),
    ("track_differs", _TRACKS), ("source_unlisted", _SOURCES),
)  # fmt: skip
"""Code of a finding -> query for (video, detail) of the rows that are wrong."""


def video_problems(folder: OutputFolder, scratch: Path) -> Iterator[Problem]:
    """Yield (code, detail) for each event, moment and track that is wrong.

    Args:
        scratch: an existing folder for data that does not fit into memory.

    Raises:
        OutputBroken: a table is missing, lacks a column or is not sorted by dataset and video.
    """
    at = sources_at(folder, scratch, ("videos", "events", "tracks", "moments"))
    for name in sorted(at.keys() - {"videos"}):
        require_order(folder, name)
    values = {"key": "dataset, video_id, track_id", "facts": "label, first_us, last_us, samples",
              "box": _BOX, "limit": SHOWN}  # fmt: skip
    with in_bounds(scratch) as con:
        for code, query in QUERIES:
            if query != _MOMENTS or "moments" in at:
                found = con.execute(query.format(**at, **values)).fetchall()
                yield from ((code, f"{video} {detail}") for video, detail in found)
