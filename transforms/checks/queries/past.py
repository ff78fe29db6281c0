"""Answers about what was: in the window, in the whole recording."""

from __future__ import annotations

from transforms.checks.queries.base import Query, Value, query_rule
from transforms.checks.queries.known import Held
from transforms.checks.queries.scores import scored
from transforms.checks.rules.base import Undecided


def ended(query: Query) -> list[Held]:
    """Labels that ended in the window, before the question, and do not go on at once."""
    query.looked_through()
    held = query.mine(query.known().held(query.query_us))
    return [
        one
        for one in held
        if not one.open
        and query.start_us < one.last_us < query.query_us
        and not any(_goes_on(one, other) for other in held)
    ]


def _goes_on(one: Held, other: Held) -> bool:
    same = (one.label, one.whose) == (other.label, other.whose)
    return same and other.start_us <= one.last_us < other.last_us


@query_rule("state_ended")
def state_ended(query: Query) -> Value:
    """The one label of its kind that ended in the window, and did not come back."""
    found = ended(query)
    label = query.only(found, "ended in the window")
    later = query.between(found[0].last_us + 1, query.query_us)
    back = [one.start_us for one in later if one.label == label]
    query.note("not_unique", f"{label} comes back at {back}", bool(back))
    return query.named(label)


@query_rule("states_done")
def states_done(query: Query) -> Value:
    """How many labels of a kind ended in the window, each as often as it did."""
    return {"number": len(ended(query))}


@query_rule("presence_before")
def presence_before(query: Query) -> Value:
    """Whether a label was there in the window, to be gone again before its end."""
    query.looked_for(query.label)
    query.looked_through()
    found = [one for one in query.between(query.start_us, query.query_us)
             if one.label == query.label]  # fmt: skip
    if any(one.open for one in found):
        raise Undecided(f"{query.label} is still there at {query.query_us}")
    return {"yes": bool(found)}


@query_rule("set_before")
def set_before(query: Query) -> Value:
    """All labels of a kind that were there in the window."""
    query.looked_through()
    held = query.between(query.start_us, query.query_us)
    return {"kind": query.kind, "labels": sorted({one.label for one in held})}


@query_rule("whole_label")
def whole_label(query: Query) -> Value:
    """The one thing of its kind that is said of the whole recording."""
    found = {one.label for one in query.video.labels if one.kind == query.kind and one.value != 0}
    if not found:
        raise Undecided(f"no {query.kind} is said of the whole recording")
    query.note("not_unique", f"said of the whole: {sorted(found)}", len(found) > 1)
    return {"kind": query.kind, "label": min(found)}


@query_rule("whole_presence")
def whole_presence(query: Query) -> Value:
    """Whether the whole recording is said to show something: a label of 0 says that not."""
    said = {value != 0 for value in told(query)}
    if len(said) != 1:
        raise Undecided(f"the recording is said to show {query.label}: {sorted(said)}")
    return {"yes": min(said)}


@query_rule("whole_number")
def whole_number(query: Query) -> Value:
    """A number counted over the whole recording."""
    counts = {value for value in told(query) if value is not None}
    if len(counts) != 1 or not min(counts).is_integer():
        raise Undecided(f"{query.label}: counted {sorted(counts)}")
    return {"number": int(min(counts))}


@query_rule("whole_score")
def whole_score(query: Query) -> Value:
    """The word for a score of the whole recording."""
    return scored(query, told(query), agreeing=False)


def told(query: Query) -> list[float | None]:
    """Values of the asked label that are told of the whole recording, of each rater."""
    asked = (query.kind, query.label)
    return [one.value for one in query.video.labels if (one.kind, one.label) == asked]
