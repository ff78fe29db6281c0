"""Rows of ``rejected/`` are read, and a line that is none is told with its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from surgqa.ontology.errors import OutputBroken
from surgqa.transforms.store.folder import OutputFolder

ROW = {"stage": "ask", "dataset": "d", "video_id": None, "key": "t w", "code": "no_filling",
       "reason": "", "where": "tool", "count": 1, "outcome": "rejected"}  # fmt: skip


def of(root: Path, *lines: str) -> OutputFolder:
    (root / "manifest.json").write_text("{}")
    (root / "rejected").mkdir()
    (root / "rejected" / "ask.jsonl").write_text("\n".join(lines))
    return OutputFolder(str(root))


def test_rows_are_read(tmp_path: Path):
    folder = of(tmp_path, json.dumps(ROW), json.dumps(ROW))
    assert list(folder.rejected("ask")) == [ROW, ROW] and list(folder.rejected("cut")) == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("{", "unexpected end"),
        ("3", "not subscriptable"),
        (json.dumps({**ROW, "count": "1"}), "count"),
        (json.dumps({k: v for k, v in ROW.items() if k != "where"}), "where"),
    ],
)
def test_a_line_that_is_none(tmp_path: Path, line: str, found: str):
    with pytest.raises(OutputBroken) as told:
        list(of(tmp_path, json.dumps(ROW), line).rejected("ask"))
    assert found in str(told.value.found) and str(told.value.where).endswith("ask.jsonl:2")
