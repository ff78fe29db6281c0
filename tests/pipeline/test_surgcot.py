"""SurgCoT's chains from samples and from real labels; checked and scored with all benchmarks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from surgqa.pipeline.config import load_run
from surgqa.pipeline.run import build
from surgqa.transforms.scoring.surgcot.items import TASKS, scale_of
from surgqa.transforms.store import OutputFolder

Rows = list[dict[str, Any]]


def scales(rows: Rows) -> set[str]:
    return {scale_of(row["resolution_us"]) for row in rows}


def test_all_five_tasks_come_in_whole_chains_of_both_scales(all_benchmarks: Path) -> None:
    rows = [row for row in OutputFolder(all_benchmarks).rows() if row["benchmark"] == "surgcot"]
    assert {row["task"].split("/")[0] for row in rows} == set(TASKS)
    stages = Counter((row["chain_id"], row["stage"]) for row in rows)
    assert set(stages.values()) == {1}
    assert set(Counter(chain for chain, _ in stages).values()) == {4}
    assert scales(rows) == {"standard", "coarse"}


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
