"""SAP-Bench with the published counts, from derived clips and real labels.

It is checked and scored with all benchmarks, in ``test_check_agrees.py``.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from surgqa.pipeline.config import load_run
from surgqa.pipeline.run import BuildResult, build
from surgqa.transforms.store import OutputFolder
from tests.pipeline.conftest import BuiltOnce
from tests.transforms.exports.sapbench.published import rows as published

SOURCES = {"cholect50": (50, 729, 679), "heichole": (24, 497, 473)}
"""Videos, clips and samples of each part of the benchmark."""

MAPPING = """\
procedure: laparoscopic cholecystectomy
specialty: general surgery
licence: CC BY-NC-SA 4.0
videos: {file: videos.csv, columns: {video: video, duration: duration}}
tables:
  clips:
    holds: segments
    file: clips.csv
    columns: {video: video, start: start, end: end, next_action: action}
labels: {next_action: same}
"""

Rows = list[dict[str, Any]]


def write_table(root: Path, name: str, lines: list[list[object]]) -> None:
    with (root / name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(lines)


@pytest.fixture(scope="module")
def tables(once: Callable[..., Path]) -> Path:
    """Both parts of the benchmark's clips, with the published counts, as tables."""
    return once("published-clips", write_tables)


def write_tables(root: Path) -> None:
    clips = [(f"{source}-{row[0]}", *row[1:]) for source in SOURCES for row in published(source)]
    ends = {video: max(end for one, _, end, _ in clips if one == video) for video, *_ in clips}
    lines = [[video, start, end + 1, action] for video, start, end, action in clips]
    write_table(root, "clips.csv", [["video", "start", "end", "action"], *lines])
    lengths = [[video, end + 61] for video, end in sorted(ends.items())]
    write_table(root, "videos.csv", [["video", "duration"], *lengths])
    (root / "surgqa.yaml").write_text(MAPPING, encoding="utf-8")


def settings(dataset: str, root: Path, out: Path, **more: Any) -> dict[str, Any]:
    runs = [{"name": dataset, "root": str(root)}]
    return {"datasets": runs, "benchmarks": ["sapbench"], "out": str(out), **more}


@pytest.fixture(scope="module")
def whole(tables: Path, built_once: BuiltOnce) -> BuildResult:
    return built_once("sapbench", settings("tables", tables, Path()))


@pytest.fixture(scope="module")
def rows(whole: BuildResult) -> Rows:
    return list(OutputFolder(whole.out).rows())


TOO_SHORT = 64
"""Clips behind one of a second, of which the labels leave open whether it began by the picture."""


def test_the_published_counts_give_the_published_samples(whole: BuildResult, rows: Rows) -> None:
    asked = Counter(
        row["video_id"].split("-")[0] for row in rows if row["task"] == "future/next_action"
    )
    assert asked == {source: samples for source, (_, _, samples) in SOURCES.items()}
    clips = sum(count for _, count, _ in SOURCES.values())
    videos = sum(count for count, _, _ in SOURCES.values())
    assert Counter(row["task"] for row in rows) == {
        "future/next_action": 1152, "future/next_action_history": 1152 - TOO_SHORT,
        # A plan of two needs two clips after each video's first, one of three another; and a plan
        # of the same video that is not the same.
        "future/plan": (clips - 2 * videos) + (clips - 3 * videos) - _unpaired(whole),
    }  # fmt: skip
    assert 0 < _unpaired(whole) < 200


def _unpaired(whole: BuildResult) -> int:
    rejected = OutputFolder(whole.out).rejected("ask")
    return sum(one["count"] for one in rejected if one["code"] == "unpaired")


def test_a_question_is_put_at_the_second_before_its_clip_and_sees_nothing_else(
    rows: Rows,
) -> None:
    for row in rows:
        clip = orjson.loads(row["slots"])["clip"]
        assert row["start_us"] == row["query_us"] == clip["start_us"] - 1_000_000
        assert row["end_us"] == row["query_us"] + 1


@pytest.fixture(scope="module")
def derived(sample: Callable[..., Path]) -> Path:
    return sample("cholect50")


def test_derived_clips_are_evidence_with_an_origin(derived: Path, tmp_path: Path) -> None:
    more = {"cache": str(tmp_path / "cache"), "only": ["sapbench.next_action"]}
    first = build(load_run(None, settings("cholect50", derived, tmp_path / "one", **more)))
    assert first.items
    out = OutputFolder(first.out)
    clips = [one for one in out.evidence("segments").to_pylist() if one["kind"] == "next_action"]
    facts = [one for one in out.evidence("facts").to_pylist() if one["kind"] == "action_clip"]
    assert len(clips) == len(facts) > 0 and {one["origin"] for one in facts} == {"action_clips"}
    told = [line for line in first.books if line["unit"] == "seconds of action clips"]
    assert told and all(line["read"] == line["kept"] + line["rejected"] for line in told)
    # Another rule makes other facts, whatever an earlier run kept.
    wide = {"observers": {"action_clip": {"shortest": 1}}, **more}
    other = build(load_run(None, settings("cholect50", derived, tmp_path / "two", **wide)))
    assert other.digest != first.digest
    again = build(load_run(None, settings("cholect50", derived, tmp_path / "three", **more)))
    assert again.digest == first.digest


def test_real_labels_give_samples_where_they_are_dense_enough(
    real_dataset: Any, tmp_path: Path
) -> None:
    """The public videos are labelled at few seconds: further apart than one, nobody looked."""
    root = real_dataset("cholect50-challenge-val")
    assert not build(load_run(None, settings("cholect50", root, tmp_path / "exact"))).items
    more = {"observers": {"action_clip": {"reach": 200}}}
    result = build(load_run(None, settings("cholect50", root, tmp_path / "wide", **more)))
    found = Counter((row["task"], row["video_id"]) for row in OutputFolder(result.out).rows())
    for task in ("future/next_action", "future/next_action_history"):
        assert [found[task, f"VID{n}"] for n in (68, 73, 74)] == [15, 10, 25]
    assert [found["future/plan", f"VID{n}"] for n in (68, 73, 74)] == [26, 16, 47]
