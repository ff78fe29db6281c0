"""Facts made again from made-up raw rows are the facts that a build writes."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq

from surgqa.transforms.checks.facts import hold_facts
from surgqa.transforms.checks.report import Findings
from surgqa.transforms.store.folder import OutputFolder
from tests.transforms.checks.facts import drawn

MANY = 5000 if os.environ.get("SURGQA_LONG") else 120


def test_every_fact_of_made_up_recordings_is_made_again(tmp_path: Path):
    drawn.written(range(MANY), tmp_path / "out")
    findings = Findings()
    (tmp_path / "scratch").mkdir()
    grounds = hold_facts(OutputFolder(tmp_path / "out"), tmp_path / "scratch", findings)
    assert [one.detail for one in findings.listed()] == []
    there = {name: pq.read_table(tmp_path / f"out/evidence/{name}.parquet").to_pylist()
             for name in (*grounds.rows, "segments", "moments")}  # fmt: skip
    assert grounds.rows == {name: len(there[name]) for name in grounds.rows}
    assert min(grounds.rows.values()) > MANY and len(grounds.kinds) > 15
    assert grounds.kinds == Counter(row["kind"] for row in there["facts"])
    made = [row["origin"] for row in there["segments"] if row["label"]]
    made += [row["origin"] for row in there["moments"] if row["kind"] != "watched"]
    assert grounds.given == Counter(one for one in made if one in ("fusion", "speech"))
    assert sum("us on" in str(row["track"]) for row in there["facts"]) > MANY // 4
