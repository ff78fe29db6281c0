"""Prose uses the field's words: none of the private ones that the project once had.

Each has a word that readers know: told (reported, known), deed (action), books (row counts), looked
at (annotated, sampled), habit (pattern), of one's own (user-supplied).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.each import cases

ROOT = Path(__file__).parents[2]
ROOMS = ("ontology", "pipeline", "transforms", "benchmarks", "deploy")
PRIVATE = re.compile(
    r"\b(told(?! apart)|deeds?|books|habits?|whoever|anew|at hand|by day|at night|of one's own"
    r"|looked at|how manieth)\b",
    re.IGNORECASE,
)
CODE = re.compile(
    r"```.*?```|``.*?``|`[^`\n]*`|^>.*?$|^\|.*?$|^ *[\w, ]+:(?= )", re.DOTALL | re.MULTILINE
)
"""Code, quotes, tables, and the names of arguments and attributes."""
PROSE = re.compile(
    r'^ *"""(.*?)"""|\S *"""(?:.*?)"""|(?:^ *|  )# ([^\n]*)', re.DOTALL | re.MULTILINE
)
"""Docstrings and comments; strings with a value are matched without a group."""


def prose_of(source: str) -> Iterator[tuple[int, str]]:
    """First line and text of every docstring and comment of a module."""
    for match in PROSE.finditer(source):
        yield source.count("\n", 0, match.start()) + 1, match[1] or match[2] or ""


def private(text: str) -> list[str]:
    """Private words of a text outside :data:`CODE`."""
    if not PRIVATE.search(text):
        return []
    return [match[0] for match in PRIVATE.finditer(CODE.sub(" ", text))]


@cases("room", ROOMS)
def test_docstrings_and_comments_have_no_private_words(room: str):
    found = [f"{path.relative_to(ROOT)}:{line}: {word}"
             for path in sorted((ROOT / room).rglob("*.py"))
             for line, text in prose_of(path.read_text(encoding="utf-8"))
             for word in private(text)]  # fmt: skip
    assert not found, "\n".join(found)


def test_pages_have_no_private_words():
    # Tasks quote templates, whose names are their authors'.
    pages = {*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")} - {ROOT / "docs" / "tasks.md"}
    found = [f"{path.name}: {word}" for path in sorted(pages)
             for word in private(path.read_text(encoding="utf-8"))]  # fmt: skip
    assert not found, "\n".join(found)


def test_private_words_are_found():
    assert private("What is told of it, looked at by whoever.") == ["told", "looked at", "whoever"]
    assert private("```\ntold\n```\n`Told` and | told\n    told: what is told") == ["told", "told"]
    assert [*prose_of('"""Told."""\nx = "told"  # anew\n')] == [(1, "Told."), (2, "anew")]
