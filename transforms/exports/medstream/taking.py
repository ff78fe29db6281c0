"""Which rows are written, and what the released schema wants to know of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ontology.continuations import CONTINUATION
from ontology.rounds import DELTA_US
from ontology.units import NOW, RECORDING, STILL, STREAM, args_of, unit_of
from transforms.exports.taking import Taking
from transforms.inference.instants import SILENT

Row = Mapping[str, Any]

MODES = {"past": "retrospective", "present": "present", "future": "future", "clip": "present"}
"""What an answer rests on -> the temporal mode, of rows whose task does not begin with one."""


def _takes(row: Row) -> bool:
    return unit_of(row) in (NOW, STREAM, STILL, RECORDING) and row["form"] != CONTINUATION


TAKING = Taking(
    "questions that are put at a time, in rounds or of a whole recording, where the answer is no "
    "video",
    _takes,
    "medstream",
)


def temporal(row: Row) -> Row:
    """The row with its temporal mode and the time at which it is put."""
    if row["temporal_mode"] and row["query_us"] is not None:
        return row
    mode = row["temporal_mode"] or _mode(row)
    query_us = row["end_us"] if row["query_us"] is None else row["query_us"]
    task_mode = row["task_mode"] or ("streaming" if row["rounds"] else "single_turn")
    return {**row, "temporal_mode": mode, "query_us": query_us, "task_mode": task_mode}


def _mode(row: Row) -> str:
    silent = any(one["expected_output"] == SILENT for one in row["rounds"] or ())
    return "proactive" if silent else MODES.get(args_of(row).get("mode", ""), "present")


def event_of(row: Row, value: Mapping[str, Any]) -> tuple[int | None, int]:
    """When an answer becomes due in a stream, and the tolerance around that, in microseconds.

    The time is null where it never does, or where every round has an answer.
    """
    if "tolerance_us" in value:
        return value["event_us"], value["tolerance_us"]
    rounds = sorted(row["rounds"], key=lambda one: one["round_index"])
    ready = [one["current_us"] for one in rounds if one["answerable"]]
    return (ready[0] if ready and len(ready) < len(rounds) else None), DELTA_US
