"""``surgqa check`` finds nothing wrong with what surgqa itself has built, whatever it was, and its
own answers score 1."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from benchmarks.generate_labels import generate
from surgqa.transforms.store import OutputFolder
from tests.pipeline.own_builds import (
    BENCHMARKS,
    FAR,
    REAL,
    errors_of_build,
    errors_of_check,
    renamed_templates,
)
from tests.pipeline.whole import assert_perfect, scores_of_gold

FEW = ("avos", "cataract101", "psi_ava")
"""Few items of layouts that no other test builds from."""


def test_every_benchmark(all_benchmarks: Path, tmp_path: Path) -> None:
    """By day over samples of which nearly every template has items."""
    rows = list(OutputFolder(all_benchmarks).rows())
    assert {row["benchmark"] for row in rows} == set(BENCHMARKS)
    assert len({row["template_id"] for row in rows}) > 75
    assert errors_of_check(all_benchmarks, tmp_path) == {}
    report = orjson.loads((tmp_path / f"{all_benchmarks.name}.report.json").read_bytes())
    assert report["checked"] == sum(report["recomputed"].values()) == len(rows)
    assert_perfect(scores_of_gold(all_benchmarks, rows, tmp_path), rows)


@pytest.mark.nightly
def test_every_benchmark_over_every_sample(samples: dict[str, Path], tmp_path: Path) -> None:
    items, errors = errors_of_build(tmp_path / "out", samples, observers=FAR)
    assert errors == {}
    rows = list(OutputFolder(tmp_path / "out").rows())
    assert {row["benchmark"] for row in rows} == set(BENCHMARKS) and items > 1000
    assert_perfect(scores_of_gold(tmp_path / "out", rows, tmp_path), rows)


@pytest.mark.nightly
def test_the_paper_s_profile_over_every_sample(samples: dict[str, Path], tmp_path: Path) -> None:
    items, errors = errors_of_build(tmp_path / "out", samples, ["surgstu"], profile="paper")
    assert errors == {} and items > 300


@pytest.mark.nightly
def test_the_same_templates_under_a_name_of_one_s_own(
    samples: dict[str, Path], tmp_path: Path
) -> None:
    """What a question is follows from what its row holds, not from what it is called."""
    folder = renamed_templates(tmp_path / "templates")
    more = {"templates": folder, "observers": FAR}
    items, errors = errors_of_build(tmp_path / "out", samples, ["mine"], **more)
    assert errors == {} and items > 1000
    rows = list(OutputFolder(tmp_path / "out").rows())
    assert_perfect(scores_of_gold(tmp_path / "out", rows, tmp_path), rows)


@pytest.mark.nightly  # by day those of cholect50: test_real_build
def test_real_labels(real_dataset: Callable[[str], Path], tmp_path: Path) -> None:
    """A video of each that takes seconds to look through."""
    roots = {name: real_dataset(REAL[name]) for name in FEW}
    items, errors = errors_of_build(tmp_path / "out", roots, observers=FAR, limit=1)
    assert errors == {} and items > 100


@pytest.mark.nightly
@pytest.mark.parametrize("name", REAL)
def test_real_labels_at_full_size(
    name: str, real_dataset: Callable[[str], Path], tmp_path: Path
) -> None:
    roots = {name: real_dataset(REAL[name])}
    _, errors = errors_of_build(tmp_path / "out", roots, observers=FAR, workers=2)
    assert errors == {}


@pytest.mark.nightly
def test_made_up_labels_at_full_size(tmp_path: Path) -> None:
    """Fifty operations of 2,000 s; rare combinations of labels come up, too."""
    generate(tmp_path / "labels", videos=50, seconds=2000)
    roots = {"cholect50": tmp_path / "labels"}
    items, errors = errors_of_build(tmp_path / "out", roots, observers=FAR, workers=2)
    assert errors == {} and items > 10_000
