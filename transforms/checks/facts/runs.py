"""SQL that derives facts and gaps (times that nobody annotated) from labels of single instants."""

from __future__ import annotations

FAR = 1 << 40
"""A time in microseconds that is longer than any video; -FAR is before the start of any video."""

GAPS = 1 << 32
"""Gaps of owner number o (see :data:`OWNERS`) are numbered from o times this number."""

SPELLED = """
create table spelled as
select v, unnest(annotated, recursive := true) from r_videos where len(annotated) > 0;
"""
"""The classes that were annotated at single instants; a null label stands for the whole kind."""

OWNERS = """
create table paired as select distinct v from r_events where pairs is not null;
create table open as
  select distinct v, label as class, t from r_events where label is not null and pairs is null;
create table owners as
with spoken as (
  select v, 'tool' as what, 'instrument' as kind, null as class
  from spelled where kind = 'instrument' and label is null
  union all
  select v, 'act', null, label from spelled join paired using (v)
  where kind = 'instrument' and label is not null
  union all
  select s.v, 'region', s.kind || case when s.kind in (
    select g.said_as from r_segments g where g.v = s.v and g.label is not null
  ) then '_region' else '' end, s.kind
  from spelled s where s.kind <> 'instrument' and s.label is null
  union all
  select distinct v, 'span', kind, null from r_segments where label is not null
), numbered as (
  select row_number() over (order by v, what, kind, class)::bigint as o, * from spoken
)
select n.*, case when n.what = 'act' and not exists (
    select 1 from open u where u.v = n.v and u.class = n.class
  ) then (select m.o from numbered m where m.v = n.v and m.what = 'tool') else n.o end as g
from numbered n;
"""
"""Owners: everything of which is known when it was annotated, such as a kind. ``g`` is the number
of the owner whose annotated instants are used.

The actions of an instrument class were annotated at the instants at which every instance of the
class has actions. If no instance ever lacks them, these are the instants of the instruments."""

GRID = f"""
create table grid as
with ticks as (
  select distinct w.o as g, e.t from owners w join r_events e using (v) where w.what = 'tool'
  union all
  select distinct w.o, e.t from owners w join r_events e using (v)
  where w.what = 'act' and w.g = w.o and not exists (
    select 1 from open u where u.v = w.v and u.class = w.class and u.t = e.t)
  union all
  select distinct w.o, r.t from owners w join r_regions r on r.v = w.v and r.kind = w.class
  where w.what = 'region'
), between as (
  select g, t, row_number() over by_time as k, lag(t) over by_time as before,
    lead(t) over by_time as after
  from ticks window by_time as (partition by g order by t)
), near as (
  select b.*, coalesce(2 * (t - before) <= 3 * p.period, false) as joins,
    coalesce(2 * (after - t) <= 3 * p.period, false) as goes_on
  from between b join owners w on w.o = b.g join r_videos p on p.v = w.v
)
select g, t, k, coalesce(before, {-FAR - 1}) as before, coalesce(after, {FAR}) as after, joins,
  goes_on, sum((not joins)::int) over (partition by g order by t) as block
from near;
"""
"""The annotated instants, numbered, with the instants before and after. Two instants that are more
than 1.5 sampling periods apart do not touch."""

SEEN = """
create table seen (o bigint, a bigint, b bigint);
insert into seen select o, min(t), max(t) + 1 from owners join grid using (g)
where what <> 'span' group by o, block;
"""
"""Annotated intervals: each reaches from the first to the last of several touching instants."""

RUNS = """
create table runs as
with said as (
  select w.o, w.g, e.track, e.label, null as verb, null as target, e.t, e.n, e.id
  from owners w join r_events e using (v) where w.what = 'tool' and e.label is not null
  union all
  select w.o, w.g, e.track, null, p.verb, p.target, e.t, e.n, e.id
  from owners w join r_events e on e.v = w.v and e.label = w.class, unnest(e.pairs) as _(p)
  where w.what = 'act'
  union all
  select w.o, w.g, null, r.label, null, null, r.t, r.n, r.id
  from owners w join r_regions r on r.v = w.v and r.kind = w.class
  where w.what = 'region' and r.label is not null
), once as (
  select o, g, track, label, verb, target, t, arg_min(id, n) as id
  from said group by o, g, track, label, verb, target, t
), placed as (
  select once.*, k, block, before, after, joins, goes_on,
    k - row_number() over (partition by o, track, label, verb, target, block order by k) as run
  from once join grid using (g, t)
)
select o, track, label, verb, target, min(t) as first, max(t) as last, min(k) - 1 as gap_before,
  max(k) as gap_after, arg_min(before, t) as before, arg_max(after, t) as after,
  arg_min(joins, t) as joins, arg_max(goes_on, t) as goes_on, arg_min(id, t) as first_id,
  arg_max(id, t) as last_id
from placed group by o, track, label, verb, target, block, run;
"""
"""Runs: consecutive touching instants with the same label, with the instants before and after."""

