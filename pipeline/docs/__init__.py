"""Generate pages from the code: datasets (also in the README), errors, language, algebra, tasks.

``python -m surgqa.pipeline.docs`` writes them; a test fails if a page is out of date.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from surgqa.pipeline.docs.algebra import algebra_page
from surgqa.pipeline.docs.datasets import datasets_page, with_datasets
from surgqa.pipeline.docs.errors import errors_page, rejections_page
from surgqa.pipeline.docs.language import language_page
from surgqa.pipeline.docs.programs import tasks_page
from surgqa.transforms.language import load_programs

FOLDER = Path("docs")


def pages(folder: Path = FOLDER) -> dict[str, str]:
    """Return the text of every generated page, by its path relative to ``docs/``.

    Args:
        folder: ``docs/``; the README is in its parent folder.

    Raises:
        TemplateErrors: a template has findings.
    """
    readme = (folder.parent / "README.md").read_text(encoding="utf-8")
    return {**_made(), "../README.md": with_datasets(readme)}


@cache
def _made() -> Mapping[str, str]:
    """Return the pages that depend only on the code; some run builds, which takes seconds."""
    return MappingProxyType({
        "algebra.md": algebra_page(),
        "datasets.md": datasets_page(),
        "error_codes.md": errors_page(),
        "language.md": language_page(),
        "rejections.md": rejections_page(),
        "tasks.md": tasks_page(load_programs(with_examples=True)),
    })  # fmt: skip


def write_pages(folder: Path = FOLDER) -> list[Path]:
    """Write all pages; return the paths that changed."""
    changed = []
    for name, text in pages(folder).items():
        file = folder / name
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
            changed.append(file)
    return changed
