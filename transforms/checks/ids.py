"""Checks that rows of ``evidence/`` have the right ids, and that their videos and sources exist."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from surgqa.transforms.checks.proof.evidence import in_bounds
from surgqa.transforms.checks.tables import SHOWN, Problem, sources_at
from surgqa.transforms.store.folder import OutputFolder


@dataclass(frozen=True)
class IdRule:
    """The form of the row ids of a table.

    Attributes:
        column: the column of the id.
        base: SQL that computes the first part of the id.
        first: SQL of the first number that is appended to ``base``. It is null if ids have no
            number, so that several rows may share an id.
    """

    column: str
    base: str
    first: str


def _joined(*columns: str) -> str:
    """Return SQL that joins the non-empty columns with dashes."""
    return f"concat_ws('-', {', '.join(f'''nullif({one}::varchar, '')''' for one in columns)})"


def _digest(length: int, *parts: str) -> str:
    texts = ", ".join(f"coalesce({one}::varchar, 'None')" for one in parts)
    return f"left(sha256(concat_ws(chr(31), {texts})), {length})"


_FACT = ("'fact'", "kind", "label", "subject", "track", "verb", "target", "rater", "origin",
         "s_us", "e_us")  # fmt: skip
_WINDOW = ("'clip'", "dataset || '/' || video_id", "start_us", "end_us")
_FRAME = "frame::varchar || '-' || coalesce(label, 'none')"
_EACH = "case when label is null then 2 else 1 end"

NAMED = {
    "events": IdRule("event_id", _FRAME, _EACH),
    "regions": IdRule("region_id", f"kind || '-' || {_FRAME}", _EACH),
    "segments": IdRule(
        "segment_id",
        f"case when kind = 'clip' and label is null then {_digest(32, *_WINDOW)} "
        f"else {_joined('kind', 'start_us', 'label', 'subject', 'rater')} end", "2",
    ),
    "moments": IdRule(
        "moment_id",
        _joined("kind", "start_us", "case when kind <> 'said' then label end", "tool", "verb",
                "target", '"group"'), "2",
    ),
    "labels": IdRule("label_id", _joined("kind", "label", "rater"), "null"),
    "facts": IdRule("fact_id", _digest(16, *_FACT), "null"),
}  # fmt: skip

_IDS = """
with named as (
  select dataset || '/' || video_id as video, {column} as id, {base} as base, {first} as first
  from {source}),
numbered as (
  select video, id, base, first, case
    when id = base and coalesce(first, 2) = 2 then 1
    when starts_with(id, base || '-') then try_cast(substr(id, length(base) + 2) as bigint)
  end as k from named)
select video, coalesce(min(id) filter (where k is null), min(id)), base from numbered
group by video, base, first
having count(k) < count(*) or (first is not null
  and (min(k) <> 1 or max(k) <> count(*) or count(distinct k) < count(*)))
order by video, base limit {limit}
"""
"""Rows with wrong ids. Ids with the same base must be numbered from 1 on without gaps."""

_STRANGE = """
select distinct dataset || '/' || video_id as video from {source}
where (dataset, video_id) not in (select (dataset, video_id) from {videos}) order by 1 limit {limit}
"""

_UNLISTED = """
select distinct t.dataset || '/' || t.video_id as video, t.source_path from {source} t
where t.source_path <> '' and not exists (
  from (select dataset, video_id, unnest(sources).path as path from {videos}) s
  where s.dataset = t.dataset and s.video_id = t.video_id
    and (s.path = t.source_path or starts_with(s.path, t.source_path || '/')))
order by all limit {limit}
"""
"""Rows whose source file (or folder of files) is not listed in the row of their video. Rows that
were derived from others have no source."""

WITH_SOURCES = ("segments", "regions", "labels", "moments")
TABLES = (
    "events", "tracks", "segments", "regions", "labels", "moments", "facts", "holes", "looked",
    "samples", "instants",
)  # fmt: skip


def evidence_problems(folder: OutputFolder, scratch: Path) -> Iterator[Problem]:
    """Yield (code, detail) for each row of ``evidence/`` that contradicts other rows.

    Args:
        scratch: an existing folder for data that does not fit into memory.

    Raises:
        OutputBroken: a table is missing or lacks a column.
    """
    with in_bounds(scratch) as con:
        at = sources_at(folder, scratch, ("videos", *TABLES))
        for name in TABLES:
            if name not in at:
                continue
            values = {"source": at[name], "videos": at["videos"], "limit": SHOWN}
            for (video,) in con.execute(_STRANGE.format(**values)).fetchall():
                yield "evidence_malformed", f"{name}: {video} is not in evidence/videos"
            if name in WITH_SOURCES:
                for video, path in con.execute(_UNLISTED.format(**values)).fetchall():
                    yield "source_unlisted", f"{video}: {path} of {name}"
            if name in NAMED:
                query = _IDS.format(**values, **vars(NAMED[name]))
                for video, found, base in con.execute(query).fetchall():
                    yield "evidence_malformed", f"{name} of {video}: id {found}, expected {base}"
