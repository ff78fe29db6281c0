"""One row's score by its task, whatever books its benchmark keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surgqa.transforms.scoring.case import case_of
from surgqa.transforms.scoring.report import ItemScore
from surgqa.transforms.scoring.score import _item_score
from surgqa.transforms.scoring.tasks import task_of


def score_row(row: Mapping[str, Any], response: str | None) -> ItemScore | None:
    """The score of one row's response (None: missing); None where it has no scorer of one text."""
    task = task_of(row)
    return None if task is None else _item_score(row, task, case_of(row), response)
