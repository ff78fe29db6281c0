"""Templates of question/v1 as a folder of templates."""

from __future__ import annotations

import shutil
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "templates" / "_question"


def templates_of(benchmark: str, folder: Path) -> Path:
    """A folder of templates with those of one benchmark."""
    shutil.copytree(FOLDER / benchmark, folder / benchmark)
    return folder
