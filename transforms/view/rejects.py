"""What was nearly asked and why it was not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ontology.keys import digest
from transforms.store import OutputFolder
from transforms.view.database import Database, Row

MOST = 300
TEMPLATE = "CASE stage WHEN 'choose' THEN \"where\" ELSE split_part(key, ' ', 1) END"
"""Of a unit its key begins with it; an item that was not chosen has it as its place."""


def funnel(db: Database) -> list[Row]:
    """Of each template the units it was put to, the items, and what was refused by reason."""
    asked = db.rows("SELECT template_id AS template, count(*) AS items FROM items GROUP BY ALL")
    refused = db.rows(
        f'SELECT {TEMPLATE} AS template, code, "where", count(*) AS rows '
        "FROM rejects WHERE stage IN ('ask', 'choose') GROUP BY ALL ORDER BY rows DESC, code, 3"
    )
    ledger = db.folder.manifest.get("ledger") or {}
    found: dict[str, Row] = {name: {"template": name, "items": 0, "rejects": []} for name in ledger}
    found |= {one["template"]: one | {"rejects": []} for one in asked}
    for one in refused:
        name = one.pop("template") or ""
        found.setdefault(name, {"template": name, "items": 0, "rejects": []})
        found[name]["rejects"].append(one)
    units = {name: told.get("units") for name, told in ledger.items()}
    return [found[name] | {"units": units.get(name)} for name in sorted(found)]


def rejects(db: Database, asked: Mapping[str, str], most: int = MOST) -> dict[str, Any]:
    """What was refused of a template, in a video, at a stage or for a reason.

    Args:
        asked: ``template``, ``video`` (dataset/video), ``stage``, ``code``; '' or lacking for all.
    """
    columns = {"template": TEMPLATE, "video": "dataset || '/' || video_id",
               "stage": "stage", "code": "code"}  # fmt: skip
    wanted = {column: asked[name] for name, column in columns.items() if asked.get(name)}
    where = " AND ".join(f"{column} = ?" for column in wanted) or "true"
    return _first(db, where, list(wanted.values()), most)


def periods_of(folder: OutputFolder) -> tuple[int, ...]:
    """Lengths of the stretches in which templates of an output ask once each, microseconds."""
    from transforms.checks.proof.prove import programs_of  # loads the language

    every = {one.unit.every for one in programs_of(folder).values()}
    return tuple(sorted(one for one in every if one is not None))


def beside(
    db: Database, row: Mapping[str, Any], periods: Sequence[int], most: int = MOST
) -> dict[str, Any]:
    """What was refused of the time at which an item is asked, or else of the window that it sees.

    A template that asks once for each value, and not once in a stretch of time, is left out: what
    it refused has no place.

    Args:
        row: of the item.
        periods: as :func:`periods_of` gives them.
    """
    asked, key = row["query_us"], f"{row['dataset']}/{row['video_id']}"
    start, end = (row["start_us"], row["end_us"]) if asked is None else (asked, asked + 1)
    units = [digest("stretch", key, every, place) for every in periods
             for place in range(start // every, -(-end // every))]  # fmt: skip
    where = "stage = 'ask' AND dataset || '/' || video_id = ? AND split_part(key, ' ', -1) IN ?"
    return _first(db, where, [key, [row["window_id"], *units]], most)


def _first(db: Database, where: str, values: Sequence[Any], most: int) -> dict[str, Any]:
    """The first of what was refused, and how many there are.

    In one pass: refused rows lie in text, which is read whole for each question to it.
    """
    rows = db.rows(
        f"SELECT *, count(*) OVER () AS total FROM rejects WHERE {where} ORDER BY ALL LIMIT {most}",
        values,
    )
    total = [one.pop("total") for one in rows]
    return {"rows": rows, "total": total[0] if total else 0}
