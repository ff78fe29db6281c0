"""The knowledge bank (general medical knowledge) as rows of the tables ``facts`` and ``holes``.

These rows have no time. If the bank contains nothing about a subject, a row of ``holes`` says so,
and the answer is unknown and never *no*.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from duckdb import DuckDBPyConnection

from surgqa.ontology.kinds import terms_of
from surgqa.transforms.algebra.sql.lookup import (
    Act,
    acts_of,
    effect,
    following,
    operation,
    ordering,
    orders,
)
from surgqa.transforms.algebra.sql.values import FAR, INFINITE

BANK = ("follows", "needs", "closes", "effect_of", "admissible", "rule", "reason")

Row = tuple[str, str | None, str | None, str | None, str | None]
"""(kind, label, subject, verb, target)."""


def add_bank(connection: DuckDBPyConnection, with_facts: bool = True) -> None:
    """Add the bank's rows for every video to the tables ``facts``, ``holes`` and ``looked``.

    The table ``operations`` gets the operation that each video's procedure names.

    Args:
        with_facts: False to fill only ``operations``.
    """
    videos = connection.sql(
        "select video, coalesce(procedure, '') from videos order by video"
    ).fetchall()
    _add_operations(connection, videos)
    if not with_facts:
        return
    done = _acts(connection)
    facts: list[tuple[Any, ...]] = []
    holes: list[tuple[Any, ...]] = []
    for video, procedure in videos:
        rows = facts_of(procedure, done[video])
        facts += ((video, place, *row) for place, row in enumerate(rows))
        holes += ((video, kind, subject) for kind, subject in unknown(procedure))
    for rows, target in ((facts, FACTS), (holes, HOLES)):
        _insert(connection, rows, target)
    _insert(connection, [(video, kind) for video, _ in videos for kind in BANK], LOOKED)


def _acts(connection: DuckDBPyConnection) -> dict[str, list[Act]]:
    """Return the different acts (verb, target) in each video, sorted."""
    out: dict[str, list[Act]] = defaultdict(list)
    done = connection.sql(
        "select distinct video, verb, coalesce(target, '') from facts where verb is not null "
        "order by all"
    ).fetchall()
    for video, *act in done:
        out[video].append((act[0], act[1]))
    return out


_ALWAYS = ", ".join(f"{far} as {one}" for far, names in (
    (-FAR, ("s0", "s", "s1", "x0")), (FAR, ("e0", "e", "e1", "x1"))) for one in names)  # fmt: skip
"""SQL of times before every video's start and after its end."""

FACTS = (
    ("video", "grp", "kind", "label", "subject", "verb", "target"),
    f"facts by name select *, {_ALWAYS}, 0 as t0, -1 as t1, true as sure",
)
HOLES = (
    ("video", "kind", "subject"),
    f"holes by name select *, null as label, {-FAR} as u0, {FAR} as u1, {INFINITE} as floor",
)
LOOKED = (("video", "kind"), "looked select video, kind, '', []")


def _insert(
    connection: DuckDBPyConnection,
    rows: Sequence[tuple[Any, ...]],
    target: tuple[Sequence[str], str],
) -> None:
    """Insert rows with one statement; ``target``: column names, and SQL after ``insert into``."""
    names, into = target
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    kinds = {"grp": pa.int64()}
    table = pa.table({name: pa.array(column, kinds.get(name, pa.string()))
                      for name, column in zip(names, columns, strict=True)})  # fmt: skip
    connection.register("given_bank", table)
    connection.execute(f"insert into {into} from given_bank")
    connection.unregister("given_bank")


def facts_of(procedure: str, acts: Sequence[Act]) -> Iterator[Row]:
    """Yield the bank's rows about an operation and about the acts in it."""
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
    """Return the acts, and the other acts that instruments can do to the same targets."""
    targets = {target for _, target in acts} - {""}
    known = (act for tool in terms_of("instrument") for act in acts_of(tool) or ())
    return sorted({*acts, *(act for act in known if act[1] in targets)})


def unknown(procedure: str) -> Iterator[tuple[str, str | None]]:
    """Yield each (kind, subject) about which the bank contains nothing; None for every subject."""
    known = list(orders(procedure))
    if not any(order for order, _ in known):
        yield from (("follows", None), ("needs", None), ("closes", None))
    for order, any_time in known:
        for label, place in order.items():
            if label in any_time or following(place) is None:
                yield "follows", label


def _add_operations(connection: DuckDBPyConnection, videos: Sequence[tuple[str, str]]) -> None:
    connection.execute("create or replace table operations (video varchar, operation varchar)")
    named = [(video, operation(procedure)) for video, procedure in videos]
    _insert(connection, named, (("video", "operation"),
                                "operations select video, nullif(operation, '')"))  # fmt: skip
