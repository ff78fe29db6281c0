"""SurgCoT's chains from samples and from real labels: built, checked, exported, scored."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from surgqa.pipeline.cli.app import run as surgqa
from surgqa.pipeline.config import load_run
from surgqa.pipeline.run import BuildResult, build
from surgqa.transforms.scoring import score_dataset
from surgqa.transforms.scoring.surgcot.items import TASKS, scale_of
from surgqa.transforms.store import OutputFolder
from tests.pipeline.conftest import BuiltOnce
from tests.pipeline.same_bytes import digest_elsewhere

NAMES = ("cholect50", "unified")
"""Samples that together hold evidence for all five tasks."""
LONG = "SURGQA_LONG" in os.environ
Rows = list[dict[str, Any]]


def settings(samples: dict[str, Path], out: Path, **more: Any) -> dict[str, Any]:
    runs = [{"name": name, "root": str(root)} for name, root in samples.items()]
    return {"datasets": runs, "benchmarks": ["surgcot"], "out": str(out), **more}


@pytest.fixture(scope="module")
def samples(sample: Callable[..., Path]) -> dict[str, Path]:
    return {name: sample(name) for name in NAMES}


@pytest.fixture(scope="module")
def whole(samples: dict[str, Path], built_once: BuiltOnce) -> BuildResult:
    """Both samples, built with two workers by night."""
    return built_once("surgcot", settings(samples, Path(), workers=1 + LONG))


@pytest.fixture(scope="module")
def rows(whole: BuildResult) -> Rows:
    return list(OutputFolder(whole.out).rows())


def scales(rows: Rows) -> set[str]:
    return {scale_of(row["resolution_us"]) for row in rows}


def test_all_five_tasks_come_in_whole_chains_of_both_scales(rows: Rows) -> None:
    assert {row["task"].split("/")[0] for row in rows} == set(TASKS)
    stages = Counter((row["chain_id"], row["stage"]) for row in rows)
    assert set(stages.values()) == {1}
    assert set(Counter(chain for chain, _ in stages).values()) == {4}
    assert scales(rows) == {"standard", "coarse"}


def test_books_count_every_event(whole: BuildResult) -> None:
    told = next(line for line in whole.books if line["unit"] == "units x templates")
    assert told["kept"] * 4 == whole.items
    assert told["read"] == told["kept"] + told["rejected"]


@pytest.mark.nightly  # by day of all benchmarks at once, in test_check_agrees
def test_every_stage_is_derived_again(whole: BuildResult, tmp_path: Path) -> None:
    assert surgqa(["check", str(whole.out), "--json", str(tmp_path / "report.json")]) == 0
    report = orjson.loads((tmp_path / "report.json").read_bytes())
    assert sum(report["recomputed"].values()) == report["checked"] == whole.items


@pytest.mark.nightly
def test_a_changed_chain_is_found(whole: BuildResult, tmp_path: Path) -> None:
    """Check looks at the evidence: another onset in the table contradicts its chains."""
    out = tmp_path / "out"
    shutil.copytree(whole.out, out)
    path = out / "evidence" / "moments.parquet"
    table = pq.read_table(path)
    late = pc.add(table["start_us"], pa.scalar(300_000))
    starts = pc.if_else(pc.equal(table["kind"], "action"), late, table["start_us"])
    place = table.schema.get_field_index("start_us")
    pq.write_table(table.set_column(place, "start_us", starts), path)
    assert surgqa(["check", str(out), "--json", str(tmp_path / "report.json")]) == 1
    found = orjson.loads((tmp_path / "report.json").read_bytes())
    assert found["differences"] > 0 and "pointer_outside" in str(found)


def test_the_gold_run_scores_one(rows: Rows) -> None:
    gold = {(row["item_id"], None): row["answer"] for row in rows}
    report = score_dataset(rows, gold, replicates=50)
    assert not report.unknown and not report.unscored
    assert "surgcot" in report.own
    for group in report.own["surgcot"].groups:
        for name in ("main", "q1", "q2", "q3", "accuracy", "chain_completion", "q2_given_q1",
                     "q3_given_q1_q2"):  # fmt: skip
            assert group.measures[name] == 1.0, (group.scale, group.name, name)


@pytest.mark.nightly  # by day of all benchmarks at once, in test_determinism
def test_neither_workers_hash_seed_nor_the_order_of_listings_shows(
    whole: BuildResult, samples: dict[str, Path], tmp_path: Path
) -> None:
    assert digest_elsewhere(settings(samples, tmp_path / "out")) == whole.digest


def test_real_labels_of_one_a_second_give_coarse_chains(
    real_dataset: Callable[[str], Path], tmp_path: Path
) -> None:
    root = real_dataset("cholect50-challenge-val")
    asked = {"datasets": [{"name": "cholect50", "root": root}], "benchmarks": ["surgcot"],
             "out": tmp_path / "out"}  # fmt: skip
    result = build(load_run(None, asked))
    rows = list(OutputFolder(result.out).rows())
    assert {"causal_action_ordering", "affordance_mapping", "micro_transition_localization"} <= {
        row["task"].split("/")[0] for row in rows
    }
    assert scales(rows) == {"coarse"}
    if LONG:  # by day chains of this scale are checked with all benchmarks, in test_check_agrees
        assert surgqa(["check", str(result.out)]) == 0
