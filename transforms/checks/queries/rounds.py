"""The rounds of a stream: their order, number and flags, by the event that is waited for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from transforms.checks.queries.base import SECOND_US

Problem = tuple[str, str]
DELTA_US = 2 * SECOND_US
"""How far from the event an answer is still on time: two seconds, or two pictures."""

AROUND = {4: (2, 2), 5: (3, 2)}
"""Number of rounds -> how many come before the event and from it on."""

SILENT = 4


def round_problems(row: Mapping[str, Any], value: Mapping[str, Any]) -> Iterator[Problem]:
    """Everything about the rounds that needs no evidence (code ``rounds_malformed``)."""
    for detail in _details(row, value):
        yield "rounds_malformed", detail


def _details(row: Mapping[str, Any], value: Mapping[str, Any]) -> Iterator[str]:
    rounds, query, event = row["rounds"], row["query_us"], value.get("event_us")
    if value.get("tolerance_us") != DELTA_US:
        yield f"tolerance {value.get('tolerance_us')!r}, not {DELTA_US}"
    if event is not None and not (isinstance(event, int) and event > query):
        yield f"event at {event!r}, question at {query}"
        return
    times = [one["current_us"] for one in rounds]
    if [one["round_index"] for one in rounds] != list(range(len(rounds))):
        yield "rounds are not numbered from 0"
    if any(a >= b for a, b in zip([query, *times], times, strict=False)):
        yield f"times {times} do not rise from the question at {query}"
    for one in rounds:
        yield from _of_one(one, query, event)
    yield from _placed(times, event)


def _of_one(one: Mapping[str, Any], query: int, event: int | None) -> Iterator[str]:
    place = f"round {one['round_index']}"
    if (one["start_us"], one["end_us"]) != (query, one["current_us"]):
        yield f"{place} sees {[one['start_us'], one['end_us']]}"
    if one["answerable"] != (event is not None and one["current_us"] >= event):
        yield f"{place} at {one['current_us']}: answerable is {one['answerable']}"
    if one["expected_output"] not in (one["accepted_outputs"] or ()):
        yield f"{place}: the expected output is not among the accepted ones"


def _placed(times: Sequence[int], event: int | None) -> Iterator[str]:
    if event is None:
        if len(times) != SILENT:
            yield f"{len(times)} rounds without an event, not {SILENT}"
        return
    before = [time for time in times if time < event]
    found = (len(before), len(times) - len(before))
    if AROUND.get(len(times)) != found:
        yield f"{found[0]} rounds before the event and {found[1]} from it on"
    if event not in times:
        yield f"no round at the event, {event}"
    if any(event - DELTA_US < time for time in before):
        yield f"a round less than {DELTA_US} us before the event at {event}"
    if before and before[0] >= event - DELTA_US:
        yield "an answer in the first round would be on time"
