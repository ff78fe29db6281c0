"""The correct answers of a row, as predictions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def oracle(row: Mapping[str, Any]) -> dict[tuple[str, int | None], str]:
    """Return the correct answer of a row of ``data/``, or the expected output of each round."""
    if row["rounds"]:
        return {(row["item_id"], one["round_index"]): one["expected_output"]
                for one in row["rounds"]}  # fmt: skip
    return {(row["item_id"], None): row["answer"]}
