"""A row of ``data/`` in the released schema.

The keys are in this order; a row has only the keys of its kind:

    sample_id, dataset, video_id, media_path, task, task_mode, question_type, temporal_mode,
    query_time, context_window_sec, input_range, question, evidence, label_source,
    choices, answer                              (closed)
    reference_answer, judge_rubric               (open)
    expected_response_time, tolerance_sec, early_horizon_sec, late_horizon_sec, rounds
                                                 (streaming)
    response_protocol, time_unit, question_source

``time_unit`` and ``question_source`` are additions of surgqa. So are the names of the streaming
fields, because the release's names are not known. A round has round_index, current_time,
input_range, expected_output, accepted_outputs and answerable.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from surgqa.ontology.rounds import horizons
from surgqa.ontology.units import answer_types
from surgqa.transforms.exports.medstream.clock import TickClock
from surgqa.transforms.exports.medstream.media import ExportedVideo
from surgqa.transforms.exports.medstream.names import sample_id, task_name
from surgqa.transforms.exports.medstream.order import ordered
from surgqa.transforms.exports.medstream.protocol import with_note
from surgqa.transforms.exports.medstream.taking import event_of, grounds
from surgqa.transforms.inference.windows import protocol_of

COLUMNS = [
    "item_id", "task", "dataset", "video_id", "start_us", "end_us", "media", "question", "answer",
    "options", "answer_value", "slots", "clue", "rubric", "temporal_mode", "task_mode",
    "query_us", "rounds", "label_source",
]  # fmt: skip
"""All columns that are read from a row of ``data/``."""

SOURCES = {"model": "model_assisted"}
"""Label source -> the release's token for it, where that differs."""

SHOWN = (
    "sample_id", "dataset", "video_id", "media_path", "task", "task_mode", "question_type",
    "temporal_mode", "query_time", "context_window_sec", "input_range", "question", "choices",
    "rounds", "response_protocol", "time_unit",
)  # fmt: skip
SHOWN_ROUND = ("round_index", "current_time", "input_range")
"""The keys of a row and of its rounds that a model may see."""


def exported(row: Mapping[str, Any], recording: ExportedVideo, clock: TickClock) -> dict[str, Any]:
    """Return the row with its answer."""
    form = "closed" if row["options"] else "open"
    # A stream shows nothing after its last round.
    seen_us = max((one["end_us"] for one in row["rounds"] or ()), default=row["end_us"])
    query, start, end = (clock.ticks(us) for us in (row["query_us"], row["start_us"], seen_us))
    out = {
        "sample_id": sample_id(row, recording.shown_id, recording.alias, query),
        "dataset": row["dataset"],
        "video_id": recording.shown_id,
        "media_path": recording.shown_path,
        "task": task_name(row["task"]),
        "task_mode": row["task_mode"],
        "question_type": form,
        "temporal_mode": row["temporal_mode"],
        "query_time": clock.printed(query),
        "context_window_sec": clock.printed(end - start),
        "input_range": [clock.printed(start), clock.printed(end)],
        "question": with_note(row["question"], row["temporal_mode"], form),
        "evidence": grounds(row, _parsed(row["slots"])),
        "label_source": SOURCES.get(row["label_source"], row["label_source"]),
    }
    out |= _closed(row) if row["options"] else _open(row)
    if row["rounds"]:
        out |= _stream(row["rounds"], *event_of(row), clock)
    return out | {
        "response_protocol": protocol_of(row["temporal_mode"]),
        "time_unit": clock.unit,
        "question_source": "template",
    }


def _parsed(text: str | None) -> dict[str, Any]:
    return orjson.loads(text) if text else {}


def _closed(row: Mapping[str, Any]) -> dict[str, Any]:
    right = next((o["text"] for o in row["options"] if o["is_answer"]), row["answer"])
    texts = [option["text"] for option in row["options"]]
    of = next((of for _, of in answer_types(row) if of), "")
    return {"choices": ordered(texts, of), "answer": right}


def _open(row: Mapping[str, Any]) -> dict[str, Any]:
    rubric = _parsed(row["rubric"])
    keys = ("correctness", "evidence_grounding", "safety")
    return {
        "reference_answer": row["answer"],
        "judge_rubric": {key: _anchors(rubric[key]) for key in keys if key in rubric},
    }


def _anchors(scores: Mapping[str, str]) -> str:
    """Return the anchors as ``2: …; 1: …; 0: …``, the highest score first."""
    return "; ".join(f"{score}: {scores[score]}" for score in sorted(scores, reverse=True))


def _stream(
    rounds: list[dict[str, Any]], event_us: int | None, tolerance_us: int, clock: TickClock
) -> dict[str, Any]:
    ordered_rounds = sorted(rounds, key=lambda one: one["round_index"])
    moments = [clock.ticks(one["current_us"]) for one in ordered_rounds]
    tolerance = clock.ticks(tolerance_us)
    event = early = late = None
    if event_us is not None:
        event = clock.ticks(event_us)
        early, late = horizons(moments, event, tolerance)
    return {
        "expected_response_time": clock.printed(event),
        "tolerance_sec": clock.printed(tolerance),
        "early_horizon_sec": clock.printed(early),
        "late_horizon_sec": clock.printed(late),
        "rounds": [_round(one, clock) for one in ordered_rounds],
    }


def _round(one: Mapping[str, Any], clock: TickClock) -> dict[str, Any]:
    return {
        "round_index": one["round_index"],
        "current_time": clock.printed(clock.ticks(one["current_us"])),
        "input_range": [clock.printed(clock.ticks(one[k])) for k in ("start_us", "end_us")],
        "expected_output": one["expected_output"],
        "accepted_outputs": one["accepted_outputs"],
        "answerable": one["answerable"],
    }


def shown(row: Mapping[str, Any], recording: ExportedVideo) -> dict[str, Any]:
    """Return the part of an exported row that a model may see, with its video's alias.

    Rounds keep their times, so that each round can be asked with the video up to its time. The
    client needs the list of rounds; the model must not see the list.
    """
    kept = {key: row[key] for key in SHOWN if key in row}
    kept |= {"video_id": recording.alias, "media_path": recording.alias_path}
    if "rounds" in kept:
        kept["rounds"] = [{key: one[key] for key in SHOWN_ROUND} for one in kept["rounds"]]
    return kept
