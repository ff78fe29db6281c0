"""SQL for the table ``looked``: the kinds of facts and the labels that annotators searched for."""

from __future__ import annotations

LOOKED = """
create table made_looked as
with said as (
  select v, kind, label, true as spanned from r_segments where label is not null
  union all select v, sought_as, label, false from r_labels
), sought as (
  select s.v, s.kind, list_sort(list_distinct(list(s.label) || coalesce(
    (select list(m.label) from mapped m join names d using (dataset)
     where d.v = s.v and m.kind = s.kind), []))) as ids
  from said s left join kinds k on k.kind = s.kind
  group by s.v, s.kind having exists (
    select 1 from mapped m join names d using (dataset) where d.v = s.v and m.kind = s.kind
  ) or (bool_or(s.spanned) and bool_and(k.exclusive not in ('video', 'subject')))
), fields as (
  select 1 as rank, v, kind, 'label' as field, ids from sought
  union all
  select 2, w.v, f.kind, f.field, list_sort(list_distinct(vocabulary))
  from owners w join r_videos using (v), (values ('instrument', 'label'),
    ('instrument', 'subject'), ('interaction', 'subject'), ('idle', 'subject')) f(kind, field)
  where w.what = 'tool' and (f.kind = 'instrument' or w.v in (select v from paired))
  union all
  select 3, w.v, w.kind, 'label', coalesce(list_sort(list_distinct(
    list(s.label) filter (s.label is not null))), [])
  from owners w join spelled s on s.v = w.v and s.kind = w.class
  where w.what = 'region' group by w.v, w.kind
  union all
  select 4, p.v, 'whole_label', 'label', coalesce(list_sort(list_distinct(
    list(l.label) filter (l.label is not null))), [])
  from r_videos p left join r_labels l using (v) group by p.v
  union all
  select 5, v, kind, 'label', list_sort(list(label))
  from (select distinct v, kind from watched) join terms using (kind) group by v, kind
)
select v, kind, null::varchar as field, null::varchar[] as ids from (
  select v, kind from owners where what <> 'act'
  union select v, unnest(['interaction', 'idle']) from owners where what = 'act'
  union select v, 'whole_label' from r_videos
  union select v, kind from happened
)
union all
select v, kind, field, ids from fields
qualify rank = max(rank) over (partition by v, kind);
"""
"""If several sources state the labels of a kind, only the source with the highest rank counts."""
