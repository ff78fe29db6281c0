"""What one question is about and how it is put: the unit of a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

CLIP, STILL, RECORDING, NOW, STREAM, CHAIN = UNITS = (
    "clip", "still", "recording", "now", "stream", "chain",
)  # fmt: skip
"""A clip; a picture or a recording as a whole; a time of it; times after another; an event in
stages."""

COLUMNS = ("unit", "chain_id", "stage", "rounds", "query_us")
"""How a question is put."""

Row = Mapping[str, Any]


def asked_us(row: Row) -> int | None:
    """The time of the recording at which a question is put, in microseconds; None for others.

    A window before such a time is half open: it ends one microsecond after it.
    """
    if row.get("query_us") is not None:
        return int(row["query_us"])
    if row["unit"] == STREAM:
        return int(row["start_us"])
    return int(row["end_us"]) - 1 if row["unit"] == NOW else None


def args_of(row: Row) -> Mapping[str, Any]:
    """What the row says of how it is answered."""
    return orjson.loads(row["rule_args"] or "{}")


def answer_types(row: Row) -> list[tuple[str, str]]:
    """(type, what it is of) of each field of the answer."""
    fields = args_of(row).get("answer") or {}
    return [(str(one["type"]), str(one.get("of") or "")) for one in fields.values()]


def stage_name(stage: int) -> str:
    """What a stage of a chain is called: ``main``, ``Q1``, ``Q2`` …"""
    return f"Q{stage}" if stage else "main"
