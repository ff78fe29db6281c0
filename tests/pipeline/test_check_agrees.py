"""``surgqa check`` finds nothing wrong with what surgqa itself has built, whatever it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.generate_labels import generate
from tests.pipeline.own_builds import (
    REAL,
    Template,
    copied_templates,
    errors_of_build,
    reach_far,
    write_samples,
)
from transforms.store import OutputFolder


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The sample of every reader."""
    return write_samples(tmp_path_factory.mktemp("samples"))


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped ones, with action clips that reach far."""
    return copied_templates(tmp_path_factory.mktemp("templates") / "far", reach_far)


def test_every_benchmark_over_every_sample(
    samples: dict[str, Path], templates: Path, tmp_path: Path
) -> None:
    items, errors = errors_of_build(tmp_path / "out", samples, templates=templates)
    assert errors == {}
    found = {row["benchmark"] for row in OutputFolder(tmp_path / "out").rows()}
    assert found == {"surgstu", "medstream", "surgcot", "sapbench", "surgveo"} and items > 1000


def test_the_paper_s_profile_over_every_sample(samples: dict[str, Path], tmp_path: Path) -> None:
    items, errors = errors_of_build(tmp_path / "out", samples, ["surgstu"], profile="paper")
    assert errors == {} and items > 300


def rename(template: Template) -> None:
    """Other names for a template, its benchmark and its task, as a user might choose them."""
    template["id"] = "mine." + template["id"].replace(".", "_")
    reach_far(template)
    template["benchmark"] = "mine"
    if template["schema"] == "query/v1":
        mode = template["task"].partition("/")[0]
        template["task"] = f"{mode}/{template['id'].partition('.')[2]}"


def test_the_same_templates_under_names_of_one_s_own(
    samples: dict[str, Path], tmp_path: Path
) -> None:
    """What a question is follows from what its row holds, not from what it is called."""
    folder = copied_templates(tmp_path / "templates", rename)
    items, errors = errors_of_build(tmp_path / "out", samples, ["mine"], templates=folder)
    assert errors == {} and items > 1000


def test_real_labels(real_dataset: Callable[[str], Path], templates: Path, tmp_path: Path) -> None:
    """Two videos of each; looking through the 11,035 files of one dataset takes long."""
    names = sorted(REAL.keys() - {"hyper_kvasir"})
    roots = {name: real_dataset(REAL[name]) for name in names}
    items, errors = errors_of_build(tmp_path / "out", roots, templates=templates, limit=2)
    assert errors == {} and items > 500


@pytest.mark.nightly
@pytest.mark.parametrize("name", REAL)
def test_real_labels_at_full_size(
    name: str, real_dataset: Callable[[str], Path], templates: Path, tmp_path: Path
) -> None:
    roots = {name: real_dataset(REAL[name])}
    _, errors = errors_of_build(tmp_path / "out", roots, templates=templates, workers=2)
    assert errors == {}


@pytest.mark.nightly
def test_made_up_labels_at_full_size(templates: Path, tmp_path: Path) -> None:
    """Fifty operations of 2,000 s; rare combinations of labels come up, too."""
    generate(tmp_path / "labels", videos=50, seconds=2000)
    roots = {"cholect50": tmp_path / "labels"}
    items, errors = errors_of_build(tmp_path / "out", roots, templates=templates, workers=2)
    assert errors == {} and items > 10_000
