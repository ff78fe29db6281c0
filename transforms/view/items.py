"""Select, list and count items by facets (such as their task) and by words in their texts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from surgqa.transforms.view.database import Database, Row

FACETS = {
    "benchmark": "benchmark",
    "task": "task",
    "template": "template_id",
    "form": "form",
    "unit": "unit",
    "temporal_mode": "temporal_mode",
    "rule": "rule",
    "stage": "CAST(stage AS VARCHAR)",
    "dataset": "dataset",
    "video": "dataset || '/' || video_id",
    "procedure": "procedure",
    "split": "split",
    "certain": "certain",
    "level": "CAST(level AS VARCHAR)",
    "blind": "CASE WHEN blind IS NULL THEN NULL WHEN len(blind) > 0 THEN 'guessed' "
             "ELSE 'needs looking' END",
    "answer": "CASE WHEN answer_key IS NULL THEN answer "
              "ELSE substr(answer, length(answer_key) + 3) END",
}  # fmt: skip
"""Name of a facet -> its SQL expression. A null value becomes ''; answers have no option letter."""
COUNTED = tuple(name for name in FACETS if name != "answer")
"""All facets except ``answer``, which may have as many values as there are items."""
MISSING = "missing"
STATUSES = ("right", "wrong", "unparsed", "unscored", "kept", "dropped", MISSING)
"""Possible results of a model (or decisions of reviewers) about an item; missing: no response."""
MOST_WORDS = 12
TEXTS = ("question", "answer", "context", "knowledge", "clue", "array_to_string(reasoning, ' ')",
         "array_to_string(list_transform(options, lambda one: one.text), '\n')")  # fmt: skip
"""Columns in which words are searched."""

Condition = tuple[str, list[Any]]


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """A selection of items.

    Attributes:
        chosen: for each facet, the accepted values.
        words: words, all of which must occur in the item's texts; upper and lower case are equal.
        marks: for each model in the filter, the accepted statuses of its result.
    """

    chosen: Mapping[str, tuple[str, ...]]
    words: tuple[str, ...] = ()
    marks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def condition(self, without: str | None = None) -> Condition:
        """Return the SQL condition that selects the items, and the values for its ``?``.

        Args:
            without: a facet or a model to leave out of the condition.
        """
        parts: list[str] = []
        values: list[Any] = []
        for name, wanted in self.chosen.items():
            if name == without:
                continue
            parts.append(_any_of(FACETS[name], wanted))
            values += [one for one in wanted if one]
        for word in self.words:
            # Searching without a lower-case copy of each text takes half the time.
            parts.append("(" + " OR ".join(f"regexp_matches({one}, ?, 'i')" for one in TEXTS) + ")")
            values += [re.escape(word)] * len(TEXTS)
        for model, statuses in self.marks.items():
            if without != f"mark:{model}":
                parts.append(f"({' OR '.join(map(_marked, statuses))})")
                values += [
                    one
                    for status in statuses
                    for one in ([model] if status == MISSING else [model, status])
                ]
        return " AND ".join(parts) or "true", values


def _any_of(column: str, wanted: Sequence[str]) -> str:
    """Return an SQL condition: the column has one of these values ('' stands for null)."""
    some = ", ".join("?" for one in wanted if one)
    parts = [f"{column} IN ({some})"] if some else []
    parts += [f"{column} IS NULL"] if "" in wanted else []
    return f"({' OR '.join(parts)})"


def _marked(status: str) -> str:
    """Return an SQL condition: a model's result for an item has this status."""
    if status == MISSING:
        return "item_id NOT IN (SELECT item_id FROM marks WHERE model = ? AND status <> 'missing')"
    return "item_id IN (SELECT item_id FROM marks WHERE model = ? AND status = ?)"


def filter_of(asked: Mapping[str, Sequence[str]]) -> ItemFilter:
    """Return the filter that the parameters of an address describe.

    Args:
        asked: for each parameter, its values: names of facets, ``q`` for words, ``mark`` for
            ``MODEL:STATUS``. Other parameters are ignored.
    """
    chosen = {name: tuple(asked[name]) for name in FACETS if asked.get(name)}
    words = " ".join(asked.get("q", ())).lower().split()[:MOST_WORDS]
    marks: dict[str, tuple[str, ...]] = {}
    for model, _, status in (one.rpartition(":") for one in asked.get("mark", ())):
        if status in STATUSES:
            marks[model] = (*marks.get(model, ()), status)
    return ItemFilter(chosen, tuple(words), marks)


MOST = 200
"""Maximum number of items on a page."""
VALUES = 60
"""Maximum number of values of a facet that are shown, the most frequent ones."""
LISTED = ("item_id", "benchmark", "task", "template_id", "form", "unit", "dataset", "video_id",
          "start_us", "end_us", "question", "answer", "chain_id", "stage")  # fmt: skip


