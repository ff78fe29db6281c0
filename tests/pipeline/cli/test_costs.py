"""``build --profile-cost``: where the time went, and the same bytes as without."""

from __future__ import annotations

import re

import pytest

from surgqa.ontology import processor_time
from surgqa.pipeline.cli.app import run
from surgqa.transforms.store import OutputFolder


@pytest.fixture
def line(sample_root, tmp_path):
    return ["build", "--dataset", "cholect50", "--root", str(sample_root), "--limit", "2",
            "--only", "surgstu.closest", "--only", "surgstu.classes",
            "--out", str(tmp_path / "out")]  # fmt: skip


@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.nightly), 2])
def test_templates_and_operators_are_told(line, capsys, workers):
    assert run(line) == 0
    before = OutputFolder(line[-1]).manifest["digest"]
    plain = capsys.readouterr().out
    assert "operator or step" not in plain
    assert run([*line, "--profile-cost", "--workers", str(workers)]) == 0
    assert OutputFolder(line[-1]).manifest["digest"] == before
    _, templates, steps = re.split(r"\ntemplate  .*\n|\noperator or step .*\n",
                                   capsys.readouterr().out)  # fmt: skip
    told = {row.split()[0]: row.split() for row in templates.strip().splitlines()}
    assert {"surgstu.classes", "surgstu.closest"} <= told.keys()
    units = OutputFolder(line[-1]).manifest["ledger"]["surgstu.classes"]["units"]
    assert int(told["surgstu.classes"][3]) == units
    names = {row.rsplit(maxsplit=2)[0].strip() for row in steps.strip().splitlines()}
    assert {"patterns", "distance", "label files", "rows and files"} <= names
    shares = [float(row.split()[-1]) for row in steps.strip().splitlines()]
    assert sum(shares) == pytest.approx(100, abs=1)


def test_each_moment_counts_once():
    processor_time.start(True)
    with processor_time.within("outer", "t"):
        sum(range(200_000))
        with processor_time.within("inner"):
            sum(range(400_000))
    found = {(template, step): seconds for template, step, seconds in processor_time.take_seconds()}
    processor_time.start(False)
    assert set(found) == {("", "other"), ("t", "outer"), ("t", "inner")}
    assert found["t", "inner"] > found["t", "outer"] > 0
    assert processor_time.take_seconds() == [] and processor_time.running() is None
