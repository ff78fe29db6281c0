"""Facts made again from raw rows: equal for every sample, unequal for each fault."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from surgqa.ontology.observed import OWN
from surgqa.ontology.rows import EVIDENCE_TABLES
from surgqa.transforms.checks.facts import hold_facts
from surgqa.transforms.checks.report import Findings, Grounds
from surgqa.transforms.registry import datasets
from surgqa.transforms.store.folder import OutputFolder
from tests.transforms.checks.facts.faults import OTHERS, SPANS, TOOLS
from tests.transforms.checks.proof.outputs import built, built_anew

ALL = [(dataset, name) for dataset, names in (("cholect50", TOOLS), ("cholec80", SPANS))
       for name in names] + [*OTHERS]  # fmt: skip

SHOWN = ("cholect50", "cholec80", "kvasir_capsule", "psi_ava", "unified")
"""Samples that show every way in which facts are made."""


def held(folder: OutputFolder, scratch: Path) -> tuple[Grounds, list[str]]:
    """What was made again, and what differs."""
    findings = Findings()
    scratch.mkdir()
    grounds = hold_facts(folder, scratch, findings)
    return grounds, [one.detail for one in findings.listed()]


@pytest.mark.parametrize(
    "dataset",
    [pytest.param(name, marks=() if name in SHOWN else pytest.mark.nightly)
     for name in datasets() if name != OWN],
)  # fmt: skip
def test_every_fact_follows_from_raw_rows(dataset: str, tmp_path: Path):
    folder = built(tmp_path / "built", dataset, [])
    grounds, wrong = held(folder, tmp_path / "scratch")
    assert wrong == []
    rows = {name: pq.read_metadata(folder.path / f"evidence/{name}.parquet").num_rows
            for name in grounds.rows}  # fmt: skip
    assert grounds.rows == rows and sum(grounds.kinds.values()) == rows["facts"] > 0


@pytest.mark.parametrize(
    ("dataset", "name"),
    [pytest.param(*one, id=" ".join(one), marks=() if k % 3 == 0 else pytest.mark.nightly)
     for k, one in enumerate(ALL)],
)  # fmt: skip
def test_a_fault_in_what_makes_facts_is_found(
    dataset: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    fault = {**TOOLS, **SPANS}.get(name) or OTHERS[dataset, name]
    with monkeypatch.context() as patch:
        fault(patch)
        folder = built_anew(tmp_path / "built", dataset, [])
    assert held(folder, tmp_path / "scratch")[1]


Row = dict[str, Any]


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> OutputFolder:
    return built(tmp_path_factory.mktemp("right") / "built", "cholect50", [])


def later(row: Row, name: str) -> None:
    row[name] += 1_000_000


CHANGES: dict[tuple[str, str], Callable[[Row], None]] = {
    ("events", "time"): lambda row: later(row, "time_us"),
    ("events", "label"): lambda row: row.update(label="hook", track_id="hook-1"),
    ("events", "track"): lambda row: row.update(track_id="grasper-9"),
    ("events", "box"): lambda row: row.update(x1=row["x1"] / 2),
    ("events", "acts"): lambda row: row.update(pairs=None),
    ("events", "verb"): lambda row: row["pairs"][0].update(verb="clip"),
    ("segments", "start"): lambda row: later(row, "start_us"),
    ("segments", "label"): lambda row: row.update(label="gallbladder_packaging"),
    ("segments", "kind"): lambda row: row.update(kind="step"),
    ("segments", "sampled"): lambda row: row.update(sampled_us=0),
    ("videos", "period"): lambda row: row.update(period_us=3 * row["period_us"]),
    ("videos", "classes"): lambda row: row["annotated"].pop(),
    ("videos", "vocabulary"): lambda row: row["vocabulary"].pop(),
    ("facts", "slack"): lambda row: row.update(s0_us=row["s0_us"] + 1),
    ("facts", "sure"): lambda row: row.update(sure=False),
    ("facts", "group"): lambda row: row.update(grp=row["grp"] + 1),
    ("facts", "proof"): lambda row: row["marks"].pop(),
    ("holes", "floor"): lambda row: row.update(floor_us=5),
    ("looked", "kind"): lambda row: row.update(kind="cue"),
    ("samples", "box"): lambda row: row.update(y2=row["y2"] - 1e-9),
    ("instants", "time"): lambda row: later(row, "time_us"),
}


@pytest.mark.parametrize(("table", "name"), CHANGES, ids=[" ".join(one) for one in CHANGES])
def test_a_changed_row_is_found(table: str, name: str, right: OutputFolder, tmp_path: Path):
    shutil.copytree(str(right.path), tmp_path / "out")
    file = tmp_path / f"out/evidence/{table}.parquet"
    rows = pq.read_table(file).to_pylist()
    whole = [row for row in rows if row.get("label") or table not in ("events", "segments")]
    CHANGES[table, name](whole[len(whole) // 2])
    pq.write_table(pa.Table.from_pylist(rows, schema=EVIDENCE_TABLES[table]), file)
    assert held(OutputFolder(tmp_path / "out"), tmp_path / "scratch")[1]


def test_what_differs_is_told_with_place_time_and_rows(right: OutputFolder, tmp_path: Path):
    shutil.copytree(str(right.path), tmp_path / "out")
    file = tmp_path / "out/evidence/facts.parquet"
    rows = pq.read_table(file).to_pylist()
    wrong = next(row for row in rows if row["kind"] == "interaction")
    wrong["e0_us"] -= 7
    pq.write_table(pa.Table.from_pylist(rows, schema=EVIDENCE_TABLES["facts"]), file)
    (told,) = held(OutputFolder(tmp_path / "out"), tmp_path / "scratch")[1]
    assert told.startswith(f"cholect50/{wrong['video_id']} interaction {wrong['subject']} at ")
    assert f"e0 expected {wrong['e0_us'] + 7}, found {wrong['e0_us']}" in told
    assert (
        f"evidence/facts {wrong['fact_id']} of kind: events, id: {wrong['marks'][0]['id']}" in told
    )
