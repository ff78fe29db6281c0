"""Answers about what comes: next within a look-ahead, or waited for in rounds.

What is waited for is found by a function of the time up to which one may look, so that one
function gives the item's truth, at its last round, and what each round can know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ontology.workflow import any_time, successors
from transforms.checks.queries.base import SECOND_US, SETTLED_US, Query, Value, query_rule
from transforms.checks.queries.known import Held, OfSpans
from transforms.checks.rules.base import Undecided


@query_rule("state_next")
def state_next(query: Query) -> Value:
    """The label that comes next; nobody can tell where it is far or not the only one."""
    held = query.all_now(query.query_us)
    current = query.only(held, "at the time of the question")
    procedure = query.video.header["procedure"]
    until = query.query_us + round(query.check("look_ahead_s") * SECOND_US)
    passed = {current, *any_time(procedure, query.kind)}
    coming = [one for one in begun(query, until) if one.label not in passed]
    query.looked_at(query.query_us, coming[0].start_us if coming else until)
    allowed = successors(procedure, query.kind, current)
    if not coming or allowed is None or len(allowed) != 1:
        return {"unanswerable": True}
    told = f"after {current} comes {coming[0].label}, usually {allowed[0]}"
    query.note("not_unique", told, allowed[0] != coming[0].label)
    return query.named(coming[0].label)


def begun(query: Query, until_us: int) -> list[Held]:
    """Labels that begin after the question and by a time, and last, in order.

    One that is seen to end within a second, or at its first instant, is none.
    """
    spans = isinstance(query.known(), OfSpans)
    new = [
        one
        for one in query.known().held(until_us)
        if one.start_us > query.query_us and (one.open or lasts(one, spans))
    ]
    return sorted(new, key=lambda one: (one.start_us, one.label))


def lasts(one: Held, span: bool) -> bool:
    """It holds for a second at least, or at two instants."""
    return one.last_us - one.start_us >= SETTLED_US if span else one.last_us > one.start_us


Waited = Callable[[Query, int], Held | None]
"""What has begun by a time, of what the question waits for."""

STREAMS: dict[str, Waited] = {}


def waits_for(name: str) -> Callable[[Waited], Waited]:
    """Mark a function as what the streams of a name wait for."""

    def mark(function: Waited) -> Waited:
        STREAMS[name] = function
        return function

    return mark


@waits_for("state_begins")
def state_begins(query: Query, until_us: int) -> Held | None:
    """The first label of the kind to begin."""
    return next(iter(begun(query, until_us)), None)


def begins_alone(query: Query, found: Held, waited: Iterable[Held]) -> None:
    """The label lasts, was not there since the question, and nothing begins beside it.

    Args:
        waited: all that has begun of what the question waits for.
    """
    shown = f"{found.label} at {found.start_us}"
    before = query.between(query.query_us, found.start_us - 1)
    if found.label in {one.label for one in before}:
        raise Undecided(f"{shown} is there before")
    together = {one.label for one in waited if one.start_us == found.start_us}
    query.note("not_unique", f"{sorted(together)} begin together", len(together) > 1)
    known = query.known()
    whole = [one for one in known.held(found.start_us + SETTLED_US)
             if one[:2] == found[:2]]  # fmt: skip
    spans = isinstance(known, OfSpans)
    kept = any(lasts(one, spans) for one in whole) or (not spans and found.open)
    query.note("gate_failed", f"{shown} does not last", not kept)
