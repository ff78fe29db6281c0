"""The list of codes, the page about them and the code that uses them say the same."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from surgqa.transforms.checks import medstream
from surgqa.transforms.checks.codes import CODES

ROOT = Path(__file__).parents[3]
ROOM = ROOT / "transforms/checks"


@pytest.mark.parametrize(
    ("page", "row", "codes"),
    [("checks", r"^\| `(\w+)` \| (\w+) \| (.+) \|$", CODES),
     ("medstream", r"^\| ([DS]\d\d) \| (\w+) \| (.+?) \|", medstream.CODES)],
)  # fmt: skip
def test_the_page_lists_every_code_with_its_sentence(page, row, codes):
    text = (ROOT / f"docs/{page}.md").read_text(encoding="utf-8")
    rows = re.findall(row, text, flags=re.MULTILINE)
    assert rows == [(code, severity.value, text) for code, (severity, text) in codes.items()]


def test_every_code_is_used():
    sources = [p.read_text(encoding="utf-8") for p in sorted(ROOM.rglob("*.py"))]
    text = "".join(s for s in sources if "every code a finding may carry" not in s.lower())
    assert [code for code in CODES if f'"{code}"' not in text] == []


SHARED = (
    "surgqa.transforms.algebra.sql", "surgqa.transforms.algebra.tree",
    "surgqa.transforms.algebra.types",
    "surgqa.transforms.language.program", "surgqa.transforms.language.load",
)  # fmt: skip
"""What checks of programs share with the generator: the parsed template and its tree."""


def test_the_room_shares_no_code_with_the_generator():
    programs = ROOM / "proof"
    rooms = (
        "surgqa.transforms.blind",
        "surgqa.transforms.checks",
        "surgqa.transforms.store",
        "surgqa.transforms.places",
    )
    others = _imported([p for p in ROOM.rglob("*.py") if programs not in p.parents])
    assert {name for name in others if not name.startswith(rooms)} == set()
    mine = _imported(programs.rglob("*.py"))
    assert {name for name in mine if not name.startswith((*rooms, *SHARED))} == set()


def _imported(paths: Iterable[Path]) -> set[str]:
    """Modules of this project that some files import."""
    imported = set()
    for path in sorted(paths):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module)
            elif isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
    # arithmetic of the rules is plain Python: the generator's is numpy
    assert "surgqa.ontology.records" not in imported
    return {name for name in imported if name.startswith(("transforms", "pipeline"))}
