"""SQL for labels of a whole video and for moments (events at a time)."""

from __future__ import annotations

from surgqa.transforms.checks.facts.runs import FAR

WHOLE = f"""
insert into made by name
select l.v, 'whole_label' as kind, l.label, l.kind as subject,
  if(count(distinct coalesce(rater, '')) = 1, any_value(rater), null) as rater,
  -{FAR} as s0, 0 as s, -{FAR} as s1, {FAR} as e0, any_value(duration) as e, {FAR} as e1,
  min(value) as value_lo, max(value) as value_hi, 0 as t0, -1 as t1,
  list({{'kind': 'labels', 'id': id}} order by l.n) as marks
from r_labels l join kinds k on k.kind = l.kind join r_videos using (v)
group by l.v, l.kind, l.label
having bool_or(valued) or not bool_and(coalesce(value = 0, false));
"""
"""Facts about a whole video. If a kind has no values, a label with value 0 means absence."""

HAPPENED = """
create table happened as
select *, a - half as s0, a as s, a + half as s1, greatest(b - half, a - half + 1) as e0, b as e,
  b + half as e1
from (select * replace (greatest(b, a + 1) as b), greatest(fine, 1) as half
      from r_moments where kind <> 'watched');
create table named as
with changes as (
  select * replace (if(contains(old, ','), old, old || ',') as old,
    if(contains(new, ','), new, new || ',') as new)
  from (select *, regexp_extract(coalesce(label, ''), '^([^>]*)', 1) as old,
          regexp_extract(coalesce(label, ''), '>(.*)$', 1) as new
        from happened where kind = 'transition')
), acts as (
  select *, coalesce(verb, '') || ',' || coalesce(target, '') as act
  from happened where kind = 'interaction'
), before as (
  select c.v, c.n, min(x.n) as act from changes c join acts x on x.v = c.v
  and x.tool is not distinct from c.tool and x.act = c.old
  and x.e0 <= c.s1 and c.s0 - 1000000 <= x.e1
  group by c.v, c.n having count(*) = 1
), after as (
  select c.v, c.n, min(x.n) as act from changes c join acts x on x.v = c.v
  and x.tool is not distinct from c.tool and x.act = c.new
  and x.s0 <= c.s1 and c.s0 <= x.s1
  group by c.v, c.n having count(*) = 1
)
select b.n as node, unnest([b.act, a.act]) as i from before b join after a using (v, n)
where b.act <> a.act;
"""
"""Pairs of actions that a moment of the kind "transition" connects: the action that ends and the
action that begins at the change, if there is exactly one candidate for each."""

AS_FACTS = """
insert into made by name
select h.v, h.kind, h.label, h.tool as subject, h.verb, h.target,
  coalesce(h."group", if(j.l is null, null,
    coalesce(f.tool, '') || ' from ' || f.s || ' us on')) as track, h.origin,
  h.s0, h.s, h.s1, h.e0, h.e, h.e1, h.value as value_lo, h.value as value_hi, 0 as t0, -1 as t1,
  [{'kind': 'moments', 'id': h.id}] as marks
from happened h left join joined j on j.i = h.n left join happened f on f.n = j.l;
"""
"""Actions that are connected by changes are done by the same instrument (``track``)."""

HOLES = f"""
create table channels (kind varchar, channel varchar);
insert into channels values ('cue', 'tracks'), ('cue', 'speech'), ('contact', 'tracks'),
  ('state', 'tracks'), ('interaction', 'tracks'), ('anomaly', 'anomaly');
create table sought_moments as
select distinct v, h.kind from happened h join kinds k on k.kind = h.kind
where labelled <> 'noted';
create table watched as
with wanted as (
  select v, kind, coalesce(channel, kind) as channel
  from sought_moments left join channels using (kind)
), sides as (
  select w.v, w.kind, count(distinct w.channel) as needed, list(distinct w.channel) as channels
  from wanted w group by w.v, w.kind
)
select s.v, s.kind, greatest(x.a, y.a) as a, least(x.b, y.b) as b
from sides s
join r_moments x on x.v = s.v and x.kind = 'watched' and x.label = s.channels[1]
join r_moments y on y.v = s.v and y.kind = 'watched' and y.label = s.channels[-1]
where greatest(x.a, y.a) < least(x.b, y.b);
insert into made_holes
with reached as (
  select v, kind, a, greatest(coalesce(max(b) over (partition by v, kind order by a, b
    rows between unbounded preceding and 1 preceding), -{FAR}), -{FAR}) as u0 from watched
), open_end as (
  select v, kind, greatest(coalesce(max(b), -{FAR}), -{FAR}) as u0
  from sought_moments left join watched using (v, kind) group by v, kind
)
select v, kind, null, null, u0, a from reached where a > u0
union all select v, kind, null, null, u0, {FAR} from open_end where u0 < {FAR};
create table distinct_holes as from made_holes group by all;
drop table made_holes;
alter table distinct_holes rename to made_holes;
"""
"""Gaps of moments: times at which not all channels (one or two, such as speech) were watched."""
