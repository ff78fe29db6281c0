"""A stream's truth, and what each of its rounds can know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from transforms.checks.queries.alerts import reason, sets_off, too_late, trigger_of
from transforms.checks.queries.base import Query, Value
from transforms.checks.queries.future import STREAMS, begins_alone, begun
from transforms.checks.queries.known import Held
from transforms.checks.queries.rounds import DELTA_US

Problem = tuple[str, str]
SILENT: Mapping[str, tuple[str, ...]] = {
    "future": ("unanswerable",),
    "proactive": ("no_alert", "uncertain"),
}


def stream_truth(query: Query, name: str) -> Value:
    """The answer value of a stream: what is waited for, and when it begins."""
    query.looked_at(query.query_us, query.end_us)
    if name == "alert":
        late = too_late(query)
        query.note("not_unique", str(late), late is not None)
    found = STREAMS[name](query, query.end_us)
    if found is not None:
        new = begun(query, query.end_us)
        begins_alone(query, found, (one for one in new if name != "alert" or sets_off(query, one)))
    said = alert_value(query, found) if name == "alert" else {}
    if found is not None and name != "alert":
        said = query.named(found.label)
    event_us = None if found is None else found.start_us
    return {**said, "event_us": event_us, "tolerance_us": DELTA_US}


def alert_value(query: Query, found: Held | None) -> Value:
    """The part of an alert's answer that tells what it is about."""
    said = None if found is None else reason(query, found)
    return {"alert": trigger_of(query).alert, "reason": said}


def known_in_rounds(query: Query, name: str) -> Iterator[Problem]:
    """Rounds that expect another output than what is known by then gives."""
    for one in query.row["rounds"]:
        found = STREAMS[name](query, one["current_us"])
        wrong = _wrong(query, one, found)
        if wrong:
            yield "round_differs", f"round {one['round_index']} at {one['current_us']}: {wrong}"


def _wrong(query: Query, one: Mapping[str, Any], found: Held | None) -> str | None:
    output, silent = one["expected_output"], SILENT[query.row["temporal_mode"]]
    if found is None:
        return None if output in silent else f"expects {output!r} before anything has begun"
    if output != spoken(query.row):
        return f"expects {output!r}, {found.label} has begun at {found.start_us}"
    there = {held.label for held in query.between(one["current_us"], one["current_us"])}
    return None if found.label in there else f"{found.label} no longer holds"


def spoken(row: Mapping[str, Any]) -> str:
    """What a stream's answer reads as in a round: an option's text without its letter."""
    for option in row["options"] or ():
        if option["is_answer"]:
            return option["text"]
    return row["answer"]
