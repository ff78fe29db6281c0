"""Generated pages are fresh, and links between pages lead somewhere."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from surgqa.pipeline.docs import pages, write_pages
from surgqa.pipeline.docs.datasets import END, START
from tests.each import cases

DOCS = Path(__file__).parents[2] / "docs"
MADE = ["algebra.md", "datasets.md", "error_codes.md", "language.md", "rejections.md", "tasks.md"]
WRITTEN = [*sorted(DOCS.glob("*.md")), DOCS.parent / "README.md", DOCS.parent / "CONTRIBUTING.md"]


@cache
def fresh() -> dict[str, str]:
    """The pages as they should be."""
    return pages(DOCS)


@cases("name", [*MADE, "../README.md"])
def test_pages_are_fresh(name: str) -> None:
    written = (DOCS / name).read_text(encoding="utf-8")
    assert written == fresh()[name], "run 'python -m surgqa.pipeline.docs'"


def test_only_stale_pages_are_written(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (tmp_path / "README.md").write_text(f"a\n{START}\nold\n{END}\nz\n", encoding="utf-8")
    assert [path.name for path in write_pages(docs)] == [*MADE, "README.md"]
    assert (tmp_path / "README.md").read_text(encoding="utf-8").startswith(f"a\n{START}\n| dataset")
    assert write_pages(docs) == []


@cases("page", WRITTEN, ids=lambda page: page.name)
def test_every_link_leads_to_a_page_and_a_heading_of_it(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        name, _, place = target.partition("#")
        file = (page.parent / name) if name else page
        assert file.exists(), f"{page.name} -> {target}"
        if place and file.suffix == ".md":
            assert place in headings(file), f"{page.name} -> {target}"


@cache
def headings(file: Path) -> frozenset[str]:
    """What links to headings of a page name them by."""
    text = re.sub(r"^```.*?^```$", "", file.read_text(encoding="utf-8"), flags=re.M | re.S)
    found = re.findall(r"^#+ (.+)$", text, re.M)
    return frozenset(re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in found)


def test_every_page_is_in_the_index() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    assert {path.name for path in DOCS.glob("*.md")} - {"README.md"} == set(
        re.findall(r"^\| \[(\w+\.md)\]", index, re.M)
    )
