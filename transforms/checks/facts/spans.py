"""SQL that derives facts from labelled intervals, with the possible times of their borders."""

from __future__ import annotations

from surgqa.transforms.checks.facts.runs import FAR, GAPS

LOOKED = """
insert into seen
with said as (
  select s.v, s.kind as scope, s.a, s.b, s.sampled from r_segments s join kinds using (kind)
  where s.label is not null and exclusive in ('video', 'subject')
  union all
  select v, '', a, b, sampled from r_segments where label is not null
), scoped as (
  select v, scope, a, b, min(sampled) as sampled from said group by v, scope, a, b
), reached as (
  select *, max(b) over (partition by v, scope order by a, b
    rows between unbounded preceding and 1 preceding) as before from scoped
), blocks as (
  select *, sum((before is null or a > before)::int) over (
    partition by v, scope order by a, b rows unbounded preceding) as block from reached
), blocked as (
  select v, scope, min(a) as a, max({'b': b, 'seen': b - greatest(sampled - 1, 0)}).seen as b
  from blocks group by v, scope, block
)
select w.o, b.a, b.b from owners w join kinds using (kind) join blocked b
on b.v = w.v and b.scope = if(exclusive in ('video', 'subject'), w.kind, '')
where w.what = 'span' and labelled <> 'noted';
"""
"""Annotated times of a kind, from the first to the last sampled instant of touching intervals. If
the kind has only one label at a time, only intervals of this kind count, otherwise intervals of all
kinds."""

NOTED = f"""
create table blind as
select v, unnest(unseen, recursive := true) from r_videos where len(unseen) > 0;
insert into seen
with mine as (
  select w.o, start_us as a, end_us as b from owners w join kinds using (kind)
  join blind using (v, kind) where w.what = 'span' and labelled = 'noted'
), reached as (
  select o, a, greatest(coalesce(max(b) over (
    partition by o order by a, b rows between unbounded preceding and 1 preceding), -{FAR}), -{FAR}
  ) as u0 from mine
)
select o, u0, a from reached where a > u0
union all
select o, greatest(coalesce(max(b), -{FAR}), -{FAR}), {FAR}
from owners join kinds using (kind) left join mine using (o)
where what = 'span' and labelled = 'noted' group by o;
"""
"""A kind that is annotated throughout was annotated at all times except those listed as unseen."""

BORDERS = """
create table stretches as
with halved as (
  select s.*, w.o, k.exclusive in ('video', 'subject') as alone,
    if(k.exclusive = 'subject', subject, null) as whose, greatest(p.period // 2, 1) as half,
    row_number() over (partition by w.o order by said_as, a, b, s.label, coalesce(subject, ''),
      coalesce(rater, ''), s.n) as place
  from r_segments s join owners w on w.v = s.v and w.kind = s.kind and w.what = 'span'
  join kinds k on k.kind = s.kind join r_videos p on p.v = s.v
  where s.label is not null
)
select v, o, kind, label, subject, rater, origin, value, id, alone, whose, place,
  if(sampled > 0, a - sampled + 1, a - half) as s0, if(sampled > 0, a - sampled // 2, a) as s,
  if(sampled > 0, a, a + half) as s1, if(sampled > 0, b - sampled + 1, b - half) as e0,
  if(sampled > 0, b - sampled // 2, b) as e, if(sampled > 0, b, b + half) as e1
from halved;
create table abutting as
with heads as (
  select o, whose, s, s1, max(place) as place from stretches where alone group by all
)
select t.o, t.place as ends, h.place as begins,
  max(t.place) over (partition by t.o, h.place) as last
from stretches t join heads h on h.o = t.o and h.s = t.e and h.s1 = t.e1 and h.place <> t.place
  and h.whose is not distinct from t.whose
where t.alone;
"""
"""Intervals with the earliest and latest time of each border. If labels were sampled at instants, a
border lies between two of them. If one label ends where the next begins, they share the border."""

AS_FACTS = f"""
insert into made by name
with ahead as (
  select t.o, t.place, max(g.u1) as reach, max(g.h) as h, bool_or(g.u0 = t.e0) as cut
  from stretches t join gaps g on g.o = t.o and g.u0 between t.e0 and t.e1 group by t.o, t.place
), behind as (
  select t.o, t.place, min(g.u0) as reach, max(g.h) as h, bool_or(g.u1 = t.s1) as cut
  from stretches t join gaps g on g.o = t.o and g.u1 between t.s0 and t.s1 group by t.o, t.place
), begun as (select distinct o, begins, last from abutting)
select t.v, t.kind, t.label, t.subject, t.rater, t.origin, t.value as value_lo, t.value as value_hi,
  least(t.s0, b.reach) as s0, if(b.cut, t.s1, t.s) as s, t.s1, t.e0, if(f.cut, t.e0, t.e) as e,
  greatest(t.e1, f.reach) as e1, t.o * {GAPS} + b.h as s_gap, t.o * {GAPS} + f.h as e_gap,
  if(m.last is null, null, hash(t.o, m.last)) as s_mark,
  if(x.ends is null, null, hash(t.o, x.ends)) as e_mark, 0 as t0, -1 as t1,
  [{{'kind': 'segments', 'id': t.id}}] as marks
from stretches t
left join ahead f on f.o = t.o and f.place = t.place
left join behind b on b.o = t.o and b.place = t.place
left join abutting x on x.o = t.o and x.ends = t.place
left join begun m on m.o = t.o and m.begins = t.place;
"""
"""If a gap begins where an interval ends, the interval may continue into the gap."""
