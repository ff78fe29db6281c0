"""MedStreamBench's questions from the samples of all readers: built, checked, exported, scored."""

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
from surgqa.pipeline.run import BuildResult, build
from surgqa.transforms.scoring import score_dataset
from surgqa.transforms.steps.mix import SCARCE, cell_of
from surgqa.transforms.store import OutputFolder
from tests.pipeline.conftest import BuiltOnce
from tests.pipeline.same_bytes import digest_elsewhere
from tests.transforms.scoring.oracle import oracle

ENOUGH_DATASETS = 20
LARGE: dict[str, Any] = {"workers": 2} if "SURGQA_LONG" in os.environ else {"limit": 1}
"""By night all videos with two workers, by day one video of each dataset."""

Rows = list[dict[str, Any]]


def settings(samples: dict[str, Path], out: Path, **more: Any) -> dict[str, Any]:
    """A run over all samples that keeps every item."""
    runs = [{"name": name, "root": str(root)} for name, root in samples.items()]
    return {"datasets": runs, "benchmarks": ["medstream"], "out": str(out), "balance": "none",
            **more}  # fmt: skip


@pytest.fixture(scope="module")
def whole(samples: dict[str, Path], built_once: BuiltOnce) -> BuildResult:
    """All samples."""
    return built_once("medstream", settings(samples, Path(), **LARGE))


@pytest.fixture(scope="module")
def rows(whole: BuildResult) -> Rows:
    """All items."""
    return list(OutputFolder(whole.out).rows())


def test_without_a_mix_every_item_is_kept(whole: BuildResult, rows: Rows) -> None:
    (chosen,) = (line for line in whole.books if line["stage"] == "choose")
    assert chosen["kept"] == chosen["read"] == whole.items == len(rows) > 400
    assert chosen["rejected"] == 0


def test_at_least_twenty_datasets_give_items_in_every_mode_and_form(rows: Rows) -> None:
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
    assert {value["hit"] is None for value in alerts} == {True, False}


@pytest.mark.nightly  # by day of five datasets, in test_check_agrees
def test_every_answer_is_recomputed_and_no_row_has_a_known_defect(
    whole: BuildResult, tmp_path: Path
) -> None:
    """The 43 checks of rows (D01 to D33, S01 to S10) are part of ``check``."""
    assert surgqa(["check", str(whole.out), "--json", str(tmp_path / "report.json")]) == 0
    report = orjson.loads((tmp_path / "report.json").read_bytes())
    assert sum(report["recomputed"].values()) == report["checked"] == whole.items


def test_the_exported_rows_are_without_a_defect_by_themselves(
    whole: BuildResult, tmp_path: Path
) -> None:
    assert surgqa(["export", str(whole.out), "--as", "medstreambench", "--to",
                   str(tmp_path / "rows")]) == 0  # fmt: skip
    assert surgqa(["check", str(tmp_path / "rows" / "annotations")]) == 0


def test_the_oracle_scores_one(rows: Rows) -> None:
    gold = {key: text for row in rows for key, text in oracle(row).items()}
    report = score_dataset(rows, gold, replicates=50)
    assert "medstream" in report.own and not report.unknown and not report.unscored
    for group in report.own["medstream"].groups:
        assert group.content == group.overall == 1.0, (group.kind, group.name)
        assert {group.responsiveness, group.stability} <= {1.0, None}, (group.kind, group.name)


@pytest.mark.nightly  # by day of all benchmarks at once, in test_determinism
def test_neither_workers_hash_seed_nor_the_order_of_listings_shows(
    whole: BuildResult, samples: dict[str, Path], tmp_path: Path
) -> None:
    alone = settings(samples, tmp_path / "out", **LARGE | {"workers": 1})
    assert digest_elsewhere(alone) == whole.digest


def test_the_mix_of_modes_is_that_of_the_settings_everywhere(
    samples: dict[str, Path], tmp_path: Path
) -> None:
    names = ("multibypass140", "cataracts", "cholec80", "cholect50")
    chosen = settings(samples, tmp_path / "out", workers=LARGE.get("workers", 1))
    chosen["datasets"] = [run for run in chosen["datasets"] if run["name"] in names]
    chosen["mix"] = "medstreambench"
    config = load_run(None, chosen)
    result = build(config)
    if "workers" in LARGE:  # by day of all benchmarks at once, in test_determinism
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
