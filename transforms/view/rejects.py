"""What was nearly asked and why it was not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from transforms.view.database import Database, Row

MOST = 300
TEMPLATE = "CASE stage WHEN 'choose' THEN \"where\" ELSE split_part(key, ' ', 1) END"
"""Of a unit its key begins with it; an item that was not chosen has it as its place."""


def funnel(db: Database) -> list[Row]:
    """Of each template the windows it was put to, the items, and what was refused by reason."""
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
    windows = {name: told.get("windows") for name, told in ledger.items()}
    return [found[name] | {"windows": windows.get(name)} for name in sorted(found)]


def rejects(db: Database, asked: Mapping[str, str], most: int = MOST) -> dict[str, Any]:
    """What was refused of a template, in a video or window of it, at a stage or for a reason.

    Args:
        asked: ``template``, ``video`` (dataset/video), ``window`` (its id), ``stage``, ``code``; ''
            or lacking for all.
    """
    columns = {"template": TEMPLATE, "video": "dataset || '/' || video_id",
               "stage": "stage", "code": "code", "window": "split_part(key, ' ', -1)"}  # fmt: skip
    wanted = {column: asked[name] for name, column in columns.items() if asked.get(name)}
    where = " AND ".join(f"{column} = ?" for column in wanted) or "true"
    values = list(wanted.values())
    # One pass: refused rows lie in text, which is read whole for each question to it.
    rows = db.rows(
        f"SELECT *, count(*) OVER () AS total FROM rejects WHERE {where} ORDER BY ALL LIMIT {most}",
        values,
    )
    total = [one.pop("total") for one in rows]
    return {"rows": rows, "total": total[0] if total else 0}
