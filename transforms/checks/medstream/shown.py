"""Rows that a model may be shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

SECRET = (
    "evidence", "answer", "reference_answer", "judge_rubric", "accepted_outputs", "answerable",
    "is_answerable", "answerable_time", "critical_time", "event_time", "tolerance",
    "tolerance_sec", "response_tolerance_sec", "early_horizon_sec", "late_horizon_sec",
)  # fmt: skip
"""Fields that tell an answer, or when there is one."""

SECRET_PREFIX = "expected"


def secrets_in(row: Any, where: str = "") -> Iterator[str]:
    """D17: fields of :data:`SECRET` anywhere in a row made for models."""
    if isinstance(row, dict):
        for key, value in row.items():
            if key in SECRET or key.startswith(SECRET_PREFIX):
                yield f"{where}{key}"
            yield from secrets_in(value, f"{where}{key}.")
    elif isinstance(row, list):
        for place, value in enumerate(row):
            yield from secrets_in(value, f"{where}{place}.")
