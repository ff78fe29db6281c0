"""Checks that rows for models do not contain answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

SECRET = (
    "evidence", "answer", "reference_answer", "judge_rubric", "accepted_outputs", "answerable",
    "is_answerable", "answerable_time", "critical_time", "event_time", "tolerance",
    "tolerance_sec", "response_tolerance_sec", "early_horizon_sec", "late_horizon_sec",
)  # fmt: skip
"""Fields that reveal an answer, or the time from which on there is an answer."""

SECRET_PREFIX = "expected"


def secrets_in(row: Any, where: str = "") -> Iterator[str]:
    """D17: yield the path of each field of :data:`SECRET` in a row for models."""
    if isinstance(row, dict):
        for key, value in row.items():
            if key in SECRET or key.startswith(SECRET_PREFIX):
                yield f"{where}{key}"
            yield from secrets_in(value, f"{where}{key}.")
    elif isinstance(row, list):
        for place, value in enumerate(row):
            yield from secrets_in(value, f"{where}{place}.")
