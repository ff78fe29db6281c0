"""The tables that queries read, and SQL of the facts and gaps that a pattern starts from.

``facts``
    ``video`` (``dataset/video_id``), then :data:`~transforms.algebra.sql.values.FACT_COLUMNS` and
    ``sure``: ids as texts, NULL for null; times in whole microseconds from the video's start.
``holes``
    ``video kind label subject u0 u1 floor``: gaps from u0 to u1, in which nobody annotated the
    kind. Facts hidden in a gap are shorter than ``floor``.
``looked``
    ``video kind field ids``: a row with field '' if the annotated stretches of the kind are known,
    and a row for each field with the ids that annotators could use, if these are known
``samples``
    ``video track t x1 y1 x2 y2``: boxes of instances.
``instants``
    ``video t``: instants at which instruments were annotated.
``videos``
    ``video duration_us fps procedure``.
"""

from __future__ import annotations

from surgqa.ontology.kinds import kind
from surgqa.transforms.algebra.sql.merging import bridged, merged
from surgqa.transforms.algebra.sql.scope import SqlScope
from surgqa.transforms.algebra.sql.values import FACT_COLUMNS, FAR, INFINITE, names, text
from surgqa.transforms.algebra.tree import Pattern

SAMPLE = "sample"


def members(kinds: tuple[str, ...]) -> list[str]:
    """Return the kinds of facts; a union such as ``activity`` is replaced by its member kinds."""
    return [one for name in kinds for one in (kind(name).union or (name,))]


def base_facts(pattern: Pattern, scope: SqlScope) -> str:
    """Return SQL (video, FACT_COLUMNS, sure) of the facts of a pattern's kinds, merged."""
    kinds = ", ".join(map(text, members(pattern.kinds)))
    facts = scope.share(
        f"select video, {names(FACT_COLUMNS)}, sure from facts where kind in ({kinds})", "facts"
    )
    if not pattern.merge:
        return facts
    return merged(scope, facts, _holes(pattern.kinds, scope), pattern.merge, pattern.gap)


def base_holes(pattern: Pattern, scope: SqlScope) -> str:
    """Return SQL (video, kind, label, subject, u0, u1, floor) of gaps of the pattern's kinds."""
    holes = _holes(pattern.kinds, scope)
    if pattern.gap:
        holes = bridged(scope, holes, pattern.merge, pattern.gap)
    return _joined(holes, scope) if pattern.at_least else holes


def _joined(holes: str, scope: SqlScope) -> str:
    """Return the gaps; where nobody annotated a kind at all, touching gaps become one."""
    order = "u0, u1, label, subject"  # both queries must sort alike
    before = f"over (partition by video, kind order by {order} rows between unbounded preceding"
    fresh = scope.share(
        f"select *, coalesce(u0 > max(u1) {before} and 1 preceding), true) as fresh "
        f"from {holes} where floor = {INFINITE}", "holes"
    )  # fmt: skip
    island = scope.share(
        f"select *, sum(fresh::int) {before} and current row) as island from {fresh}", "holes"
    )
    return scope.share(
        "select video, kind, label, subject, min(u0) over one as u0, max(u1) over one as u1, "
        f"floor from {island} window one as (partition by video, kind, island) union all "
        f"select * from {holes} where floor <> {INFINITE}", "holes"
    )  # fmt: skip


def _holes(kinds: tuple[str, ...], scope: SqlScope) -> str:
    """Return the gaps; if nobody annotated a kind in a video, the kind has an endless gap there.

    Two sorts of kinds get no endless gap: boxes, and kinds of which all facts are listed.
    """
    every = ", ".join(map(text, members(kinds)))
    looked = [one for one in members(kinds) if one != SAMPLE and kind(one).labelled != "noted"]
    kind_texts = ", ".join(map(text, looked)) or "null"
    return scope.share(
        "select video, kind, label, subject, u0, u1, floor from holes "
        f"where kind in ({every}) "
        f"union all select v.video, k.kind, null, null, {-FAR}, {FAR}, {INFINITE} from videos v, "
        f"(select unnest([{kind_texts}]) as kind) k where k.kind is not null and not exists "
        "(select 1 from looked l where l.video = v.video and l.kind = k.kind and l.field = '')",
        "holes"
    )  # fmt: skip