SHARED = """
create table shared as
select o, track, gap from (
  select o, track, gap_after as gap, 1 as ends, 0 as begins from runs where goes_on
  union all select o, track, gap_before, 0, 1 from runs where joins
) join owners using (o) where what = 'act'
group by o, track, gap having sum(ends) = 1 and sum(begins) = 1;
"""
"""Gaps between instants in which an instance stops exactly one action and begins one other."""

AS_FACTS = f"""
create table there as select v, track, min(t) as t0, max(t) + 1 as t1
from r_events where label is not null group by v, track;
insert into made by name
select w.v,
  case w.what when 'act' then if(r.verb = 'null_verb', 'idle', 'interaction') else w.kind end
    as kind,
  r.label, case w.what when 'tool' then r.label when 'act' then w.class end as subject, r.track,
  r.verb, nullif(r.target, 'null_target') as target, r.before + 1 as s0,
  if(r.joins, (r.before + r.first + 1) // 2, r.first) as s, r.first as s1, r.last + 1 as e0,
  if(r.goes_on, (r.last + r.after + 1) // 2, r.last + 1) as e, r.after as e1,
  r.o * {GAPS} + r.gap_before as s_gap, r.o * {GAPS} + r.gap_after as e_gap,
  if(b.gap is null, null, hash(r.o, r.track, b.gap)) as s_mark,
  if(f.gap is null, null, hash(r.o, r.track, f.gap)) as e_mark,
  coalesce(h.t0, 0) as t0, coalesce(h.t1, -1) as t1,
  list_transform(if(r.first = r.last, [r.first_id], [r.first_id, r.last_id]),
    lambda x: {{'kind': if(w.what = 'region', 'regions', 'events'), 'id': x}}) as marks
from runs r join owners w using (o)
left join there h on h.v = w.v and h.track = r.track
left join shared b on b.o = r.o and b.track = r.track and b.gap = r.gap_before
left join shared f on f.o = r.o and f.track = r.track and f.gap = r.gap_after;
"""

HOLES = f"""
create table gaps as
with reached as (
  select o, a, greatest(coalesce(max(b) over (
    partition by o order by a, b rows between unbounded preceding and 1 preceding), -{FAR}), -{FAR}
  ) as u0 from seen
), open_end as (
  select o, greatest(coalesce(max(b), -{FAR}), -{FAR}) as u0
  from owners left join seen using (o) group by o
), found as (
  select o, u0, a as u1 from reached where a > u0
  union all select o, u0, {FAR} from open_end where u0 < {FAR}
)
select *, row_number() over (partition by o order by u0) as h from found;
create table made_holes as
select distinct v, kind, null::varchar as label, null::varchar as subject, u0, u1
from gaps join owners using (o) where what <> 'act'
union
select v, unnest(['interaction', 'idle']), null, class, u0, u1
from gaps join owners using (o) where what = 'act';
"""
"""Gaps: all time outside the annotated intervals, including the time before and after the video."""

BOXES = """
create table made_samples as
select v, track, t, x1, y1, x2, y2 from r_events where label is not null and x1 is not null
union all
select w.v, w.kind || ' ' || r.label, r.t, any_value(x1), any_value(y1), any_value(x2),
  any_value(y2)
from owners w join r_regions r on r.v = w.v and r.kind = w.class
where w.what = 'region' and r.label is not null
group by w.v, w.kind, r.label, r.t having count(*) = 1 and any_value(x1) is not null;
create table made_instants as
select distinct v, t from r_events join owners using (v) where what = 'tool';
"""
"""Boxes of instruments, and of regions whose class is marked exactly once at the instant."""
