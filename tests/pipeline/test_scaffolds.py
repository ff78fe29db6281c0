"""Templates as ``surgqa new`` writes them, unedited, under a name of one's own or a shipped one.

What else is done with them is in ``test_examples_whole.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from surgqa.pipeline.cli.app import run as surgqa
from surgqa.pipeline.cli.scaffolds import STARTS
from tests.pipeline.made_operation import write
from tests.pipeline.whole import Row, assert_whole, built, new

UNITS = {
    "count": "clip", "box": "clip", "picture": "still", "state": "now", "past": "now",
    "next": "now", "alert": "stream", "chain": "chain", "recording": "recording",
}  # fmt: skip
"""Starting point -> its unit."""

SHIPPED = {"surgcot": "chain", "sapbench": "next", "surgveo": "state", "surgstu": "count"}
"""Shipped benchmark -> a starting point."""


@pytest.fixture(scope="module")
def roots(sample: Callable[..., Path], once: Callable[..., Path]) -> dict[str, Path]:
    """An operation and pictures."""
    return {"tables": once("made-operation", write), "hyper_kvasir": sample("hyper_kvasir")}


def way(roots: dict[str, Path], folder: Path, starts: dict[str, str]) -> list[Row]:
    """Make, lint, build, check, score and ask templates: name -> start."""
    for name, like in starts.items():
        new(folder / "templates", name, like)
    assert surgqa(["lint", str(folder / "templates")]) == 0
    benchmarks = sorted({name.partition(".")[0] for name in starts})
    rows = built(folder / "out", roots, folder / "templates", *benchmarks)
    assert {row["template_id"] for row in rows} == set(starts)
    assert_whole(folder / "out", rows, folder)
    return rows


def test_every_start_is_known_by_its_unit() -> None:
    assert set(UNITS) == set(STARTS)


def test_under_a_name_of_one_s_own(roots: dict[str, Path], tmp_path: Path) -> None:
    rows = way(roots, tmp_path, {f"own.{like}": like for like in STARTS})
    found = {row["template_id"].partition(".")[2]: row["unit"] for row in rows}
    assert found == UNITS
    kept = sorted(file.stem for file in (tmp_path / "out" / "templates" / "own").iterdir())
    assert kept == sorted(STARTS)


def test_under_the_names_of_shipped_benchmarks(roots: dict[str, Path], tmp_path: Path) -> None:
    """What comes after the build goes by the rows, not by whose name they have."""
    way(roots, tmp_path, {f"{benchmark}.one_more": like for benchmark, like in SHIPPED.items()})
    for form in ("surgcot", "medstreambench"):
        to = str(tmp_path / form)
        assert surgqa(["export", str(tmp_path / "out"), "--as", form, "--to", to]) == 0
