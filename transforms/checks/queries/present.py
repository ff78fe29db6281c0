"""Answers about what is: at the time of the question, from what came up to it."""

from __future__ import annotations

from transforms.checks.queries.base import Query, Value, query_rule
from transforms.checks.queries.known import OfSpans, Sight
from transforms.checks.queries.scores import scored
from transforms.checks.rules.base import Undecided

COLUMNS = ("left", "centre", "right")
ROWS = ("upper", "middle", "lower")
PLACES = tuple(f"{down} {across}" for down in ROWS for across in COLUMNS)
EDGE = 0.02
"""Distance that a place keeps from the borders of the thirds, in parts of the frame."""


@query_rule("state_now")
def state_now(query: Query) -> Value:
    """The one label of its kind, and of the subject that is named, that holds."""
    holds, changing = (query.mine(held) for held in query.now(query.query_us))
    query.no_change(changing)
    return query.named(query.only(holds, "at the time of the question"))


@query_rule("presence_now")
def presence_now(query: Query) -> Value:
    """Whether a label holds."""
    query.looked_for(query.label)
    query.looked_at(query.query_us, query.query_us)
    holds, changing = query.now(query.query_us)
    yes = query.label in {one.label for one in holds}
    if not yes:
        query.no_change(one for one in changing if one.label == query.label)
    return {"yes": yes}


@query_rule("set_now")
def set_now(query: Query) -> Value:
    """All labels of a kind that are there."""
    return {"kind": query.kind, "labels": labels_now(query)}


@query_rule("number_now")
def number_now(query: Query) -> Value:
    """How many different labels of a kind are there."""
    return {"number": len(labels_now(query))}


def labels_now(query: Query) -> list[str]:
    """Different labels at the time of the question, sorted."""
    query.looked_at(query.query_us, query.query_us)
    return sorted({one.label for one in query.all_now(query.query_us)})


@query_rule("target_now")
def target_now(query: Query) -> Value:
    """What one instrument does, and to what: its only interaction."""
    tool = query.text("tool", "label")
    found = set()
    for event in query.video.events:
        if event.time_us == query.query_us and event.label == tool:
            if event.pairs is None:
                raise Undecided(f"{tool} at {query.query_us}: interaction is not annotated")
            found |= {pair for pair in event.pairs if pair[0] != "null_verb"}
    if not found:
        raise Undecided(f"{tool} does nothing at {query.query_us}")
    query.note("not_unique", f"{tool} does {sorted(found)}", len(found) > 1)
    verb, target = min(found)
    if target == "null_target":
        raise Undecided(f"{tool} acts on nothing that is known at {query.query_us}")
    return {"instrument": tool, "verb": verb, "target": target}


@query_rule("place_now")
def place_now(query: Query) -> Value:
    """In which ninth of the picture the middle of the only region of its kind lies."""
    sights = sights_now(query)
    query.note("not_unique", f"{len(sights)} regions", len(sights) > 1)
    if not sights or sights[0].label != query.label or sights[0].box is None:
        raise Undecided(f"no {query.label} with a box at {query.query_us}")
    x1, y1, x2, y2 = sights[0].box
    x, y = (x1 + x2) / 2, (y1 + y2) / 2
    if any(abs(at - edge) < EDGE for at in (x, y) for edge in (1 / 3, 2 / 3)):
        query.note("gate_failed", f"the middle {(x, y)} lies on a border of the thirds")
    place = f"{ROWS[third(y)]} {COLUMNS[third(x)]}"
    return {"kind": query.kind, "label": query.label, "region": place}


def third(at: float) -> int:
    """Which third of the frame, half-open, a fraction lies in."""
    return 0 if at < 1 / 3 else 1 if at < 2 / 3 else 2


def sights_now(query: Query) -> list[Sight]:
    """What is seen at the instant of the question, instance by instance."""
    known = query.known()
    if isinstance(known, OfSpans) or query.query_us not in known.at:
        raise Undecided(f"{query.query_us} is not an annotated instant of {query.kind}")
    return known.at[query.query_us]


@query_rule("score_now")
def score_now(query: Query) -> Value:
    """The word for the score that holds, on which all its raters agree."""
    holds, changing = query.now(query.query_us)
    query.no_change(one for one in changing if one.label == query.label)
    return scored(query, [one.value for one in holds if one.label == query.label],
                  agreeing=True)  # fmt: skip
