"""Lists of items, page by page, and how many there are of each kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from transforms.view.database import Database, Row
from transforms.view.filters import FACETS, Filter

MOST = 200
"""Items of a page, at most."""
VALUES = 60
"""Values of a facet, at most: the most frequent."""
LISTED = ("item_id", "benchmark", "task", "template_id", "form", "unit", "dataset", "video_id",
          "start_us", "end_us", "question", "answer", "chain_id", "stage")  # fmt: skip


def page(
    db: Database, wanted: Filter, after: str = "", before: str = "", at: str = "", limit: int = 50
) -> dict[str, Any]:
    """Items in order of their ids.

    Args:
        after, before: the items that follow this one, or that lead to it.
        at: the items from this one on.

    Returns:
        ``items``, and whether there are others before and after them.
    """
    limit = max(1, min(limit, MOST))
    where, values = wanted.condition()
    sign, bound, order = ("<", before, "DESC") if before else (">=" if at else ">", at or after, "")
    if bound:
        where, values = f"{where} AND item_id {sign} ?", [*values, bound]
    ids = [row["item_id"] for row in db.rows(
        f"SELECT item_id FROM items WHERE {where} ORDER BY item_id {order} LIMIT {limit + 1}",
        values)]  # fmt: skip
    more, ids = len(ids) > limit, ids[:limit]
    if before:
        ids.reverse()
    # One that is no longer in the list (its filter changed) leads to the list's beginning.
    return {
        "items": listed(db, ids),
        "more_before": more if before else bool(bound and _any_before(db, wanted, ids)),
        "more_after": bool(before) or more,
    }


def count(db: Database, wanted: Filter) -> int:
    """How many items are wanted."""
    where, values = wanted.condition()
    return db.count(f"SELECT count(*) FROM items WHERE {where}", values)


def _any_before(db: Database, wanted: Filter, ids: Sequence[str]) -> bool:
    if not ids:
        return count(db, wanted) > 0
    where, values = wanted.condition()
    asked = f"SELECT min(item_id) AS first FROM items WHERE {where} AND item_id < ?"
    return db.rows(asked, [*values, ids[0]])[0]["first"] is not None


def listed(db: Database, ids: Sequence[str]) -> list[Row]:
    """What a list tells of these items, in their order."""
    if not ids:
        return []
    marks = ", ".join("?" for _ in ids)
    found = db.rows(f"SELECT {', '.join(LISTED)} FROM items WHERE item_id IN ({marks})", ids)
    by_id = {row["item_id"]: row | {"marks": {}} for row in found}
    for one in db.rows(f"SELECT * FROM marks WHERE item_id IN ({marks})", ids):
        by_id[one["item_id"]]["marks"][one["model"]] = one["status"]
    return [by_id[one] for one in ids]


def facets(db: Database, wanted: Filter) -> dict[str, Any]:
    """How many of the wanted items there are of each value of each facet.

    A facet that is filtered by counts as if it were not, so that another value can be chosen.
    """
    found: dict[str, list[list[Any]]] = {}
    open_ones = [name for name in FACETS if name not in wanted.chosen]
    found |= _counts(db, wanted, open_ones, None)
    for name in wanted.chosen:
        found |= _counts(db, wanted, [name], name)
    facets = {name: _told(found[name], wanted.chosen.get(name, ())) for name in FACETS}
    return {"facets": facets, "total": count(db, wanted), "marks": _marks(db, wanted)}


def _counts(
    db: Database, wanted: Filter, names: Sequence[str], without: str | None
) -> dict[str, list[list[Any]]]:
    """Values and counts of several facets in one reading of the files."""
    found: dict[str, list[list[Any]]] = {name: [] for name in names}
    if not names:
        return found
    where, values = wanted.condition(without)
    columns = ", ".join(f'{FACETS[name]} AS "f{k}"' for k, name in enumerate(names))
    keys = [f'"f{k}"' for k in range(len(names))]
    sets = ", ".join(f"({key})" for key in keys)
    rows = db.rows(
        f"SELECT {', '.join(keys)}, GROUPING({', '.join(keys)}) AS which, count(*) AS n "
        f"FROM (SELECT {columns} FROM items WHERE {where}) GROUP BY GROUPING SETS ({sets})",
        values,
    )
    # The bit of the one column that is grouped by is the only one that is not set.
    places = {(1 << len(names)) - 1 - (1 << (len(names) - 1 - k)): k for k in range(len(names))}
    for row in rows:
        k = places[row["which"]]
        found[names[k]].append([row[f"f{k}"] or "", row["n"]])
    return found


def _told(counts: list[list[Any]], chosen: Sequence[str]) -> dict[str, Any]:
    """The most frequent values, and those that are chosen."""
    ordered = sorted(counts, key=lambda one: (-one[1], one[0]))
    kept = [one for k, one in enumerate(ordered) if k < VALUES or one[0] in chosen]
    return {"values": kept, "left_out": len(ordered) - len(kept)}


def _marks(db: Database, wanted: Filter) -> list[Row]:
    """Statuses of each model among the wanted items."""
    if not db.count("SELECT count(*) FROM marks"):
        return []
    where, values = wanted.condition("marks")
    return db.rows(
        "SELECT model, status, count(*) AS n FROM marks "
        f"WHERE item_id IN (SELECT item_id FROM items WHERE {where}) "
        "GROUP BY model, status ORDER BY model, status",
        values,
    )
