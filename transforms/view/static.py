"""The page over a drawn sample, as files that need no server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import orjson

from ontology.errors import UserError
from transforms.places.fresh import new_folder
from transforms.view import items, one, rejects
from transforms.view.api import PAGE, TYPES_OF, Api
from transforms.view.database import Database, Row
from transforms.view.filters import FACETS
from transforms.view.server import POLICY
from transforms.view.timeline import timeline

PICTURES = 8
"""Of an item, at most: what is asked about and what its answer rests on, and evenly in between."""
DATA, SHOTS = "data.js", "pictures"
HEAD = '<meta charset="utf-8">'
# A page of files cannot be framed by name of a host: frames are told apart by servers only.
META = f'{HEAD}\n<meta http-equiv="Content-Security-Policy" content="{{}}">'
FIRST = '<script src="dom.js"></script>'


def write_static(api: Api, folder: Path, count: int) -> int:
    """Write the page with its data; the same dataset gives the same bytes.

    Args:
        folder: new, or empty.
        count: items that are drawn, spread over the templates; chains come whole.

    Returns:
        How many items there are.

    Raises:
        UserError: the folder holds something, or cannot be made.
    """
    ids = drawn(api.db, count)
    with new_folder(folder) as partial:
        for file in sorted(files(PAGE).iterdir(), key=lambda one: one.name):
            if Path(file.name).suffix in TYPES_OF and Path(file.name).stem != "review":
                (partial / file.name).write_bytes(file.read_bytes())
        page = (partial / "index.html").read_text(encoding="utf-8")
        policy = POLICY.replace("; frame-ancestors 'none'", "").replace("'self'", "'self' file:")
        page = page.replace(HEAD, META.format(policy))
        page = page.replace(FIRST, f'<script src="{DATA}"></script>\n{FIRST}')
        (partial / "index.html").write_text(page, encoding="utf-8", newline="\n")
        (partial / SHOTS).mkdir()
        sample = _sample(api, ids, partial / SHOTS)
        (partial / DATA).write_bytes(
            b"window.SAMPLE = " + orjson.dumps(sample, default=str) + b";\n"
        )
    return len(ids)


def drawn(db: Database, count: int) -> list[str]:
    """Ids of items: of each template the first, then of each the second, and so on.

    Ids are digests, so that the first ones of a template are as good as drawn by lot.
    """
    rows = db.rows(
        "SELECT item_id, chain_id FROM (SELECT item_id, chain_id, template_id, row_number() OVER "
        "(PARTITION BY template_id ORDER BY item_id) AS place FROM items) "
        "ORDER BY place, template_id, item_id LIMIT ?",
        [count],
    )
    found = {row["item_id"] for row in rows}
    chains = sorted({row["chain_id"] for row in rows if row["chain_id"]})
    if chains:
        marks = ", ".join("?" for _ in chains)
        asked = f"SELECT item_id FROM items WHERE chain_id IN ({marks})"
        found |= {row["item_id"] for row in db.rows(asked, chains)}
    return sorted(found)


def _sample(api: Api, ids: Sequence[str], shots: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    lanes: dict[str, Any] = {}
    pictures: dict[str, list[int]] = {}
    for item_id in ids:
        whole = api.item({"id": [item_id]})
        row = whole["item"]
        pictures[item_id] = _shoot(api, row, shots)
        found[item_id] = whole | {"pictures": bool(pictures[item_id])}
        lanes[item_id] = [timeline(api.db, row), timeline(api.db, row, whole=True)]
    return {
        "overview": api.overview({}),
        "funnel": rejects.funnel(api.db),
        "items": _listed(api.db, ids),
        "item": found,
        "timeline": lanes,
        "pictures": pictures,
    }


def _listed(db: Database, ids: Sequence[str]) -> list[Row]:
    """What lists tell of the items, with the facets by which they are filtered."""
    marks = ", ".join("?" for _ in ids)
    columns = ", ".join(f'{column} AS "{name}"' for name, column in FACETS.items())
    told = db.rows(f"SELECT item_id AS item, {columns} FROM items WHERE item_id IN ({marks})", ids)
    by_id = {row.pop("item"): row for row in told}
    return [row | {"facets": by_id[row["item_id"]]} for row in items.listed(db, ids)]


def _shoot(api: Api, row: Mapping[str, Any], shots: Path) -> list[int]:
    """Write an item's pictures; the instants at which there are any."""
    if not api.frames.has(row):
        return []
    done = []
    for time_us in instants(row):
        try:
            data = api.frames.jpeg(row, time_us)
        except UserError:  # a dataset may lack some of its pictures
            continue
        (shots / f"{row['item_id']}-{time_us}.jpg").write_bytes(data)
        done.append(time_us)
    return done


def instants(row: Mapping[str, Any]) -> list[int]:
    """When an item is looked at: first where its evidence is, then evenly."""
    start, last = row["start_us"], one.seen_us(row)
    rests = {p["start_us"] for p in row["evidence"] or () if start <= p["start_us"] <= last}
    named = list(dict.fromkeys([*row["asked_us"], *sorted(rests)]))
    named = named[: PICTURES // 2]
    parts = PICTURES - len(named) - 1
    return sorted({*named, *(start + (last - start) * k // parts for k in range(parts + 1))})
