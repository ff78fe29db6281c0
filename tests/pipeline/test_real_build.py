"""A build on real labels (CholecT50's challenge validation videos, three of five)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from surgqa.transforms.checks import check_output
from surgqa.transforms.scoring import score_dataset
from surgqa.transforms.store import OutputFolder

from .conftest import BuiltOnce


@pytest.fixture(scope="module")
def real(real_dataset: Callable[[str], Path], built_once: BuiltOnce) -> Path:
    """The three videos, built in profile ``paper``."""
    datasets = [{"name": "cholect50", "root": real_dataset("cholect50-challenge-val")}]
    return built_once("real", {"datasets": datasets, "profile": "paper"}).out


def test_exactly_five_clips_all_in_one_video(real: Path) -> None:
    clips = [s for s in OutputFolder(real).evidence("segments").to_pylist() if s["kind"] == "clip"]
    assert Counter(clip["video_id"] for clip in clips) == {"VID74": 5}
    seconds = [(clip["end_us"] - clip["start_us"]) // 1_000_000 for clip in clips]
    assert seconds == [30, 21, 30, 26, 28]


def test_at_least_twelve_items_a_clip_without_media(real: Path) -> None:
    rows = list(OutputFolder(real).rows())
    per_clip = Counter(row["window_id"] for row in rows)
    assert len(per_clip) == 5
    assert min(per_clip.values()) >= 12
    assert {row["media"]["kind"] for row in rows} == {"absent"}


def test_check_finds_no_difference_and_gold_scores_one(real: Path) -> None:
    report = check_output(real)
    assert report.differences == 0
    rows = list(OutputFolder(real).rows())
    assert sum(report.recomputed.values()) == len(rows)
    gold = {(row["item_id"], None): row["answer"] for row in rows}
    assert {item.score for item in score_dataset(rows, gold).items} == {1.0}


def test_every_label_row_and_second_is_accounted_for(real: Path) -> None:
    books = {line["stage"]: line for line in OutputFolder(real).manifest["books"]}
    assert books["read"]["read"] == 296 + 178 + 522
    assert books["cut"]["read"] == (243 + 160 + 441) * 1_000_000
    assert books["cut"]["kept"] == 135_000_000
    for line in books.values():
        assert line["read"] == line["kept"] + line["rejected"] + line["failed"]
