"""Templates as ``surgqa new`` writes them, unedited, under the names of shipped benchmarks.

Under a name of one's own they are in ``test_examples_whole.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from surgqa.pipeline.cli.app import run as surgqa
from tests.pipeline.made_operation import write
from tests.pipeline.whole import assert_whole, built, new

SHIPPED = {"surgcot": "chain", "sapbench": "next", "surgveo": "state", "surgstu": "count"}
"""Shipped benchmark -> a starting point."""


@pytest.fixture(scope="module")
def roots(sample: Callable[..., Path], once: Callable[..., Path]) -> dict[str, Path]:
    """An operation and pictures."""
    return {"tables": once("made-operation", write), "hyper_kvasir": sample("hyper_kvasir")}


def test_under_the_names_of_shipped_benchmarks(roots: dict[str, Path], tmp_path: Path) -> None:
    """What comes after the build goes by the rows, not by whose name they have."""
    for benchmark, like in SHIPPED.items():
        new(tmp_path / "templates", f"{benchmark}.one_more", like)
    rows = built(tmp_path / "out", roots, tmp_path / "templates", *SHIPPED)
    assert {row["template_id"] for row in rows} == {f"{one}.one_more" for one in SHIPPED}
    assert_whole(tmp_path / "out", rows, tmp_path)
    for form in ("surgcot", "medstreambench"):
        to = str(tmp_path / form)
        assert surgqa(["export", str(tmp_path / "out"), "--as", form, "--to", to]) == 0
