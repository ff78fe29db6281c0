"""Facts made again from made-up raw rows are the facts that a build writes."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow.parquet as pq

from tests.transforms.checks.facts import drawn
from transforms.checks.facts import hold_facts
from transforms.checks.report import Findings
from transforms.store.folder import OutputFolder

MANY = 5000 if os.environ.get("SURGQA_LONG") else 400


def test_every_fact_of_made_up_recordings_is_made_again(tmp_path: Path):
    drawn.written(range(MANY), tmp_path / "out")
    findings = Findings()
    (tmp_path / "scratch").mkdir()
    grounds = hold_facts(OutputFolder(tmp_path / "out"), tmp_path / "scratch", findings)
    assert [one.detail for one in findings.listed()] == []
    rows = {name: pq.read_metadata(tmp_path / f"out/evidence/{name}.parquet").num_rows
            for name in grounds.rows}  # fmt: skip
    assert grounds.rows == rows
    assert min(rows.values()) > MANY and len(grounds.kinds) > 15
