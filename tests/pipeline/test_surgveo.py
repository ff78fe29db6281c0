"""SurgVeo from end to end: made-up recordings with the stated stages, built and checked."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest

from surgqa.ontology.continuations import LAPAROSCOPIC, NEUROSURGICAL, TRACKS
from surgqa.pipeline.cli.app import run as surgqa
from surgqa.pipeline.config import load_run
from surgqa.pipeline.run import BuildResult, build
from surgqa.transforms.scoring import score_dataset
from surgqa.transforms.store import OutputFolder

ABSENT = {LAPAROSCOPIC: 3, NEUROSURGICAL: 4}
"""Stages that the three operations of a track lack together: 3 x 7 - 3 and 3 x 12 - 4."""

MAPPING = """\
procedure: {procedure}
specialty: surgery
licence: for tests
videos: {{file: videos.csv, columns: {{video: video, duration: duration}}}}
tables:
  stages:
    holds: segments
    file: stages.csv
    columns: {{video: video, start: start, end: end, {kind}: stage}}
labels: {{{kind}: same}}
"""
PROCEDURES = {
    LAPAROSCOPIC: "laparoscopic hysterectomy", NEUROSURGICAL: "pituitary surgery",
}  # fmt: skip
SECONDS = 20


def write_operations(root: Path, name: str) -> None:
    """Three operations with all stages but those that are absent, 20 s each."""
    track = TRACKS[name]
    lines, lengths = [], []
    left = ABSENT[name]
    for number in range(3):
        # Two of the operations lack stages, the third has them all.
        lacks = min(left, 2)
        left -= lacks
        stages = track.stages[: len(track.stages) - lacks]
        for place, stage in enumerate(stages):
            lines.append([f"op{number}", place * SECONDS, (place + 1) * SECONDS, stage])
        lengths.append([f"op{number}", len(stages) * SECONDS])
    for file, head, body in (("stages.csv", ["video", "start", "end", "stage"], lines),
                             ("videos.csv", ["video", "duration"], lengths)):  # fmt: skip
        with (root / file).open("w", newline="", encoding="utf-8") as sink:
            csv.writer(sink).writerows([head, *body])
    text = MAPPING.format(procedure=PROCEDURES[name], kind=track.kind)
    (root / "surgqa.yaml").write_text(text, encoding="utf-8")


def settings(root: Path, out: Path, dataset: str = "tables", **more: Any) -> dict[str, Any]:
    runs = [{"name": dataset, "root": str(root)}]
    return {"datasets": runs, "benchmarks": ["surgveo"], "out": str(out), **more}


@pytest.fixture(scope="module", params=list(TRACKS))
def built(request: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, BuildResult]:
    folder = tmp_path_factory.mktemp("surgveo")
    root = folder / "data"
    root.mkdir()
    write_operations(root, request.param)
    return request.param, build(load_run(None, settings(root, folder / "out")))


def test_one_sample_for_each_operation_and_stage_that_it_has(
    built: tuple[str, BuildResult],
) -> None:
    name, result = built
    rows = list(OutputFolder(result.out).rows())
    wanted = {LAPAROSCOPIC: 18, NEUROSURGICAL: 32}[name]
    assert Counter(row["task"] for row in rows) == {
        "future/continuation": wanted, "future/next_stage": wanted - 3,
        "present/stage_now": wanted, "retrospective/frame_order": wanted,
    }  # fmt: skip
    for row in rows:
        if row["form"] == "continuation":
            assert row["start_us"] == row["query_us"]
            assert row["query_us"] % (SECONDS * 1_000_000) == 6_000_000


def test_all_is_recomputed_scored_and_exported(
    built: tuple[str, BuildResult], tmp_path: Path
) -> None:
    name, result = built
    assert all(line["read"] == line["kept"] + line["rejected"] for line in result.books)
    assert surgqa(["check", str(result.out), "--json", str(tmp_path / "report.json")]) == 0
    report = orjson.loads((tmp_path / "report.json").read_bytes())
    assert sum(report["recomputed"].values()) == report["checked"] == result.items
    rows = list(OutputFolder(result.out).rows())
    right = {(r["item_id"], None): r["answer"] for r in rows if r["form"] != "continuation"}
    groups = score_dataset(rows, right, replicates=50).groups
    assert {group.score for group in groups} == {1.0}
    to = tmp_path / "export"
    assert surgqa(["export", str(result.out), "--as", "surgveo", "--to", str(to)]) == 0
    told = orjson.loads((to / "export.json").read_bytes())["tracks"][name]
    count = told["samples"]
    assert count == {LAPAROSCOPIC: 18, NEUROSURGICAL: 32}[name]
    kinds = {kind: told["extension"][kind] for kind in ("frame_order", "next_stage", "stage_now")}
    assert kinds == {"frame_order": count, "next_stage": count - 3, "stage_now": count}
    for line in (to / "extension.jsonl").read_bytes().splitlines():
        one = orjson.loads(line)
        assert len(one["pictures"]) == (3 if one["kind"] == "frame_order" else 1)
