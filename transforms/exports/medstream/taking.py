"""Selects the rows that MedStreamBench's format can represent, and computes some of its values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surgqa.ontology.continuations import CONTINUATION
from surgqa.ontology.rounds import DELTA_US
from surgqa.ontology.times import print_seconds
from surgqa.ontology.units import NOW, RECORDING, STILL, STREAM, args_of, asked_us
from surgqa.transforms.exports.taking import Taking
from surgqa.transforms.inference.frames import SILENT

Row = Mapping[str, Any]

MODES = {"past": "retrospective", "present": "present", "future": "future", "clip": "present"}
"""``mode`` in the column ``rule_args`` -> temporal mode, for rows without a temporal mode."""


ASKED_AGAIN = ("future", "proactive")
"""Temporal modes of questions that are asked in rounds."""


def _takes(row: Row) -> bool:
    return row["unit"] in (NOW, STREAM, STILL, RECORDING) and row["form"] != CONTINUATION


TAKING = Taking(
    "questions that are asked at a time, in rounds or about a whole video, and whose answer is no "
    "video",
    _takes,
    "medstream",
)


def temporal(row: Row) -> Row:
    """Return the row with its temporal mode and its query time."""
    mode = row["temporal_mode"] or _mode(row)
    if row["rounds"] and mode not in ASKED_AGAIN:
        mode = ASKED_AGAIN[0]
    at_us, end_us = asked_us(row), row["end_us"]
    query_us = end_us if at_us is None else at_us
    if end_us == query_us + 1:
        end_us = query_us
    task_mode = row["task_mode"] or ("streaming" if row["rounds"] else "single_turn")
    return {
        **row, "temporal_mode": mode, "query_us": query_us, "end_us": end_us,
        "task_mode": task_mode,
    }  # fmt: skip


def _mode(row: Row) -> str:
    silent = any(one["expected_output"] == SILENT for one in row["rounds"] or ())
    return "proactive" if silent else MODES.get(args_of(row).get("mode", ""), "present")


def event_of(row: Row) -> tuple[int | None, int]:
    """Return the time from which on a stream has an answer, and its tolerance, in microseconds.

    The time is that of the first answerable round; None if no round is answerable.
    """
    rounds = sorted(row["rounds"], key=lambda one: one["round_index"])
    ready = [one["current_us"] for one in rounds if one["answerable"]]
    return next(iter(ready), None), DELTA_US


def grounds(row: Row, slots: Mapping[str, Any]) -> str:
    """Return the evidence for an answer as text: the row's clue, or the facts in its slots."""
    # Facts without a time, such as medical knowledge, begin before the video.
    facts = (one for one in slots.values()
             if isinstance(one, dict) and one.get("start_us", -1) >= 0)  # fmt: skip
    parts = [
        f"{_of(one)}, {print_seconds(one['start_us'])}-{print_seconds(one['end_us'])} s"
        for one in facts
    ]
    whole = f"labels of {print_seconds(row['start_us'])}-{print_seconds(row['end_us'])} s"
    return row["clue"] or "; ".join(dict.fromkeys(parts) or [whole]) + "."


def _of(fact: Mapping[str, Any]) -> str:
    """Return a fact as text: its subject, verb, target and label, as far as it has them."""
    named = (fact.get(name) for name in ("subject", "verb", "target", "label"))
    return " ".join(dict.fromkeys(str(one).replace("_", " ") for one in named if one))
