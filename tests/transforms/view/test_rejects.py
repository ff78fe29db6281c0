"""What was refused beside an item, over a real build: each stretch was asked about, or refused."""

from __future__ import annotations

from collections import Counter

import pytest

from surgqa.pipeline.config import load_run
from surgqa.pipeline.run import build
from surgqa.transforms.language import load_programs
from surgqa.transforms.registry import load_sample
from surgqa.transforms.store import OutputFolder
from surgqa.transforms.view.database import Database
from surgqa.transforms.view.one import item_of
from surgqa.transforms.view.rejects import beside, first_rejects, funnel, rejects, units_of

EVERY = {one.id: one.unit.every for one in load_programs() if one.unit.every is not None}


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Questions at any time of two recordings, none left out for balance."""
    root = tmp_path_factory.mktemp("sample")
    load_sample("bern_bypass70")(root)
    out = root.parent / "out"
    build(load_run(None, {
        "datasets": [{"name": "bern_bypass70", "root": str(root)}], "out": str(out),
        "benchmarks": ["medstream"], "balance": "none", "limit": 2,
    }))  # fmt: skip
    return Database(OutputFolder(out))


def test_a_stretch_was_asked_about_or_refused(db: Database) -> None:
    rows = list(db.rows("SELECT * FROM items WHERE query_us IS NOT NULL ORDER BY item_id"))
    units, held = units_of(db.folder), 0
    assert set(units.periods) >= {EVERY[row["template_id"]] for row in rows}
    for row in rows[::7]:
        found = beside(db, row, units)
        refused = {one["key"].split(" ")[0] for one in found["rows"]}
        asked = {
            one["template_id"] for one in rows
            if (one["dataset"], one["video_id"]) == (row["dataset"], row["video_id"])
            and one["query_us"] // EVERY[one["template_id"]]
            == row["query_us"] // EVERY[one["template_id"]]
        }  # fmt: skip
        assert row["template_id"] in asked and not asked & refused
        assert asked | refused == set(db.folder.manifest["ledger"]) & EVERY.keys()
        held += len(refused)
    assert held > 100


def test_beside_a_clip_lies_what_its_time_gave_not(db: Database) -> None:
    row = db.rows("SELECT * FROM items WHERE query_us IS NOT NULL ORDER BY item_id LIMIT 1")[0]
    whole = beside(db, {**row, "query_us": None, "start_us": 0}, units_of(db.folder))
    assert whole["total"] > beside(db, row, units_of(db.folder))["total"] > 0
    assert item_of(db, row["item_id"]) is not None


def test_units_are_items_and_what_was_refused(db: Database) -> None:
    books = {one["stage"]: one for one in db.folder.manifest["books"]}
    told = funnel(db)
    assert sum(one["units"] for one in told) == books["ask"]["read"]
    counted = Counter({one["template"]: one["items"] + sum(r["rows"] for r in one["rejects"])
                       for one in told})  # fmt: skip
    assert counted == Counter({one["template"]: one["units"] for one in told})


def test_what_a_template_of_one_item_a_value_refused(tmp_path):
    """It stands beside its own items, and beside no others."""
    (tmp_path / "in").mkdir()
    load_sample("cholect50")(tmp_path / "in")
    build(load_run(None, {
        "datasets": [{"name": "cholect50", "root": str(tmp_path / "in")}],
        "out": str(tmp_path / "out"), "benchmarks": ["sapbench"], "balance": "none",
    }))  # fmt: skip
    db = Database(OutputFolder(tmp_path / "out"))
    units = units_of(db.folder)
    rows = db.rows("SELECT * FROM items ORDER BY item_id")
    assert {row["template_id"] for row in rows} <= units.values
    refused = 0
    for row in rows:
        found = beside(db, row, units)["rows"]
        assert {one["key"].split(" ")[0] for one in found} <= {row["template_id"]}
        assert {one["video_id"] for one in found} <= {row["video_id"]}
        refused += len(found)
    assert refused


def test_one_pass_gives_what_is_given_for_each_template(db: Database) -> None:
    names = [one["template"] for one in funnel(db) if one["rejects"]]
    found = first_rejects(db, 3)
    assert len(names) > 3
    assert {name: found[name] for name in names} == {
        name: rejects(db, {"template": name}, 3) for name in names
    }
