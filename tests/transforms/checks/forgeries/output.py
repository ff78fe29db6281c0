"""A small output of a real build: almost every column has a value somewhere."""

from __future__ import annotations

from pathlib import Path

from surgqa.pipeline.config import load_run
from surgqa.pipeline.run import build
from surgqa.transforms.registry import load_sample

DATASETS = ("cholect50", "jigsaws", "kvasir_capsule", "observed", "unified")
"""Triplets with boxes, ratings, regions, a recording's digest, and moments."""

TEMPLATES = (
    "surgstu.classes", "surgstu.locate", "surgstu.trajectory_reasoning", "medstream.action_on",
    "medstream.state_now.phase", "medstream.alert.clip", "medstream.alert.bleeding",
    "medstream.whole_score", "medstream.lesion_region.finding", "surgcot.cue_alignment",
    "sapbench.next_action",
)  # fmt: skip
"""Clips, times, streams, chains, whole recordings: every unit and every kind of column."""

BENCHMARKS = ("surgstu", "medstream", "surgcot", "sapbench")


def made(root: Path) -> Path:
    """Build it below an empty folder."""
    runs = []
    for name in DATASETS:
        source = root / "source" / name
        source.mkdir(parents=True)
        load_sample(name)(source)
        runs.append({"name": name, "root": str(source)})
    out = root / "out"
    build(load_run(None, {
        "datasets": runs, "out": str(out), "benchmarks": list(BENCHMARKS), "profile": "paper",
        "limit": 1, "only": list(TEMPLATES), "formats": ["parquet"],
    }))  # fmt: skip
    return out