def page(
    db: Database,
    wanted: ItemFilter,
    after: str = "",
    before: str = "",
    at: str = "",
    limit: int = 50,
) -> dict[str, Any]:
    """Return a page of the selected items, sorted by id.

    Args:
        after, before: return the items after, or before, this item id.
        at: return the items from this item id on.

    Returns:
        The result has ``items``, and whether there are other items before and after them.
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
    # After a change of the filter, the id may not be selected any more; then the list starts at its
    # beginning.
    return {
        "items": listed(db, ids),
        "more_before": more if before else bool(bound and _any_before(db, wanted, ids)),
        "more_after": bool(before) or more,
    }


def count(db: Database, wanted: ItemFilter) -> int:
    """Return the number of selected items."""
    where, values = wanted.condition()
    return db.count(f"SELECT count(*) FROM items WHERE {where}", values)


def _any_before(db: Database, wanted: ItemFilter, ids: Sequence[str]) -> bool:
    if not ids:
        return count(db, wanted) > 0
    where, values = wanted.condition()
    asked = f"SELECT min(item_id) AS first FROM items WHERE {where} AND item_id < ?"
    return db.rows(asked, [*values, ids[0]])[0]["first"] is not None


def listed(db: Database, ids: Sequence[str]) -> list[Row]:
    """Return the columns that the list shows of these items, in the order of ``ids``."""
    if not ids:
        return []
    marks = ", ".join("?" for _ in ids)
    found = db.rows(f"SELECT {', '.join(LISTED)} FROM items WHERE item_id IN ({marks})", ids)
    by_id = {row["item_id"]: row | {"marks": {}} for row in found}
    for one in db.rows(f"SELECT * FROM marks WHERE item_id IN ({marks})", ids):
        by_id[one["item_id"]]["marks"][one["model"]] = one["status"]
    return [by_id[one] for one in ids]


def facets(db: Database, wanted: ItemFilter) -> dict[str, Any]:
    """Return the number of selected items for each value of each facet.

    The counts of a facet ignore the facet's own filter, so that another value can be chosen.
    """
    open_ones = [name for name in COUNTED if name not in wanted.chosen]
    found, total = _counts(db, wanted, open_ones, None)
    for name in set(wanted.chosen) & set(COUNTED):
        found |= _counts(db, wanted, [name], name)[0]
    facets = {name: _frequent_values(found[name], wanted.chosen.get(name, ())) for name in COUNTED}
    return {"facets": facets, "total": total, "marks": _marks(db, wanted)}


def _counts(
    db: Database, wanted: ItemFilter, names: Sequence[str], without: str | None
) -> tuple[dict[str, list[list[Any]]], int]:
    """Return the values of facets with their counts, and the number of items; runs one query."""
    found: dict[str, list[list[Any]]] = {name: [] for name in names}
    if not names:
        return found, count(db, wanted)
    where, values = wanted.condition(without)
    columns = ", ".join(f'{FACETS[name]} AS "f{k}"' for k, name in enumerate(names))
    keys = [f'"f{k}"' for k in range(len(names))]
    sets = ", ".join(f"({key})" for key in [*keys, ""])
    rows = db.rows(
        f"SELECT {', '.join(keys)}, GROUPING({', '.join(keys)}) AS which, count(*) AS n "
        f"FROM (SELECT {columns} FROM items WHERE {where}) GROUP BY GROUPING SETS ({sets})",
        values,
    )
    # GROUPING sets the bit of every column except the grouped one.
    none = (1 << len(names)) - 1
    places = {none - (1 << (len(names) - 1 - k)): k for k in range(len(names))}
    total = 0
    for row in rows:
        if row["which"] == none:
            total = row["n"]
            continue
        k = places[row["which"]]
        found[names[k]].append([row[f"f{k}"] or "", row["n"]])
    return found, total


def answers(db: Database, wanted: ItemFilter) -> dict[str, Any]:
    """Return the most frequent answers of the selected items, ignoring the answer filter.

    The most frequent answers are found approximately, because there may be as many answers as
    items, and are then counted exactly.
    """
    where, values = wanted.condition("answer")
    answer = FACETS["answer"]
    asked = f"SELECT approx_top_k({answer}, {VALUES}) AS top FROM items WHERE {where}"
    top = db.rows(asked, values)[0]["top"] or []
    kept = list(dict.fromkeys([*top, *wanted.chosen.get("answer", ())]))
    marks = ", ".join("?" for _ in kept)
    rows = [] if not kept else db.rows(
        f"SELECT {answer} AS answer, count(*) AS n FROM items WHERE ({where}) "
        f"AND {answer} IN ({marks}) GROUP BY ALL", [*values, *kept],
    )  # fmt: skip
    counts = [[row["answer"], row["n"]] for row in rows]
    left = db.count(f"SELECT count(*) FROM items WHERE {where}", values)
    left -= sum(one[1] for one in counts)
    return _frequent_values(counts, wanted.chosen.get("answer", ())) | {"other_items": left}


def _frequent_values(counts: list[list[Any]], chosen: Sequence[str]) -> dict[str, Any]:
    """Return the most frequent values and those in ``chosen``, with their counts."""
    ordered = sorted(counts, key=lambda one: (-one[1], one[0]))
    kept = [one for k, one in enumerate(ordered) if k < VALUES or one[0] in chosen]
    return {"values": kept, "left_out": len(ordered) - len(kept)}


def _marks(db: Database, wanted: ItemFilter) -> list[Row]:
    """Return, for each model, the number of selected items by status (right, wrong, missing, ...).

    The counts of a model ignore the filter on that model.
    """
    models = [row["model"] for row in db.rows("SELECT DISTINCT model FROM marks ORDER BY model")]
    return [row for model in models for row in _marks_of(db, wanted, model)]


def _marks_of(db: Database, wanted: ItemFilter, model: str) -> list[Row]:
    where, values = wanted.condition(f"mark:{model}")
    total = db.count(f"SELECT count(*) FROM items WHERE {where}", values)
    rows = db.rows(
        "SELECT model, status, count(DISTINCT item_id) AS n FROM marks "
        f"WHERE model = ? AND status <> '{MISSING}' "
        f"AND item_id IN (SELECT item_id FROM items WHERE {where}) "
        "GROUP BY GROUPING SETS ((model, status), (model)) ORDER BY status NULLS FIRST",
        [model, *values],
    )
    said = rows[0]["n"] if rows else 0
    missing = [{"model": model, "status": MISSING, "n": total - said}] if total > said else []
    return [*(row for row in rows if row["status"]), *missing]
