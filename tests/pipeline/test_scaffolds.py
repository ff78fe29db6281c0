"""Templates as ``surgqa new`` writes them, unedited: linted and built."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.cli.app import run as surgqa
from pipeline.config import load_run
from pipeline.run import build
from transforms.store import OutputFolder

ASKED = {"count": "clip", "box": "clip", "state": "now", "past": "now"}
"""Starting point that the sample of CholecT50 gives items for -> its unit."""


@pytest.mark.parametrize("like", ASKED)
def test_a_new_template_is_built_as_it_is(sample_root: Path, tmp_path: Path, like: str) -> None:
    folder, out = tmp_path / "templates", tmp_path / "out"
    line = ["new", "template", "mine.one", "--like", like, "--templates", str(folder)]
    assert surgqa(line) == 0
    assert surgqa(["lint", str(folder)]) == 0
    settings = {"datasets": [{"name": "cholect50", "root": str(sample_root)}],
                "benchmarks": ["mine"], "templates": str(folder), "out": out}  # fmt: skip
    build(load_run(None, settings))
    rows = list(OutputFolder(out).rows())
    assert rows and {row["template_id"] for row in rows} == {"mine.one"}
    assert {row["unit"] for row in rows} == {ASKED[like]}
    assert (out / "templates" / "mine" / "one.yaml").is_file()
