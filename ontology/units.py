"""The unit of a row: what one question is about, and how it is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

CLIP, STILL, RECORDING, NOW, STREAM, CHAIN = UNITS = (
    "clip", "still", "recording", "now", "stream", "chain",
)  # fmt: skip
"""What a question is about: a clip; a whole frame; a whole video; a time; a stream; a chain."""

COLUMNS = ("unit", "chain_id", "stage", "rounds", "query_us")
"""Columns that determine how a question is asked."""

Row = Mapping[str, Any]


def asked_us(row: Row) -> int | None:
    """Return the query time in microseconds of the video; None if the unit has none.

    The window before a query time is half-open, so it ends one microsecond after that time.
    """
    if row.get("query_us") is not None:
        return int(row["query_us"])
    if row["unit"] == STREAM:
        return int(row["start_us"])
    return int(row["end_us"]) - 1 if row["unit"] == NOW else None


def args_of(row: Row) -> Mapping[str, Any]:
    """Return the content of ``rule_args``: how the answer of a row is computed."""
    return orjson.loads(row["rule_args"] or "{}")


def answer_types(row: Row) -> list[tuple[str, str]]:
    """Return (type, domain of its values or '') of each field of the answer."""
    fields = args_of(row).get("answer") or {}
    return [(str(one["type"]), str(one.get("of") or "")) for one in fields.values()]


def stage_name(stage: int) -> str:
    """Return the name of a stage of a chain: ``main``, ``Q1``, ``Q2`` …"""
    return f"Q{stage}" if stage else "main"
