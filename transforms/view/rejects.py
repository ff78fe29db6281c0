"""What was nearly asked and why it was not, and the dataset at a glance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from transforms.view.database import Database, Row

MOST = 300


def overview(db: Database) -> dict[str, Any]:
    """What the dataset is made of."""
    manifest = db.folder.manifest
    tasks = db.rows("SELECT benchmark, task, count(*) AS items, count(DISTINCT template_id) AS "
                    "templates, count(DISTINCT video_id) AS videos FROM items "
                    "GROUP BY benchmark, task ORDER BY benchmark, task")  # fmt: skip
    return {
        "name": db.path.resolve().name,
        "digest": manifest.get("digest"),
        "tasks": tasks,
        "items": sum(one["items"] for one in tasks),
        "videos": coverage(db),
        "rejects": db.rows("SELECT stage, code, outcome, count(*) AS rows FROM rejects "
                           "GROUP BY ALL ORDER BY stage, rows DESC, code LIMIT 60"),
        "scores": db.rows("SELECT model, status, count(*) AS n FROM marks GROUP BY ALL "
                          "ORDER BY model, status"),
    }  # fmt: skip


def coverage(db: Database) -> list[Row]:
    """Recordings, how long they are, and how much of each the items' windows reach."""
    return db.rows(
        "SELECT v.dataset, v.video_id, v.procedure, v.duration_us, v.media_kind, "
        "coalesce(i.items, 0) AS items, i.first_us, i.last_us FROM videos v LEFT JOIN "
        "(SELECT dataset, video_id, count(*) AS items, min(start_us) AS first_us, "
        "max(end_us) AS last_us FROM items GROUP BY ALL) i USING (dataset, video_id) "
        f"ORDER BY v.dataset, v.video_id LIMIT {MOST}"
    )


def funnel(db: Database) -> list[Row]:
    """Of each template the items, and what was refused by reason."""
    asked = db.rows("SELECT template_id AS template, count(*) AS items FROM items GROUP BY ALL")
    refused = db.rows(
        "SELECT split_part(key, ' ', 1) AS template, code, \"where\", count(*) AS rows "
        "FROM rejects WHERE stage IN ('ask', 'choose') GROUP BY ALL ORDER BY rows DESC, code, 3"
    )
    found: dict[str, Row] = {one["template"]: one | {"rejects": []} for one in asked}
    for one in refused:
        name = one.pop("template") or ""
        found.setdefault(name, {"template": name, "items": 0, "rejects": []})
        found[name]["rejects"].append(one)
    return [found[name] for name in sorted(found)]


def rejects(db: Database, asked: Mapping[str, str]) -> dict[str, Any]:
    """What was refused of a template, in a video, at a stage or for a reason.

    Args:
        asked: ``template``, ``video`` (dataset/video), ``stage``, ``code``; '' or lacking for all.
    """
    columns = {"template": "split_part(key, ' ', 1)", "video": "dataset || '/' || video_id",
               "stage": "stage", "code": "code"}  # fmt: skip
    wanted = {column: asked[name] for name, column in columns.items() if asked.get(name)}
    where = " AND ".join(f"{column} = ?" for column in wanted) or "true"
    values = list(wanted.values())
    return {
        "rows": db.rows(f"SELECT * FROM rejects WHERE {where} ORDER BY ALL LIMIT {MOST}", values),
        "total": db.count(f"SELECT count(*) FROM rejects WHERE {where}", values),
    }
