"""MedStreamBench's questions: every mode and form, by night of all samples; its mix; its rows."""

from __future__ import annotations

import os
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import orjson
import pytest

from surgqa.pipeline.cli.app import run as surgqa
from surgqa.pipeline.config import load_run
from surgqa.pipeline.run import build
from surgqa.transforms.steps.mix import SCARCE, cell_of
from surgqa.transforms.store import OutputFolder
from tests.pipeline.conftest import BuiltOnce
from tests.pipeline.same_bytes import digest_elsewhere

LONG = "SURGQA_LONG" in os.environ
ENOUGH_DATASETS = 20 if LONG else 3


def settings(samples: dict[str, Path], out: Path, **more: Any) -> dict[str, Any]:
    """A run over all samples that keeps every item."""
    runs = [{"name": name, "root": str(root)} for name, root in samples.items()]
    return {"datasets": runs, "benchmarks": ["medstream"], "out": str(out), "balance": "none",
            **more}  # fmt: skip


@pytest.fixture(scope="module")
def out(request: pytest.FixtureRequest, built_once: BuiltOnce) -> Path:
    """By night all items of all samples, by day of those that all benchmarks are built from."""
    if not LONG:
        return request.getfixturevalue("all_benchmarks")
    samples = request.getfixturevalue("samples")
    return built_once("medstream", settings(samples, Path(), workers=2)).out


def test_many_datasets_give_items_in_every_mode_and_form(out: Path) -> None:
    rows = [row for row in OutputFolder(out).rows() if row["benchmark"] == "medstream"]
    assert len({row["dataset"] for row in rows}) >= ENOUGH_DATASETS
    kinds = {
        (row["temporal_mode"], row["task_mode"], "open" if row["form"] == "open" else "closed")
        for row in rows
    }
    once, rounds = "single_turn", "streaming"
    assert kinds == {
        *(("retrospective", once, form) for form in ("closed", "open")),
        *(("present", once, form) for form in ("closed", "open")),
        *(("future", when, form) for when in (once, rounds) for form in ("closed", "open")),
        ("proactive", rounds, "open"),
    }  # fmt: skip
    assert {"unanswerable" in orjson.loads(r["answer_value"]).values() for r in rows
            if r["temporal_mode"] == "future"} == {True, False}  # fmt: skip
    alerts = [orjson.loads(r["answer_value"]) for r in rows if r["temporal_mode"] == "proactive"]
    hits = {value["hit"] is None for value in alerts}
    assert hits == {True, False} or hits and not LONG


@pytest.mark.nightly  # by day of one dataset, in cli/test_export
def test_the_exported_rows_are_without_a_defect_by_themselves(out: Path, tmp_path: Path) -> None:
    assert surgqa(["export", str(out), "--as", "medstreambench", "--to",
                   str(tmp_path / "rows")]) == 0  # fmt: skip
    assert surgqa(["check", str(tmp_path / "rows" / "annotations")]) == 0


@pytest.mark.nightly  # by day in steps/test_mix, and a build with a mix in test_mix
def test_the_mix_of_modes_is_that_of_the_settings_everywhere(
    samples: dict[str, Path], tmp_path: Path
) -> None:
    names = ("multibypass140", "cataracts", "cholec80", "cholect50")
    chosen = settings(samples, tmp_path / "out", workers=2)
    chosen["datasets"] = [run for run in chosen["datasets"] if run["name"] in names]
    chosen["mix"] = "medstreambench"
    config = load_run(None, chosen)
    result = build(config)
    chosen |= {"out": str(tmp_path / "two"), "workers": 1}
    assert digest_elsewhere(chosen) == result.digest
    found = Counter(
        cell_of(r["temporal_mode"], r["task_mode"], orjson.loads(r["answer_value"]))
        for r in OutputFolder(result.out).rows()
    )
    assert config.chooser.mix
    wanted = config.chooser.mix.cells()
    assert set(found) == set(wanted)
    # What is scarce stays, whatever its share.
    plenty = [cell for cell in wanted if found[cell] >= SCARCE]
    total, share = sum(found[cell] for cell in plenty), sum(wanted[cell] for cell in plenty)
    assert len(plenty) >= 3
    distance = sum(abs(Fraction(found[c], total) - wanted[c] / share) for c in plenty) / 2
    assert distance <= Fraction("0.05")
    told = [line for line in result.books if line["stage"] == "choose"]
    assert sum(line["rejected"] for line in told) > 0
