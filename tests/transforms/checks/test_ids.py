"""Rows of evidence beside one another: ids follow from them, videos and sources are listed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from surgqa.ontology.keys import digest
from surgqa.ontology.rows import EVIDENCE_TABLES
from surgqa.transforms.checks.ids import NAMED, evidence_problems
from tests.transforms.checks.world import evidence_of

S = 1_000_000
Tables = dict[str, list[dict[str, Any]]]
FACT = ("kind", "label", "subject", "track", "verb", "target", "rater", "origin", "s_us", "e_us")


def _fact(**columns: Any) -> dict[str, Any]:
    every = {**dict.fromkeys(FACT), **columns}
    return {**every, "fact_id": digest("fact", *(every[name] for name in FACT))[:16]}


def right(video: str) -> Tables:
    """Table -> rows with what names them; other columns are null."""
    rated = {"kind": "rating", "start_us": 0, "label": "flow", "subject": "tool", "rater": "r1"}
    return {
        "videos": [{"sources": [{"path": "a.json", "sha256": "0"}]}],
        "events": [
            {"event_id": "0-none", "frame": 0},
            {"event_id": "5-hook-1", "frame": 5, "label": "hook"},
            {"event_id": "5-hook-2", "frame": 5, "label": "hook"},
            {"event_id": "6-hook-1", "frame": 6, "label": "hook"},
        ],
        "regions": [
            {"region_id": "polyp-5-ulcer-1", "kind": "polyp", "frame": 5, "label": "ulcer"},
            {"region_id": "polyp-6-none", "kind": "polyp", "frame": 6},
        ],
        "segments": [
            {"segment_id": "phase-0-clipping", "kind": "phase", "start_us": 0, "label": "clipping"},
            {"segment_id": "rating-0-flow-tool-r1", **rated, "source_path": "a.json"},
            {"segment_id": "rating-0-flow-tool-r1-2", **rated, "source_path": ""},
            {"segment_id": digest("clip", f"d/{video}", 0, 20 * S), "kind": "clip", "start_us": 0,
             "end_us": 20 * S},
        ],
        "moments": [
            {"moment_id": "said-7", "kind": "said", "start_us": 7, "label": "any words"},
            {"moment_id": "action-7-hook-cut-liver-g", "kind": "action", "start_us": 7,
             "tool": "hook", "verb": "cut", "target": "liver", "group": "g"},
        ],
        "labels": [
            {"label_id": "experience-expert", "kind": "experience", "label": "expert"},
            {"label_id": "experience-expert", "kind": "experience", "label": "expert"},
            {"label_id": "rating-flow-r1", "kind": "rating", "label": "flow", "rater": "r1"},
        ],
        "facts": [_fact(kind="phase", label="clipping", s_us=0, e_us=S),
                  _fact(kind="interaction", subject="hook", track="t", verb="cut", s_us=1, e_us=2)],
    }  # fmt: skip


Change = Callable[[Tables], object]


def found(root: Path, *changes: Change) -> list[set[str]]:
    """Codes of what is wrong with rows after each change, each in a recording of its own."""
    whole: Tables = {}
    for k, change in enumerate(changes):
        tables = right(f"{k:03}")
        change(tables)
        for name, rows in tables.items():
            whole.setdefault(name, []).extend({"video_id": f"{k:03}"} | row for row in rows)
    codes: list[set[str]] = [set() for _ in changes]
    for code, detail in evidence_problems(evidence_of(root, **whole), root):
        codes[int(re.search(r"d/(\d{3})", detail)[1])].add(code)  # type: ignore[index]
    return codes


def column_of(name: str, k: int, column: str, value: Any = None) -> Change:
    """Another value in a column, of no sense unless it is given."""

    def change(tables: Tables) -> None:
        old = tables[name][k].get(column)
        other = old + 1 if isinstance(old, int) else f"{old or ''}x"
        tables[name][k][column] = other if value is None else value

    return change


def test_right_rows(tmp_path: Path):
    assert found(tmp_path, lambda tables: None, lambda tables: None) == [set(), set()]


IDENTITY = [
    (name, k, column)
    for name, rows in right("v").items() if name in NAMED
    for k, row in enumerate(rows)
    for column in row
    if column != "source_path" and (name, column) != ("moments", "label")
]  # fmt: skip
NUMBERS = ("0", "3", "x", "")


def test_columns_that_name_a_row_rows_twice_and_numbers_with_gaps(tmp_path: Path):
    changes = [column_of(*one) for one in IDENTITY]
    changes += [lambda tables, name=name: tables[name].append(tables[name][0])
                for name in ("events", "regions", "segments", "moments")]  # fmt: skip
    changes += [column_of("events", 2, "event_id", f"5-hook-{other}") for other in NUMBERS]
    wrong = found(tmp_path, *changes)
    missed = [k for k, codes in enumerate(wrong) if codes != {"evidence_malformed"}]
    assert len(IDENTITY) > 40 and missed == []


def test_rows_of_a_video_that_is_not_listed(tmp_path: Path):
    names = [name for name in EVIDENCE_TABLES if name != "videos"]
    rows = {name: [{**(right("v").get(name) or [{}])[0], "video_id": "w"}] for name in names}
    out = evidence_of(tmp_path, **{**rows, "videos": right("v")["videos"]})
    told = [detail for _, detail in evidence_problems(out, tmp_path)]
    for name in names:
        assert f"{name}: d/w is not in evidence/videos" in told


SOURCED = ("segments", "regions", "labels", "moments")


@pytest.mark.parametrize(("path", "codes"), [("a.json", set()), ("b.json", {"source_unlisted"})])
def test_a_source_that_its_video_does_not_list(tmp_path: Path, path: str, codes: set[str]):
    changes = [column_of(name, 0, "source_path", path) for name in SOURCED]
    assert found(tmp_path, *changes) == [codes] * len(SOURCED)
