"""docs/errors.md lists exactly what there is."""

from __future__ import annotations

import re
from pathlib import Path

from surgqa.ontology import errors

PAGE = (Path(__file__).parents[3] / "docs" / "errors.md").read_text(encoding="utf-8")


def _rows(title: str) -> dict[str, str]:
    """First and second cell of the table below a heading (and its sub-headings)."""
    level = re.search(rf"^(#+) {re.escape(title)}$", PAGE, re.M)
    rest = PAGE[level.end() :]
    end = re.search(rf"^#{{1,{len(level[1])}}} ", rest, re.M)
    cells = re.findall(r"^\| `?([^`|]+?)`? \| (.+?) \|", rest[: end.start() if end else None], re.M)
    return {a: b for a, b in cells if a not in ("status", "code") and not a.startswith("---")}


def test_exit_statuses_are_those_of_the_code():
    known = {str(getattr(errors, name)) for name in dir(errors) if name.startswith("EXIT_")}
    assert set(_rows("Exit statuses")) == known
