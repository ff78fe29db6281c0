"""Rows of evidence beside one another: ids follow from them, videos and sources are listed."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ontology.keys import digest
from ontology.rows import EVIDENCE_TABLES
from transforms.checks.ids import NAMED, evidence_problems
from transforms.store.folder import OutputFolder

S = 1_000_000
OF = {"dataset": "d", "video_id": "v"}
FACT = ("kind", "label", "subject", "track", "verb", "target", "rater", "origin", "s_us", "e_us")


def _fact(**columns: Any) -> dict[str, Any]:
    every = {**dict.fromkeys(FACT), **columns}
    return {**every, "fact_id": digest("fact", *(every[name] for name in FACT))[:16]}


RIGHT: dict[str, list[dict[str, Any]]] = {
    "videos": [{**OF, "sources": [{"path": "a.json", "sha256": "0"}]}],
    "events": [
        {"event_id": "0-none", "frame": 0}, {"event_id": "5-hook-1", "frame": 5, "label": "hook"},
        {"event_id": "5-hook-2", "frame": 5, "label": "hook"},
        {"event_id": "6-hook-1", "frame": 6, "label": "hook"},
    ],
    "regions": [
        {"region_id": "polyp-5-ulcer-1", "kind": "polyp", "frame": 5, "label": "ulcer"},
        {"region_id": "polyp-6-none", "kind": "polyp", "frame": 6},
    ],
    "segments": [
        {"segment_id": "phase-0-clipping", "kind": "phase", "start_us": 0, "label": "clipping"},
        {"segment_id": "rating-0-flow-tool-r1", "kind": "rating", "start_us": 0, "label": "flow",
         "subject": "tool", "rater": "r1", "source_path": "a.json"},
        {"segment_id": "rating-0-flow-tool-r1-2", "kind": "rating", "start_us": 0, "label": "flow",
         "subject": "tool", "rater": "r1", "source_path": ""},
        {"segment_id": digest("clip", "d/v", 0, 20 * S), "kind": "clip", "start_us": 0,
         "end_us": 20 * S},
    ],
    "moments": [
        {"moment_id": "said-7", "kind": "said", "start_us": 7, "label": "any words"},
        {"moment_id": "action-7-hook-cut-liver-g", "kind": "action", "start_us": 7, "tool": "hook",
         "verb": "cut", "target": "liver", "group": "g"},
    ],
    "labels": [
        {"label_id": "experience-expert", "kind": "experience", "label": "expert"},
        {"label_id": "experience-expert", "kind": "experience", "label": "expert"},
        {"label_id": "rating-flow-r1", "kind": "rating", "label": "flow", "rater": "r1"},
    ],
    "facts": [_fact(kind="phase", label="clipping", s_us=0, e_us=S),
              _fact(kind="interaction", subject="hook", track="t", verb="cut", s_us=1, e_us=2)],
}  # fmt: skip
"""Table -> rows with what names them; other columns are null."""

IDENTITY = [
    (name, k, column)
    for name, rows in RIGHT.items() if name in NAMED
    for k, row in enumerate(rows)
    for column in row
    if column != "source_path" and (name, column) != ("moments", "label")
]  # fmt: skip


def found(root: Path, tables: dict[str, list[dict[str, Any]]]) -> set[str]:
    """Codes of what is wrong with some tables."""
    (root / "evidence").mkdir()
    (root / "manifest.json").write_text(json.dumps({}))
    for name, schema in EVIDENCE_TABLES.items():
        rows = [{**OF, **row} for row in tables.get(name, [])]
        pq.write_table(pa.Table.from_pylist(rows, schema=schema), root / f"evidence/{name}.parquet")
    return {code for code, _ in evidence_problems(OutputFolder(root), root)}


def test_right_rows(tmp_path: Path):
    assert found(tmp_path, RIGHT) == set()


@pytest.mark.parametrize(("name", "k", "column"), IDENTITY)
def test_a_column_that_names_a_row(tmp_path: Path, name: str, k: int, column: str):
    tables = deepcopy(RIGHT)
    value = tables[name][k][column]
    tables[name][k][column] = value + 1 if isinstance(value, int) else f"{value or ''}x"
    assert found(tmp_path, tables) == {"evidence_malformed"}


@pytest.mark.parametrize("name", ["events", "regions", "segments", "moments"])
def test_a_row_twice(tmp_path: Path, name: str):
    again = {**RIGHT, name: [*RIGHT[name], RIGHT[name][0]]}
    assert found(tmp_path, again) == {"evidence_malformed"}


@pytest.mark.parametrize("other", ["0", "3", "x", ""])
def test_numbers_count_from_one_without_gaps(tmp_path: Path, other: str):
    tables = deepcopy(RIGHT)
    tables["events"][2]["event_id"] = f"5-hook-{other}"
    assert found(tmp_path, tables) == {"evidence_malformed"}


@pytest.mark.parametrize("name", [name for name in EVIDENCE_TABLES if name != "videos"])
def test_rows_of_a_video_that_is_not_listed(tmp_path: Path, name: str):
    row = {**(RIGHT.get(name) or [{}])[0], "video_id": "w"}
    assert found(tmp_path, {**RIGHT, name: [row]}) == {"evidence_malformed"}


@pytest.mark.parametrize("name", ["segments", "regions", "labels", "moments"])
def test_a_source_that_its_video_does_not_list(tmp_path: Path, name: str):
    tables = deepcopy(RIGHT)
    tables[name][0]["source_path"] = "a.json"
    (tmp_path / "listed").mkdir()
    assert found(tmp_path / "listed", tables) == set()
    tables[name][0]["source_path"] = "b.json"
    (tmp_path / "other").mkdir()
    assert found(tmp_path / "other", tables) == {"source_unlisted"}
