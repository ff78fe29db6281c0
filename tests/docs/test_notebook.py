"""The page for Python is run as it stands."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "notebook.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)


def test_the_page_runs(tmp_path, monkeypatch, capsys):
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert len(blocks) >= 6
    monkeypatch.chdir(tmp_path)
    known: dict[str, object] = {}
    for number, block in enumerate(blocks):
        exec(compile(block, f"{PAGE.name} block {number}", "exec"), known)
    printed = capsys.readouterr().out
    assert "['surgstu']" in printed and "labels/VID" in printed
    data = known["data"]
    assert len(data) == data.items().num_rows == data.items("surgstu").num_rows > 0
    score = known["blind"].headlines()["surgstu"]
    assert 0 < score < 0.5
