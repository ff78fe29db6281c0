"""The bank of knowledge as rows of ``facts`` and ``holes``.

They belong to no time.  Where the bank says nothing of a subject there is a hole, so the answer
is unknown and never *no*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from duckdb import DuckDBPyConnection

from ontology.kinds import terms_of
from transforms.algebra.sql.lookup import (
    Act,
    acts_of,
    effect,
    following,
    operation,
    ordering,
    orders,
)

BANK = ("follows", "needs", "closes", "effect_of", "admissible", "rule", "reason")

FAR, INFINITE = 1 << 40, 1 << 60

Row = tuple[str, str | None, str | None, str | None, str | None]
"""(kind, label, subject, verb, target)."""


def add_bank(connection: DuckDBPyConnection) -> None:
    """Add the bank's rows for every recording to the tables ``facts``, ``holes``, ``looked``.

    ``operations`` has the operation that each recording's procedure names.
    """
    _add_operations(connection)
    recordings = connection.sql("select video, procedure from videos order by video").fetchall()
    for video, procedure in recordings:
        acts = connection.sql(
            "select distinct verb, coalesce(target, '') from facts where video = $video and verb "
            "is not null order by all", params={"video": video}
        ).fetchall()  # fmt: skip
        _insert(connection, video, list(facts_of(procedure or "", acts)))
        holes = [(video, kind, subject) for kind, subject in unknown(procedure or "")]
        if holes:
            connection.executemany(
                f"insert into holes by name select ? as video, ? as kind, null as label, "
                f"? as subject, {-FAR} as u0, {FAR} as u1, {INFINITE} as floor", holes
            )  # fmt: skip
        connection.executemany("insert into looked values (?, ?, '', [])",
                               [(video, kind) for kind in BANK])  # fmt: skip


def _insert(connection: DuckDBPyConnection, video: str, rows: Sequence[Row]) -> None:
    """Facts that hold from before a recording's start to after its end."""
    if not rows:
        return
    always = ", ".join(f"{-FAR} as {one}" for one in ("s0", "s", "s1", "x0"))
    always += "".join(f", {FAR} as {one}" for one in ("e0", "e", "e1", "x1"))
    kind, label, subject, verb, target = (list(column) for column in zip(*rows, strict=True))
    connection.execute(
        f"""insert into facts by name select $video as video, kind, label, subject, verb, target,
          {always}, 0 as t0, -1 as t1, true as sure, place - 1 as grp
        from (select unnest($kind::varchar[]) as kind, unnest($label::varchar[]) as label,
          unnest($subject::varchar[]) as subject, unnest($verb::varchar[]) as verb,
          unnest($target::varchar[]) as target, unnest(range(1, $n + 1)) as place)""",
        {"video": video, "kind": kind, "label": label, "subject": subject, "verb": verb,
         "target": target, "n": len(rows)},
    )  # fmt: skip


def facts_of(procedure: str, acts: Sequence[Act]) -> Iterator[Row]:
    """What is known of an operation and of the acts in it."""
    for order, any_time in orders(procedure):
        for label, place in order.items():
            if label not in any_time:
                yield from (("follows", None, label, None, one) for one in following(place) or ())
            for kind in ("needs", "closes"):
                yield from ((kind, None, label, None, one) for one in (place or {}).get(kind, ()))
    for verb, target in possible(acts):
        found = effect(verb)
        if found is not None:
            yield "effect_of", found, None, verb, target or None
        for tool in terms_of("instrument"):
            if (verb, target) in (acts_of(tool) or ()):
                yield "admissible", None, tool, verb, target or None
    for first in acts:
        for other in acts:
            rule = ordering(procedure, first, other)
            if rule is None:
                continue
            for kind, label in zip(("reason", "rule"), rule, strict=True):
                yield kind, label, ",".join(first), None, ",".join(other)


def possible(acts: Sequence[Act]) -> list[Act]:
    """The acts, and what else an instrument can do to the same targets."""
    targets = {target for _, target in acts} - {""}
    known = (act for tool in terms_of("instrument") for act in acts_of(tool) or ())
    return sorted({*acts, *(act for act in known if act[1] in targets)})


def unknown(procedure: str) -> Iterator[tuple[str, str | None]]:
    """(kind, subject) of which the bank says nothing; None: of no subject."""
    known = list(orders(procedure))
    if not any(order for order, _ in known):
        yield from (("follows", None), ("needs", None), ("closes", None))
    for order, any_time in known:
        for label, place in order.items():
            if label in any_time or following(place) is None:
                yield "follows", label


def _add_operations(connection: DuckDBPyConnection) -> None:
    connection.execute("create or replace table operations (video varchar, operation varchar)")
    rows = connection.sql("select video, procedure from videos order by video").fetchall()
    named = [(video, operation(procedure or "")) for video, procedure in rows]
    if named:
        connection.executemany("insert into operations values (?, nullif(?, ''))", named)
