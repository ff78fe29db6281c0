"""Units (such as clips) without a question, and items that were left out, with the reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from surgqa.ontology.keys import digest
from surgqa.transforms.store import OutputFolder
from surgqa.transforms.view.database import REJECTS, Database, Row

MOST = 300
TEMPLATE = "CASE stage WHEN 'choose' THEN \"where\" ELSE split_part(key, ' ', 1) END"
"""SQL expression for the template of a rejection."""


def funnel(db: Database) -> list[Row]:
    """Return, for each template, the numbers of units, of items, and of rejections by reason."""
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
    units = {name: entry.get("units") for name, entry in ledger.items()}
    return [found[name] | {"units": units.get(name)} for name in sorted(found)]


def rejects(db: Database, asked: Mapping[str, str], most: int = MOST) -> dict[str, Any]:
    """Return rejections of a template, in a video, at a stage or for a reason.

    Args:
        asked: ``template``, ``video`` (dataset/video), ``stage``, ``code``; '' or missing for all.
    """
    columns = {"template": TEMPLATE, "video": "dataset || '/' || video_id",
               "stage": "stage", "code": "code"}  # fmt: skip
    wanted = {column: asked[name] for name, column in columns.items() if asked.get(name)}
    where = " AND ".join(f"{column} = ?" for column in wanted) or "true"
    return _first(db, where, list(wanted.values()), most)


def first_rejects(db: Database, most: int) -> dict[str, dict[str, Any]]:
    """Return the result of :func:`rejects` for every template, in one pass over the rejections."""
    names = [f'"{one}"' for one in REJECTS.names]
    rows = db.rows(
        f"SELECT * FROM (SELECT *, count(*) OVER (PARTITION BY template) AS total, row_number() "
        f"OVER (PARTITION BY template ORDER BY {', '.join(names)}) AS place "
        f"FROM (SELECT coalesce({TEMPLATE}, '') AS template, * FROM rejects)) "
        f"WHERE place <= {most} ORDER BY template, place"
    )
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        name, total = row.pop("template"), row.pop("total")
        del row["place"]
        found.setdefault(name, {"rows": [], "total": total})["rows"].append(row)
    return found


@dataclass(frozen=True)
class RejectUnits:
    """The units of an output's templates whose time cannot be read from the key of a rejection.

    Attributes:
        periods: lengths in microseconds of units that divide a video into equal intervals.
        values: templates that have one unit for each value, such as each action.
    """

    periods: tuple[int, ...]
    values: frozenset[str]


def units_of(folder: OutputFolder) -> RejectUnits:
    """Return these units for all templates of an output."""
    from surgqa.transforms.checks.proof.prove import programs_of  # loads the template language

    programs = programs_of(folder).values()
    periods = {one.unit.every for one in programs if one.unit.every is not None}
    values = {one.id for one in programs if one.unit.kind == "now" and one.unit.every is None}
    return RejectUnits(tuple(sorted(periods)), frozenset(values))


def beside(
    db: Database, row: Mapping[str, Any], units: RejectUnits, most: int = MOST
) -> dict[str, Any]:  # fmt: skip
    """Return rejections at the query time of an item, or in the window that it sees.

    If the item's template has one unit for each value, its rejections have no time, so all of its
    rejections in the video are listed.

    Args:
        row: the row of the item.
    """
    asked, key = row["query_us"], f"{row['dataset']}/{row['video_id']}"
    start, end = (row["start_us"], row["end_us"]) if asked is None else (asked, asked + 1)
    names = [digest("stretch", key, every, place) for every in units.periods
             for place in range(start // every, -(-end // every))]  # fmt: skip
    mine = row["template_id"] if row["template_id"] in units.values else None
    where = (f"stage = 'ask' AND dataset || '/' || video_id = ? AND "
             f"(split_part(key, ' ', -1) IN ? OR {TEMPLATE} = ?)")  # fmt: skip
    return _first(db, where, [key, [row["window_id"], *names], mine], most)


def _first(db: Database, where: str, values: Sequence[Any], most: int) -> dict[str, Any]:
    """Return the first rejections that meet a condition, and the number of all of them.

    One query gives both, because each query reads all of the rejections' text files.
    """
    rows = db.rows(
        f"SELECT *, count(*) OVER () AS total FROM rejects WHERE {where} ORDER BY ALL LIMIT {most}",
        values,
    )
    total = [one.pop("total") for one in rows]
    return {"rows": rows, "total": total[0] if total else 0}
