"""What a stream is watched for: labels of ``ontology/alerts``, or a broken order of work."""

from __future__ import annotations

from ontology.alerts import Trigger, triggers_of
from ontology.concepts import vocabulary
from ontology.workflow import over, unmet
from transforms.checks.queries.base import Query
from transforms.checks.queries.future import begun, waits_for
from transforms.checks.queries.known import Held
from transforms.checks.rules.base import BadSlot


@waits_for("alert")
def alert(query: Query, until_us: int) -> Held | None:
    """The first thing to begin after the question that sets the trigger off."""
    return next((one for one in begun(query, until_us) if sets_off(query, one)), None)


def trigger_of(query: Query) -> Trigger:
    """The trigger that the question is about, in its kind of label."""
    name = query.text("about", "alert")
    for trigger in triggers_of(query.kind):
        if trigger.alert == name:
            return trigger
    raise BadSlot(f"no trigger {name!r} of {query.kind}")


def sets_off(query: Query, one: Held) -> bool:
    """Does a label that begins set the trigger off."""
    trigger = trigger_of(query)
    if trigger.labels:
        return any(fits(pattern, one.label) for pattern in trigger.labels)
    return any(broken(query, one))


def fits(pattern: str, label: str) -> bool:
    """A label is the pattern; ``*`` stands for any part between two commas."""
    wanted, given = pattern.split(","), label.split(",")
    if len(wanted) != len(given):
        return False
    return all(one in ("*", other) for one, other in zip(wanted, given, strict=True))


def broken(query: Query, one: Held) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Labels that should have come before one that begins, and those that it comes after."""
    procedure = query.video.header["procedure"]
    held = sorted(query.known().held(one.start_us), key=lambda other: other.start_us)
    before = [other.label for other in held if other.start_us < one.start_us]
    return (
        unmet(procedure, query.kind, before, one.label),
        over(procedure, query.kind, before, one.label),
    )


def reason(query: Query, one: Held) -> str:
    """What the alert says of the label that set it off."""
    trigger = trigger_of(query)
    text, other = trigger.reason, ""
    if not trigger.labels:
        before, after = broken(query, one)
        text = trigger.reason if before else trigger.reason_over
        other = display(query.kind, before[0] if before else after[-1])
    return text.format(display=display(query.kind, one.label), other=other)


def display(kind: str, label: str) -> str:
    """Display name of a label; of a triplet, of its target."""
    if kind == "triplet":
        kind, label = "target", label.split(",")[-1]
    return vocabulary(f"{kind}s")[label].display


def too_late(query: Query) -> str | None:
    """Why the question comes too late: what it watches for is or has been there."""
    there = query.between(query.query_us, query.query_us)
    if trigger_of(query).once:
        there = query.known().held(query.query_us)
    found = [one for one in there if sets_off(query, one)]
    if not found:
        return None
    return f"{found[0].label} is there from {found[0].start_us}, question at {query.query_us}"
